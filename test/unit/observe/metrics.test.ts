import { countRequests, createClientMetrics } from '../../../src/observe/client-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { isShown, metricStage, parseShowHidden } from '../../../src/observe/metric-stage.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';

const release = { major: 1, minor: 21 };

describe('metric life cycle', () => {
  test.each([
    [undefined, 'active'],
    ['1.22', 'active'],
    ['1.21', 'deprecated'],
    ['1.19', 'deprecated'],
    ['1.18', 'hidden'],
    ['1.2', 'hidden'],
  ])('deprecated in %s is %s at 1.21', (deprecatedIn, stage) => {
    expect(metricStage(deprecatedIn, release)).toBe(stage);
  });

  test('only what the named release still showed is shown again', () => {
    const previous = { major: 1, minor: 20 };
    expect(isShown('1.18', previous)).toBe(true);
    expect(isShown('1.17', previous)).toBe(false);
    expect(isShown('1.18', undefined)).toBe(false);
  });

  test('the flag takes only the previous release', () => {
    expect(parseShowHidden('', release)).toBeUndefined();
    expect(parseShowHidden('1.20', release)).toEqual({ major: 1, minor: 20 });
    expect(() => parseShowHidden('1.19', release)).toThrow('1.20');
    expect(() => parseShowHidden('x', release)).toThrow('1.20');
  });

  test('a deprecated metric says so and logs a warning, a hidden one is not printed', async () => {
    const warnings: string[] = [];
    const ignore = (): void => undefined;
    const logger = {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (message: string) => warnings.push(message),
      child: () => logger,
    };
    const metrics = new Metrics({ release, logger });
    metrics.counter({ name: 'old_total', help: 'Old.', deprecatedIn: '1.20' }).series().add();
    metrics.counter({ name: 'hidden_total', help: 'Hidden.', deprecatedIn: '1.18' }).series().add();
    const text = await metrics.text();
    expect(text).toContain('# HELP old_total [ALPHA] (Deprecated from 1.20) Old.');
    expect(text).not.toContain('hidden_total');
    metrics.counter({ name: 'sure_total', help: 'Sure.', stability: 'STABLE' });
    expect(await metrics.text()).toContain('# HELP sure_total [STABLE] Sure.');
    expect(warnings).toHaveLength(1);
  });

  test('the former name of the dropped requests is hidden, and shown on request', async () => {
    const text = (options: object): Promise<string> => {
      const metrics = new Metrics({ release, ...options });
      createServerMetrics(metrics).formerDroppedRequests.series({ request_kind: 'readOnly' }).add();
      return metrics.text();
    };
    const line = 'apiserver_dropped_requests{request_kind="readOnly"} 1';
    expect(await text({})).not.toContain(line);
    expect(await text({ showHiddenFor: { major: 1, minor: 20 } })).toContain(line);
  });

  test('figures may be counted when they are read', async () => {
    const metrics = new Metrics();
    const family = metrics.gauge({ name: 'asked', help: 'Asked.' });
    let asked = 0;
    family.onScrape(() => {
      family.series().set((asked += 1));
    });
    await metrics.text();
    expect(await metrics.text()).toContain('asked 2');
  });

  test('a hidden metric is printed on request', async () => {
    const metrics = new Metrics({ release, showHiddenFor: { major: 1, minor: 20 } });
    metrics.gauge({ name: 'hidden', help: 'Hidden.', deprecatedIn: '1.18' }).series().set(3);
    expect(await metrics.text()).toContain('hidden 3');
  });
});

describe('cells', () => {
  test('a counter keeps one number per label set, absent labels are empty', async () => {
    const metrics = new Metrics();
    const family = metrics.counter({ name: 'x_total', help: 'X.', labels: ['a', 'b'] });
    family.series({ a: '1' }).add();
    family.series({ a: '1' }).add(2);
    family.series({ a: '1', b: '2' }).add();
    const text = await metrics.text();
    expect(text).toContain('x_total{a="1",b=""} 3');
    expect(text).toContain('x_total{a="1",b="2"} 1');
  });

  test('a histogram counts cumulatively', async () => {
    const metrics = new Metrics();
    const cell = metrics.histogram({ name: 'h', help: 'H.', bounds: [1, 2] }).series();
    for (const value of [0.5, 1, 1.5, 9]) cell.observe(value);
    const text = await metrics.text();
    expect(text).toContain('h_bucket{le="1"} 2');
    expect(text).toContain('h_bucket{le="2"} 3');
    expect(text).toContain('h_bucket{le="+Inf"} 4');
    expect(text).toContain('h_sum 12');
    expect(text).toContain('h_count 4');
  });
});

