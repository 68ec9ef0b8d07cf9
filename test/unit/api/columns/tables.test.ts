import type { JsonObject } from '../../../../src/base/json.ts';
import { asApiObject } from '../../../../src/meta/object.ts';
import { Kind } from '../../../support/kind.ts';

const meta = { name: 'a', namespace: 'default', creationTimestamp: '2021-06-01T11:54:57Z' };

/** Cells without the name. */
function cells(kind: string, object: JsonObject): unknown[] {
  return new Kind(kind).cells(asApiObject({ metadata: meta, ...object })).slice(1);
}

describe('Pod', () => {
  const spec = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }, { name: 'j' }] };
  const status = (value: JsonObject, metadata: JsonObject = {}): unknown[] =>
    cells('pods', { metadata: { ...meta, ...metadata }, spec, status: value }).slice(0, 3);
  const running = { ready: true, restartCount: 2, state: { running: {} } };

  test.each<[string, JsonObject, unknown[]]>([
    ['by phase', { phase: 'Pending' }, ['0/2', 'Pending', 0]],
    ['by reason', { phase: 'Failed', reason: 'Evicted' }, ['0/2', 'Evicted', 0]],
    ['running', { phase: 'Running', containerStatuses: [running, running] }, ['2/2', 'Running', 4]],
    [
      'waiting; the first container speaks',
      {
        phase: 'Pending',
        containerStatuses: [
          { state: { waiting: { reason: 'ErrImagePull' } } },
          { state: { waiting: { reason: 'Other' } } },
        ],
      },
      ['0/2', 'ErrImagePull', 0],
    ],
    [
      'ended by code',
      { phase: 'Running', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
      ['0/2', 'ExitCode:3', 0],
    ],
    [
      'ended by signal',
      { phase: 'Running', containerStatuses: [{ state: { terminated: { exitCode: 137, signal: 9 } } }] },
      ['0/2', 'Signal:9', 0],
    ],
    [
      'one completed, one runs',
      { phase: 'Running', containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }, running] },
      ['1/2', 'NotReady', 2],
    ],
    [
      'one completed, one runs, ready',
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }, running],
      },
      ['1/2', 'Running', 2],
    ],
    [
      'first init container',
      {
        phase: 'Pending',
        initContainerStatuses: [{ restartCount: 1, state: { running: {} } }],
        containerStatuses: [running],
      },
      ['0/2', 'Init:0/2', 1],
    ],
    [
      'second init container',
      {
        phase: 'Pending',
        initContainerStatuses: [
          { state: { terminated: { exitCode: 0 } } },
          { state: { waiting: { reason: 'PodInitializing' } } },
        ],
      },
      ['0/2', 'Init:1/2', 0],
    ],
    [
      'init container waits',
      { phase: 'Pending', initContainerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
      ['0/2', 'Init:CrashLoopBackOff', 0],
    ],
    [
      'init container failed',
      { phase: 'Pending', initContainerStatuses: [{ state: { terminated: { exitCode: 1 } } }] },
      ['0/2', 'Init:ExitCode:1', 0],
    ],
    [
      'init container failed with reason',
      {
        phase: 'Pending',
        initContainerStatuses: [{ state: { terminated: { exitCode: 1, reason: 'Error' } } }],
      },
      ['0/2', 'Init:Error', 0],
    ],
  ])('%s', (_name, value, expected) => {
    expect(status(value)).toEqual(expected);
  });

  test('being deleted', () => {
    const deletionTimestamp = '2021-06-01T12:00:00Z';
    expect(status({ phase: 'Running' }, { deletionTimestamp })[1]).toBe('Terminating');
    expect(status({ phase: 'Running', reason: 'NodeLost' }, { deletionTimestamp })[1]).toBe('Unknown');
  });

  test('the wide columns', () => {
    const wide = cells('pods', {
      spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }] },
      status: { podIPs: [{ ip: '1.2.3.4' }], conditions: [{ type: 'x', status: 'True' }] },
    });
    expect(wide.slice(3)).toEqual(['5m3s', '1.2.3.4', 'n1', '<none>', '1/2']);
    expect(cells('pods', {}).slice(3)).toEqual(['5m3s', '<none>', '<none>', '<none>', '<none>']);
  });

  test('a finished pod is marked', () => {
    const marks = (phase: string): unknown =>
      new Kind('pods').definition.rowConditions?.(asApiObject({ status: { phase } }));
    expect(marks('Succeeded')).toMatchObject([{ type: 'Completed', status: 'True', reason: 'Succeeded' }]);
    expect(marks('Running')).toEqual([]);
  });
});

const address = (type: string, value: string): JsonObject => ({ type, address: value });

