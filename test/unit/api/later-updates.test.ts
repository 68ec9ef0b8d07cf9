/** What an update may change depends on the release: from which release on each change is let pass, and refused again. */
import type { JsonObject } from '../../../src/base/json.ts';
import { asJson } from '../../../src/meta/object.ts';
import { newestRelease, parseRelease } from '../../../src/observe/release.ts';
import { contextWith, Kind, withValue } from '../../support/kind.ts';

interface Change {
  readonly kind: string;
  readonly before: JsonObject;
  readonly status?: JsonObject;
  readonly path: string;
  readonly value: unknown;
  /** More that changes with it. */
  readonly and?: readonly (readonly [path: string, value: unknown])[];
  /** First release that lets it pass; absent: none. A feature gate that is on from the release on. */
  readonly from?: string;
  /** First release that refuses it again. */
  readonly until?: string;
  readonly on?: string[];
}

const labels = { app: 'web' };
const main = { name: 'main', image: 'nginx:1' };
const template = { metadata: { labels }, spec: { containers: [main] } };
const set = { spec: { selector: { matchLabels: labels }, template, serviceName: 'web', replicas: 1 } };
const jobTemplate = { metadata: { labels }, spec: { containers: [main], restartPolicy: 'Never' } };
const job = {
  metadata: { name: 'a', uid: 'u-1' },
  spec: { template: jobTemplate, suspend: true, completions: 3, parallelism: 3, completionMode: 'Indexed' },
};
const isSuspended = {
  conditions: [{ type: 'Suspended', status: 'True' }],
  startTime: '2021-06-01T12:00:00Z',
};
const jobs = { kind: 'jobs.batch', before: job };
const claim = {
  spec: {
    ...{ accessModes: ['ReadWriteOnce'], storageClassName: 'fast', volumeName: 'v' },
    resources: { requests: { storage: '5Gi' } },
  },
};
const claims = {
  kind: 'persistentvolumeclaims',
  before: claim,
  status: { phase: 'Bound', capacity: { storage: '3Gi' } },
};
const inZone = { key: 'failure-domain.beta.orch.io/zone', operator: 'In', values: ['a'] };
const volumes = {
  kind: 'persistentvolumes',
  before: {
    spec: {
      ...{
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        csi: { driver: 'a.b', volumeHandle: 'h' },
      },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [inZone] }] } },
    },
  },
};
const expressions = 'spec.nodeAffinity.required.nodeSelectorTerms.0.matchExpressions.0';
const driver = { kind: 'csidrivers.storage', before: { spec: {} } };
const sets = { kind: 'statefulsets.apps', before: set };
const pods = 'spec.template.spec';

const changes: readonly Change[] = [
  { ...sets, path: 'spec.minReadySeconds', value: 5, from: '1.22' },
  { ...sets, path: 'spec.ordinals', value: { start: 2 }, from: '1.26' },
  { ...sets, path: 'spec.revisionHistoryLimit', value: 3, from: '1.33' },
  { ...sets, path: 'spec.serviceName', value: 'other' },
  { ...jobs, path: 'spec.completions', value: 4 },
  { ...jobs, path: 'spec.completions', value: 4, and: [['spec.parallelism', 4]], from: '1.27' },
  { ...jobs, path: 'spec.backoffLimitPerIndex', value: 1 },
  { ...jobs, path: 'spec.successPolicy', value: { rules: [{ succeededCount: 1 }] } },
  { ...jobs, path: 'spec.managedBy', value: 'example.com/other' },
  { ...jobs, path: `${pods}.nodeSelector`, value: { disk: 'fast' }, from: '1.23' },
  { ...jobs, path: `${pods}.affinity`, value: { nodeAffinity: {} }, from: '1.23' },
  { ...jobs, path: `${pods}.affinity`, value: { podAffinity: {} } },
  { ...jobs, path: 'spec.template.metadata.annotations', value: { a: 'b' }, from: '1.23' },
  { ...jobs, status: isSuspended, path: `${pods}.nodeSelector`, value: { disk: 'fast' }, from: '1.36' },
  { ...jobs, path: `${pods}.containers.0.resources`, value: { requests: { cpu: '1' } }, from: '1.36' },
  { ...jobs, path: `${pods}.containers.0.image`, value: 'nginx:2' },
  { ...jobs, status: { ...isSuspended, active: 1 }, path: `${pods}.nodeSelector`, value: { disk: 'fast' } },
  { ...claims, path: 'spec.volumeAttributesClassName', value: 'gold', from: '1.34' },
  { ...claims, path: 'spec.resources.requests.storage', value: '4Gi', from: '1.32' },
  { ...claims, path: 'spec.resources.requests.storage', value: '3Gi' },
  { ...claims, path: 'spec.resources.limits', value: { storage: '9Gi' } },
  { ...volumes, path: `${expressions}.key`, value: 'topology.orch.io/zone', from: '1.27' },
  { ...volumes, path: `${expressions}.values`, value: ['b'] },
  { ...volumes, path: `${expressions}.values`, value: ['b'], from: '1.35', on: ['MutablePVNodeAffinity'] },
  { ...driver, path: 'spec.storageCapacity', value: true, from: '1.23' },
  { ...driver, path: 'spec.fsGroupPolicy', value: 'File', from: '1.28' },
  { ...driver, path: 'spec.podInfoOnMount', value: true, from: '1.28' },
  { ...driver, path: 'spec.attachRequired', value: false },
];

