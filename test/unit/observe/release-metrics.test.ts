/** The metrics of each release: names, stability, labels. */
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { createAdmissionMetrics } from '../../../src/observe/admission-metrics.ts';
import { createExtensionMetrics } from '../../../src/observe/extension-metrics.ts';
import {
  createBorrowingMetrics,
  createFlowControlMetrics,
  createSeatMetrics,
} from '../../../src/observe/flow-control-metrics.ts';
import { showGates } from '../../../src/observe/gate-metrics.ts';
import { stateIn } from '../../../src/observe/metric-life.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import type { Release } from '../../../src/observe/release.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';

const release = (minor: number): Release => ({ major: 1, minor });

function allOf(minor: number) {
  const metrics = new Metrics({ release: release(minor) });
  const server = createServerMetrics(metrics);
  const admission = createAdmissionMetrics(metrics);
  const flow = createFlowControlMetrics(metrics);
  createExtensionMetrics(metrics);
  createBorrowingMetrics(metrics);
  createSeatMetrics(metrics, 10);
  return { metrics, server, admission, flow };
}

const text = (minor: number): Promise<string> => allOf(minor).metrics.text();

describe('the life of a metric', () => {
  const life = 'ALPHA 1.23, BETA 1.25, STABLE 1.27, deprecated 1.30, gone 1.35';
  test.each([
    [22, { isServed: false, stability: 'ALPHA' }],
    [23, { isServed: true, stability: 'ALPHA' }],
    [26, { isServed: true, stability: 'BETA' }],
    [29, { isServed: true, stability: 'STABLE' }],
    [30, { isServed: true, stability: 'STABLE', deprecatedIn: '1.30' }],
    [35, { isServed: false, stability: 'STABLE', deprecatedIn: '1.30' }],
  ])('in 1.%d', (minor, state) => {
    expect(stateIn(life, release(minor))).toEqual(state);
  });

  test('a word that is none is refused', () => {
    expect(() => stateIn('BETA 1.28, STABEL 1.30', release(21))).toThrow('STABEL 1.30');
  });
});

/** Counted in the sources and lists of metrics of the releases. */
test.each([
  ['apiserver_longrunning_gauge', 21, 'ALPHA', 'gone 25'],
  ['apiserver_longrunning_requests', 23, 'ALPHA', 'STABLE 25'],
  ['apiserver_registered_watchers', 21, 'ALPHA', 'gone 25'],
  ['apiserver_current_inflight_requests', 21, 'ALPHA', 'STABLE 23'],
  ['apiserver_response_sizes', 21, 'ALPHA', 'STABLE 23'],
  ['apiserver_requested_deprecated_apis', 21, 'ALPHA', 'STABLE 22'],
  ['apiserver_dropped_requests_total', 21, 'ALPHA', 'gone 25'],
  ['apiserver_request_slo_duration_seconds', 23, 'ALPHA', 'gone 30'],
  ['apiserver_request_sli_duration_seconds', 26, 'ALPHA', ''],
  ['apiserver_watch_list_duration_seconds', 30, 'ALPHA', 'BETA 36'],
  ['apiserver_admission_webhook_admission_duration_seconds', 21, 'ALPHA', 'STABLE 23'],
  ['apiserver_validating_admission_policy_check_total', 26, 'ALPHA', 'BETA 31'],
  ['apiserver_crd_webhook_conversion_duration_seconds', 21, 'ALPHA', 'gone 28'],
  ['apiserver_crd_conversion_webhook_duration_seconds', 28, 'ALPHA', ''],
  ['apiserver_flowcontrol_rejected_requests_total', 21, 'ALPHA', 'BETA 28'],
  ['apiserver_flowcontrol_dispatched_requests_total', 21, 'ALPHA', 'BETA 28'],
  ['apiserver_flowcontrol_current_inqueue_requests', 21, 'ALPHA', 'BETA 28'],
  ['apiserver_flowcontrol_current_executing_requests', 21, 'ALPHA', 'BETA 28'],
  ['apiserver_flowcontrol_request_wait_duration_seconds', 21, 'ALPHA', 'BETA 28'],
  ['apiserver_flowcontrol_nominal_limit_seats', 26, 'ALPHA', 'BETA 28'],
  ['apiserver_flowcontrol_current_executing_seats', 28, 'BETA', ''],
  ['apiserver_flowcontrol_request_concurrency_in_use', 22, 'ALPHA', 'gone 34'],
  ['apiserver_flowcontrol_request_concurrency_limit', 21, 'ALPHA', 'gone 33'],
  ['apiserver_flowcontrol_priority_level_request_count_samples', 21, 'ALPHA', 'gone 25'],
  ['apiserver_flowcontrol_priority_level_request_utilization', 25, 'ALPHA', ''],
  ['apiserver_flowcontrol_priority_level_seat_utilization', 25, 'ALPHA', ''],
  ['apiserver_flowcontrol_read_vs_write_request_count_watermarks', 21, 'ALPHA', 'gone 25'],
  ['apiserver_flowcontrol_read_vs_write_current_requests', 25, 'ALPHA', ''],
  ['apiserver_storage_objects', 21, 'STABLE', ''],
  ['apiserver_storage_size_bytes', 28, 'ALPHA', 'STABLE 34'],
  ['kubernetes_build_info', 21, 'ALPHA', 'BETA 36'],
])('%s', async (name, since, begin, then) => {
  const [word = '', at] = then.split(' ');
  const inRelease = async (minor: number): Promise<string | undefined> =>
    new RegExp(`^# HELP ${name} \\[(\\w+)\\]`, 'm').exec(await text(minor))?.[1];
  expect(await inRelease(since)).toBe(begin);
  if (at === undefined) return;
  expect(await inRelease(Number(at))).toBe(word === 'gone' ? undefined : word);
  expect(await inRelease(Number(at) - 1)).toMatch(/ALPHA|BETA/);
});