test('the well-known names are registered', async () => {
  const metrics = new Metrics();
  createServerMetrics(metrics);
  const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map((m) => m[1]);
  expect(names.sort()).toEqual([
    'apiserver_authentication_jwt_authenticator_latency_seconds',
    'apiserver_certificate_not_after_timestamp_seconds',
    'apiserver_client_certificate_expiration_seconds',
    'apiserver_current_inflight_request_bytes',
    'apiserver_current_inflight_requests',
    'apiserver_current_inqueue_requests',
    'apiserver_dropped_requests_total',
    'apiserver_init_events_total',
    'apiserver_longrunning_gauge',
    'apiserver_registered_watchers',
    'apiserver_rejected_connections_total',
    'apiserver_representation_bytes',
    'apiserver_representations_evicted_total',
    'apiserver_representations_made_total',
    'apiserver_request_duration_seconds',
    'apiserver_request_filter_duration_seconds',
    'apiserver_request_terminations_total',
    'apiserver_request_total',
    'apiserver_requested_deprecated_apis',
    'apiserver_response_sizes',
    'apiserver_storage_compactions_total',
    'apiserver_storage_consistency_check_duration_seconds',
    'apiserver_storage_consistency_checks_total',
    'apiserver_storage_decode_errors_total',
    'apiserver_storage_envelope_transformation_cache_misses_total',
    'apiserver_storage_etcd_known_defects',
    'apiserver_storage_objects',
    'apiserver_storage_transformation_duration_seconds',
    'apiserver_storage_transformation_operations_total',
    'apiserver_storage_view_inconsistent_total',
    'apiserver_terminated_watchers_total',
    'apiserver_throttled_authentications_total',
    'apiserver_tls_handshake_errors_total',
    'apiserver_watch_cache_read_wait_seconds',
    'apiserver_watch_duration_seconds',
    'apiserver_watch_ends_total',
    'apiserver_watch_events_sizes',
    'apiserver_watch_events_total',
    'apiserver_watch_frames_encoded_total',
    'authenticated_user_requests',
    'authentication_attempts',
    'authentication_duration_seconds',
    'etcd_db_total_size_in_bytes',
    'etcd_lease_object_counts',
    'etcd_object_counts',
    'etcd_request_duration_seconds',
    'kube_apiserver_clusterip_allocator_allocated_ips',
    'kube_apiserver_clusterip_allocator_available_ips',
    'kube_apiserver_clusterip_repair_ip_errors_total',
    'kube_apiserver_nodeport_allocator_allocated_ports',
    'kube_apiserver_nodeport_allocator_available_ports',
    'kube_apiserver_nodeport_repair_port_errors_total',
    'kubernetes_build_info',
    'node_authorizer_graph_actions_duration_seconds',
    'rest_client_request_duration_seconds',
    'rest_client_requests_total',
    'serviceaccount_legacy_tokens_total',
    'serviceaccount_stale_tokens_total',
    'serviceaccount_valid_tokens_total',
  ]);
});

describe('requests to other servers', () => {
  test.each([
    ['/api/v1/pods', '/api/v1/pods'],
    ['/api/v1/namespaces/a', '/api/v1/namespaces/%7Bname%7D'],
    ['/api/v1/namespaces/a/pods/b/log/c', '/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/log'],
    ['/apis/apps/v1/namespaces/a/deployments', '/apis/apps/v1/namespaces/%7Bnamespace%7D/deployments'],
    ['/apis', '/%7Bprefix%7D'],
    ['/validate/anything', '/%7Bprefix%7D'],
  ])('%s is counted as %s', async (path, shown) => {
    const metrics = new Metrics();
    const count = countRequests(createClientMetrics(metrics));
    count({ method: 'GET', url: new URL(`https://one:443${path}`), code: undefined, seconds: 2 });
    const text = await metrics.text();
    expect(text).toContain('rest_client_requests_total{code="<error>",method="GET",host="one"} 1');
    expect(text).toContain(
      `rest_client_request_duration_seconds_count{verb="GET",url="https://one${shown}"} 1`,
    );
  });

  test('hosts beyond a bound are counted together', async () => {
    const metrics = new Metrics();
    const count = countRequests(createClientMetrics(metrics));
    for (let i = 0; i < 300; i += 1)
      count({ method: 'POST', url: new URL(`https://h${String(i)}/x`), code: 200, seconds: 0.1 });
    const text = await metrics.text();
    expect(text.match(/^rest_client_requests_total\{/gm)).toHaveLength(257);
    expect(text).toContain('rest_client_requests_total{code="200",method="POST",host="other"} 44');
  });
});