/** Releases that let the change pass; one that does not know the field has nothing to judge. */
function passes({ kind: name, before, status, path, value, and = [], on }: Change): number[] {
  const passed: number[] = [];
  for (let minor = 21; minor <= newestRelease.minor; minor++) {
    const release = { major: 1, minor };
    const kind = new Kind(name, contextWith({ release, on: minor < 35 ? [] : (on ?? []) }), release);
    const stored = kind.created({ metadata: { name: 'a' }, ...before });
    if (status) stored['status'] = status;
    const edits = [[path, value] as const, ...and];
    const next = edits.reduce((object, [at, to]) => withValue(object, at, to), asJson(stored));
    const isKnown = JSON.stringify(kind.decode(next)) !== JSON.stringify(kind.decode(asJson(stored)));
    if (isKnown && kind.updateErrors(stored, next).length === 0) passed.push(minor);
  }
  return passed;
}

test.each(changes)('$kind $path $value from $from', (change) => {
  const first = change.from === undefined ? Infinity : (parseRelease(change.from)?.minor ?? 0);
  const every = Array.from({ length: newestRelease.minor - 20 }, (_, i) => 21 + i);
  expect(passes(change)).toEqual(every.filter((minor) => minor >= first));
});

describe('labels that tie pods to a job', () => {
  const at = (minor: number): Kind =>
    new Kind('jobs.batch', contextWith({ release: { major: 1, minor } }), { major: 1, minor });
  const sent = { metadata: { name: 'a', uid: 'u-1', namespace: 'default' }, spec: { template: jobTemplate } };

  test('have the prefix of the group, too, from release 1.27 on', () => {
    const former = { 'controller-uid': 'u-1', 'job-name': 'a' };
    const prefixed = { 'batch.orch.io/controller-uid': 'u-1', 'batch.orch.io/job-name': 'a' };
    expect(at(26).created(sent)['spec']).toMatchObject({
      selector: { matchLabels: { 'controller-uid': 'u-1' } },
      template: { metadata: { labels: { ...labels, ...former } } },
    });
    expect(at(27).created(sent)['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.orch.io/controller-uid': 'u-1' } },
      template: { metadata: { labels: { ...labels, ...former, ...prefixed } } },
    });
    expect(at(27).createErrors(sent)).toEqual([]);
  });

  test('of a job that an earlier release has made stay', () => {
    const stored = at(26).created(sent);
    expect(at(33).updateErrors(stored, withValue(asJson(stored), 'spec.parallelism', 2))).toEqual([]);
  });

  test('belong to no other job', () => {
    const other = withValue(sent, 'spec.template.metadata.labels', { 'batch.orch.io/controller-uid': 'u-2' });
    expect(at(36).createErrors(other)).not.toEqual([]);
  });
});