test('figures go under the names of the release, with its labels', async () => {
  const lines = async (minor: number): Promise<string> => {
    const { metrics, server, admission, flow } = allOf(minor);
    const watch = { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments' };
    server.longRunning.series({ verb: 'WATCH' }).add(3);
    server.watchEvents.series(watch).add();
    server.buildInfo.series({ git_version: 'v1' }).set(1);
    const policy = { policy: 'p', policy_binding: 'b', error_type: 'no_error', state: 'active' };
    admission.policyChecks.series({ ...policy, enforcement_action: 'deny' }).add();
    flow.levelSamples.series({ phase: 'executing', priority_level: 'l' }).observe(0.5);
    flow.levelSamples.series({ phase: 'waiting', priority_level: 'l' }).observe(0.5);
    flow.execution.series({ priority_level: 'l', flow_schema: 's', type: 'watch' }).observe(0.5);
    server.storageSize.series({ cluster: 'etcd-0', storage_cluster_id: 'etcd-0' }).set(5);
    return metrics.text();
  };
  const first = await lines(21);
  expect(first).toMatch(/^apiserver_longrunning_gauge\{verb="WATCH".*\} 3$/m);
  expect(first).toContain('apiserver_watch_events_total{group="apps",version="v1",kind="Deployment"} 1');
  expect(first).toContain('git_version="v1"');
  const newest = await lines(36);
  expect(newest).toMatch(/^apiserver_longrunning_requests\{verb="WATCH".*\} 3$/m);
  expect(newest).toContain(
    'apiserver_watch_events_total{group="apps",version="v1",resource="deployments"} 1',
  );
  expect(newest).toMatch(/policy_check_total\{.*error_type="no_error".*\} 1/);
  expect(await lines(30)).toMatch(/policy_check_total\{.*state="active".*\} 1/);
  const execution = 'apiserver_flowcontrol_request_execution_seconds_count';
  expect(first).toContain(`${execution}{priority_level="l",flow_schema="s"} 1`);
  expect(newest).toContain(`${execution}{priority_level="l",flow_schema="s",type="watch"} 1`);
  expect(await lines(27)).not.toContain('apiserver_storage_size_bytes');
  expect(await lines(29)).toContain('apiserver_storage_size_bytes{cluster="etcd-0"} 5');
  expect(newest).toContain('apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 5');
  const share = 'apiserver_flowcontrol_priority_level_seat_utilization_count';
  expect(newest).toContain(`${share}{phase="executing",priority_level="l"} 1`);
  expect(newest).not.toContain(`${share}{phase="waiting"`);
});

test('the life of a metric is read once for each release', () => {
  const life = 'ALPHA 1.21, BETA 1.28, gone 1.35';
  expect(stateIn(life, release(30))).toBe(stateIn(life, release(30)));
  expect(stateIn(life, release(30))).toEqual({ isServed: true, stability: 'BETA' });
  expect(stateIn(life, release(35)).isServed).toBe(false);
});

test('no series of a feature gate is made before somebody reads the metrics', async () => {
  const metrics = new Metrics({ release: release(34) });
  let asked = 0;
  const all = (): ReadonlyMap<string, boolean> => {
    asked += 1;
    return new Map([['WatchList', true]]);
  };
  showGates(metrics, featuresOf(release(34)), { all });
  expect(asked).toBe(0);
  expect(await metrics.text()).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 1');
});

test('feature gates are shown from 1.26 on, with their stage', async () => {
  const shown = async (minor: number): Promise<string> => {
    const metrics = new Metrics({ release: release(minor) });
    const features = featuresOf(release(minor));
    showGates(metrics, features, createFeatureGates({ WatchList: false }, features));
    return metrics.text();
  };
  expect(await shown(34)).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0');
  expect(await shown(34)).toContain('kubernetes_feature_enabled{name="ConsistentListFromCache",stage=""} 1');
  expect(await shown(36)).toContain('[BETA]');
  const old = new Metrics({ release: release(25) });
  showGates(old, featuresOf(release(25)), createFeatureGates({}, featuresOf(release(25))));
  expect(await old.text()).toBe('');
});