test.each<[string, JsonObject, unknown[]]>([
  [
    'services',
    {
      spec: {
        type: 'ClusterIP',
        clusterIPs: ['10.0.0.1'],
        ports: [
          { port: 80, protocol: 'TCP' },
          { port: 53, nodePort: 30053, protocol: 'UDP' },
        ],
        selector: { b: '2', a: '1' },
      },
    },
    ['ClusterIP', '10.0.0.1', '<none>', '80/TCP,53:30053/UDP', '5m3s', 'a=1,b=2'],
  ],
  [
    'services',
    { spec: { type: 'LoadBalancer' } },
    ['LoadBalancer', '<none>', '<pending>', '<none>', '5m3s', '<none>'],
  ],
  [
    'services',
    {
      spec: { type: 'LoadBalancer', externalIPs: ['9.9.9.9'] },
      status: { loadBalancer: { ingress: [{ hostname: 'b' }, { ip: '1.1.1.1' }, { ip: '1.1.1.1' }] } },
    },
    ['LoadBalancer', '<none>', '1.1.1.1,b,9.9.9.9', '<none>', '5m3s', '<none>'],
  ],
  [
    'services',
    { spec: { type: 'ExternalName', externalName: 'x.y' } },
    ['ExternalName', '<none>', 'x.y', '<none>', '5m3s', '<none>'],
  ],
  [
    'nodes',
    {
      metadata: { ...meta, labels: { 'node-role.orch.io/worker': '', 'orch.io/role': 'extra' } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [address('InternalIP', '1.1.1.1')],
        nodeInfo: { kubeletVersion: 'v1', osImage: 'os', kernelVersion: 'k', containerRuntimeVersion: 'c' },
      },
    },
    ['Ready,SchedulingDisabled', 'extra,worker', '5m3s', 'v1', '1.1.1.1', '<none>', 'os', 'k', 'c'],
  ],
  ['nodes', {}, ['Unknown', '<none>', '5m3s', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']],
  ['namespaces', { status: { phase: 'Active' } }, ['Active', '5m3s']],
  ['configmaps', { data: { a: '' }, binaryData: { b: '' } }, [2, '5m3s']],
  ['secrets', { type: 'Opaque', data: { a: '' } }, ['Opaque', 1, '5m3s']],
  ['serviceaccounts', { secrets: [{ name: 's' }] }, [1, '5m3s']],
  [
    'endpoints',
    { subsets: [{ addresses: [{ ip: '1.1.1.1' }, { ip: '::1' }], ports: [{ port: 80 }, { port: 81 }] }] },
    ['1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...', '5m3s'],
  ],
  ['endpoints', {}, ['<none>', '5m3s']],
  [
    'persistentvolumes',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
        volumeMode: 'Block',
      },
      status: { phase: 'Bound' },
    },
    ['1Gi', 'RWO,RWX', 'Retain', 'Bound', 'n/c', 's', '', '5m3s', 'Block'],
  ],
  [
    'persistentvolumeclaims',
    {
      spec: { volumeName: 'v' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    },
    ['Bound', 'v', '1Gi', 'RWO', '', '5m3s', '<unset>'],
  ],
  [
    'persistentvolumeclaims',
    { status: { phase: 'Pending', capacity: { storage: '1Gi' } } },
    ['Pending', '', '', '', '', '5m3s', '<unset>'],
  ],
  [
    'resourcequotas',
    { status: { hard: { pods: '3', cpu: '2', 'limits.cpu': '4' }, used: { cpu: '1' } } },
    ['5m3s', 'cpu: 1/2, pods: 0/3', 'limits.cpu: 0/4'],
  ],
  ['limitranges', {}, ['2021-06-01T11:54:57Z']],
  [
    'replicationcontrollers',
    {
      spec: {
        replicas: 3,
        selector: { a: 'b' },
        template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
      status: { replicas: 2 },
    },
    [3, 2, 0, '5m3s', 'c', 'i', 'a=b'],
  ],
  ['podtemplates', { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }, ['c', 'i', '<none>']],
  [
    'componentstatuses',
    { conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
    ['Healthy', 'ok', ''],
  ],
  ['apiservices.apiregistration', {}, ['Local', 'Unknown', '5m3s']],
  [
    'apiservices.apiregistration',
    {
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'Gone' }] },
    },
    ['n/s', 'False (Gone)', '5m3s'],
  ],
  [
    'horizontalpodautoscalers.autoscaling',
    {
      spec: {
        scaleTargetRef: { kind: 'K', name: 'n' },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 80,
      },
      status: { currentReplicas: 2 },
    },
    ['K/n', '<unknown>/80%', '1', 3, 2, '5m3s'],
  ],
  ['leases.coordination', { spec: { holderIdentity: 'me' } }, ['me', '5m3s']],
  ['csinodes.storage', { spec: { drivers: [{}] } }, [1, '5m3s']],
  ['csidrivers.storage', {}, [true, false, false, '<unset>', false, '<none>', '5m3s']],
  ['storageclasses.storage', { provisioner: 'p' }, ['p', 'Delete', 'Immediate', false, '5m3s']],
  [
    'volumeattachments.storage',
    {
      spec: { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: { attached: true },
    },
    ['d', 'v', 'n', true, '5m3s'],
  ],
])('%s', (kind, object, expected) => {
  expect(cells(kind, object)).toEqual(expected);
});

test('the default storage class is marked', () => {
  const annotations = { 'storageclass.orch.io/is-default-class': 'true' };
  expect(
    new Kind('storageclasses.storage').cells(asApiObject({ metadata: { ...meta, annotations } }))[0],
  ).toBe('a (default)');
});

test('Event', () => {
  const event = {
    metadata: meta,
    type: 'Normal',
    reason: 'Started',
    message: ' up \n',
    involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec' },
    source: { component: 'agent', host: 'n1' },
    firstTimestamp: '2021-06-01T11:00:00Z',
    lastTimestamp: '2021-06-01T11:59:30Z',
    count: 3,
  };
  expect(new Kind('events').cells(asApiObject(event))).toEqual([
    '30s',
    'Normal',
    'Started',
    'pod/p',
    'spec',
    'agent, n1',
    'up',
    '60m',
    3,
    'a',
  ]);
  const series = {
    metadata: meta,
    eventTime: '2021-06-01T11:58:00.000000Z',
    series: { count: 4, lastObservedTime: '2021-06-01T11:59:00.000000Z' },
  };
  expect(new Kind('events').cells(asApiObject(series)).slice(0, 1)).toEqual(['60s']);
  expect(new Kind('events').cells(asApiObject(series)).slice(7, 9)).toEqual(['2m', 5]);
});
