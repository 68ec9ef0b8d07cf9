/** Columns of kinds of release 1.21 that later releases have added or changed. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { parseRelease } from '../../../../src/observe/release.ts';
import { contextWith, Kind } from '../../../support/kind.ts';

const meta = { name: 'a', namespace: 'default', creationTimestamp: '2021-06-01T11:54:57Z' };

/** Cells by the name of their column, of an object as it is stored. */
function row(kind: string, text: string, object: JsonObject): Record<string, unknown> {
  const release = parseRelease(text);
  if (release === undefined) throw new Error(`no release ${text}`);
  const at = new Kind(kind, contextWith({ release }), release);
  const cells = at.cells(asApiObject({ metadata: meta, ...object }));
  return Object.fromEntries(at.columns().map(({ name }, i) => [name, cells[i]]));
}

test.each<[string, string, JsonObject, string]>([
  ['jobs.batch Status', '1.30', {}, 'Running'],
  ['cronjobs.batch Timezone', '1.30', { spec: { timeZone: 'Etc/UTC' } }, 'Etc/UTC'],
  ['cronjobs.batch Timezone', '1.30', { spec: {} }, '<none>'],
  ['persistentvolumes VolumeAttributesClass', '1.29', { spec: {} }, '<unset>'],
  [
    'persistentvolumeclaims VolumeAttributesClass',
    '1.29',
    { spec: { volumeAttributesClassName: 'gold' } },
    'gold',
  ],
  ['priorityclasses.scheduling PreemptionPolicy', '1.32', { preemptionPolicy: 'Never' }, 'Never'],
  [
    'certificatesigningrequests.certificates RequestedDuration',
    '1.22',
    { spec: { expirationSeconds: 7200 } },
    '120m',
  ],
  ['certificatesigningrequests.certificates RequestedDuration', '1.22', { spec: {} }, '<none>'],
])('%s since %s', (name, since, object, expected) => {
  const [kind = '', column = ''] = name.split(' ');
  const [, minor = ''] = since.split('.');
  expect(row(kind, since, object)[column]).toBe(expected);
  expect(row(kind, `1.${Number(minor) - 1}`, object)).not.toHaveProperty(column);
});

test.each<[string, JsonObject, JsonObject]>([
  ['Complete', {}, { conditions: [{ type: 'Complete', status: 'True' }] }],
  ['Running', {}, { conditions: [{ type: 'Complete', status: 'False' }] }],
  ['Failed', {}, { conditions: ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True' })) }],
  [
    'Terminating',
    { deletionTimestamp: '2021-06-01T11:55:00Z' },
    { conditions: [{ type: 'Suspended', status: 'True' }] },
  ],
  ['Suspended', {}, { conditions: [{ type: 'Suspended', status: 'True' }] }],
  ['FailureTarget', {}, { conditions: [{ type: 'FailureTarget', status: 'True' }] }],
  ['SuccessCriteriaMet', {}, { conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] }],
])('a job is %s', (expected, metadata, status) => {
  expect(row('jobs.batch', '1.36', { metadata: { ...meta, ...metadata }, status })['Status']).toBe(expected);
});

test('the age of a quota stands last', () => {
  expect(Object.keys(row('resourcequotas', '1.36', {})).at(-1)).toBe('Age');
  expect(Object.keys(row('resourcequotas', '1.21', {}))[1]).toBe('Age');
});

describe('pods', () => {
  const pod = (text: string, object: JsonObject): unknown[] => {
    const cells = row('pods', text, object);
    return [cells['Ready'], cells['Status'], cells['Restarts']];
  };
  const ended = { terminated: { finishedAt: '2021-06-01T11:50:00Z' } };
  const sidecar = { name: 'proxy', restartPolicy: 'Always' };
  const running = { state: { running: {} }, ready: true };
  const spec = { containers: [{ name: 'a' }], initContainers: [{ name: 'first' }, sidecar] };
  const first = { name: 'first', restartCount: 3, lastState: ended, state: { terminated: { exitCode: 0 } } };
  const proxy = { name: 'proxy', restartCount: 2, lastState: ended, started: true, ...running };

  test('restarts with the time since the last one, since 1.22', () => {
    const status = {
      phase: 'Running',
      containerStatuses: [
        { restartCount: 4, lastState: { terminated: { finishedAt: '2021-06-01T11:00:00Z' } }, ...running },
        { restartCount: 1, lastState: ended, ...running },
      ],
    };
    expect(pod('1.21', { spec, status })[2]).toBe(5);
    expect(pod('1.22', { spec, status })[2]).toBe('5 (10m ago)');
    expect(pod('1.36', { spec, status: { containerStatuses: [{ restartCount: 4 }] } })[2]).toBe('4');
    expect(pod('1.36', { spec, status: {} })[2]).toBe('0');
  });

  test('sidecars count as containers, since 1.28', () => {
    const status = {
      phase: 'Running',
      initContainerStatuses: [first, proxy],
      containerStatuses: [{ name: 'a', restartCount: 1, ...running }],
    };
    expect(pod('1.36', { spec, status })).toEqual(['2/2', 'Running', '3 (10m ago)']);
    expect(pod('1.27', { spec, status })).toEqual(['0/1', 'Init:1/2', '5 (10m ago)']);
  });

  test('a sidecar that has not started holds up the others', () => {
    const status = { phase: 'Pending', initContainerStatuses: [first, { ...proxy, started: false }] };
    expect(pod('1.36', { spec, status })).toEqual(['0/2', 'Init:1/2', '5 (10m ago)']);
  });

  test('an init container that fails again after the pod was initialized', () => {
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Initialized', status: 'True' }],
      initContainerStatuses: [{ ...first, state: { terminated: { exitCode: 1, reason: 'Error' } } }],
      containerStatuses: [{ name: 'a', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    };
    expect(pod('1.36', { spec, status })).toEqual(['0/2', 'CrashLoopBackOff', '0']);
    expect(pod('1.27', { spec, status })[1]).toBe('Init:Error');
  });

  test('scheduling gates, since 1.26', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }];
    const status = { phase: 'Pending', conditions };
    expect(pod('1.26', { status })[1]).toBe('SchedulingGated');
    expect(pod('1.25', { status })[1]).toBe('Pending');
  });

  test('what has ended does not become Terminating, since 1.31', () => {
    const metadata = { ...meta, deletionTimestamp: '2021-06-01T11:55:00Z' };
    expect(pod('1.31', { metadata, status: { phase: 'Succeeded' } })[1]).toBe('Succeeded');
    expect(pod('1.31', { metadata, status: { phase: 'Running' } })[1]).toBe('Terminating');
    expect(pod('1.31', { metadata, status: { phase: 'Failed', reason: 'NodeLost' } })[1]).toBe('Unknown');
    expect(pod('1.30', { metadata, status: { phase: 'Succeeded' } })[1]).toBe('Terminating');
  });
});
