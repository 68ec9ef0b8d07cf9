import type { JsonObject } from '../../../src/base/json.ts';
import { brief, Kind, testErrors, withValue } from '../../support/kind.ts';

describe('Node', () => {
  const kind = new Kind('nodes');
  const minimal: JsonObject = { metadata: { name: 'n1' } };
  testErrors(kind, minimal, [
    ['spec.taints', [{ key: 'a b', effect: 'NoSchedule' }], 'spec.taints[0].key Invalid'],
    [
      'spec.taints',
      [{ key: 'a', value: '-', effect: '' }],
      'spec.taints[0].effect Required',
      'spec.taints[0].value Invalid',
    ],
    [
      'spec.taints',
      [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule' },
      ],
      'spec.taints[1] Duplicate',
    ],
    ['spec.taints', [{ key: 'a', effect: 'Never' }], 'spec.taints[0].effect NotSupported'],
    ['spec.podCIDRs', ['10.0.0.0/24', 'fd00::/64']],
    ['spec.podCIDRs', ['10.0.0.0/24', '10.0.1.0/24'], 'spec.podCIDRs Invalid'],
    ['spec.podCIDR', 'x', 'spec.podCIDRs[0] Invalid'],
    ['status.capacity', { cpu: '-1' }, 'status.allocatable[cpu] Invalid', 'status.capacity[cpu] Invalid'],
  ]);

  test('what is known of the machine is said once', () => {
    const known = withValue(
      withValue(minimal, 'spec.podCIDR', '10.0.0.0/24'),
      'spec.providerID',
      'cloud://1',
    );
    const before = kind.created(known);
    expect(kind.updateErrors(kind.created(minimal), known)).toEqual([]);
    expect(kind.updateErrors(before, withValue(known, 'spec.unschedulable', true))).toEqual([]);
    expect(brief(kind.updateErrors(before, minimal))).toEqual([
      'spec.podCIDRs Forbidden',
      'spec.providerID Forbidden',
    ]);
    expect(brief(kind.updateErrors(before, withValue(known, 'spec.externalID', 'x')))).toEqual([
      'spec Forbidden',
    ]);
  });

  test('a node may state its status at creation; later only through the subresource', () => {
    const sent = withValue(minimal, 'status', { capacity: { cpu: '1' } });
    const before = kind.created(sent);
    expect(before).toMatchObject({ status: { capacity: { cpu: '1' }, allocatable: { cpu: '1' } } });
    expect(kind.updated(before, minimal)).toMatchObject({ status: { capacity: { cpu: '1' } } });
    const twice = {
      addresses: [
        { type: 'InternalIP', address: '1.1.1.1' },
        { type: 'InternalIP', address: '1.1.1.1' },
      ],
    };
    expect(brief(kind.updateErrors(before, { ...minimal, status: twice }, 'status'))).toEqual([
      'status.addresses[1] Duplicate',
    ]);
  });
});

describe('PersistentVolume', () => {
  const kind = new Kind('persistentvolumes');
  const minimal: JsonObject = {
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
  };
  testErrors(kind, minimal, [
    ['spec.capacity', {}, 'spec.capacity Required'],
    ['spec.capacity', { cpu: '1' }, 'spec.capacity NotSupported'],
    ['spec.capacity', { storage: '0' }, 'spec.capacity[storage] Invalid'],
    ['spec.accessModes', [], 'spec.accessModes Required'],
    ['spec.accessModes', ['Never'], 'spec.accessModes[0] NotSupported'],
    ['spec.hostPath', undefined, 'spec Required'],
    ['spec.nfs', { server: '', path: '/' }, 'spec.nfs Forbidden'],
    ['spec.storageClassName', 'A', 'spec.storageClassName Invalid'],
    ['spec.persistentVolumeReclaimPolicy', 'Burn', 'spec.persistentVolumeReclaimPolicy NotSupported'],
    ['spec.volumeMode', 'Tape', 'spec.volumeMode NotSupported'],
    ['spec.nodeAffinity', {}, 'spec.nodeAffinity.required Required'],
  ]);
  const withSource = (source: JsonObject): JsonObject =>
    withValue({ ...minimal, spec: { ...(minimal['spec'] as JsonObject), hostPath: null } }, 'spec', {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      ...source,
    });

  test('sources', () => {
    const errorsOf = (source: JsonObject): string[] => brief(kind.createErrors(withSource(source)));
    expect(errorsOf({ csi: { driver: 'a.b' } })).toEqual(['spec.csi.volumeHandle Required']);
    expect(errorsOf({ local: { path: '/x' } })).toEqual(['spec.nodeAffinity Required']);
    expect(errorsOf({ iscsi: { targetPortal: 'p', iqn: 'bad', lun: 256 } })).toEqual([
      'spec.iscsi.iqn Invalid',
      'spec.iscsi.lun Invalid',
    ]);
    expect(errorsOf({ fc: { targetWWNs: ['a'] } })).toEqual(['spec.fc.lun Required']);
    expect(errorsOf({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' })).toEqual([
      'spec.persistentVolumeReclaimPolicy Forbidden',
    ]);
  });

  test('source and mode stay', () => {
    const before = kind.created(minimal);
    expect(before).toMatchObject({
      spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    });
    expect(brief(kind.updateErrors(before, withValue(minimal, 'spec.hostPath.path', '/other')))).toEqual([
      'spec.persistentvolumesource Forbidden',
    ]);
    expect(brief(kind.updateErrors(before, withValue(minimal, 'spec.volumeMode', 'Block')))).toEqual([
      'spec.volumeMode Invalid',
    ]);
    expect(kind.updateErrors(before, withValue(minimal, 'spec.capacity.storage', '2Gi'))).toEqual([]);
  });

  test('a secret for growing may be added once', () => {
    const source = { csi: { driver: 'a.b', volumeHandle: 'h' } };
    const grown = (name: string): JsonObject =>
      withSource({ csi: { ...source.csi, controllerExpandSecretRef: { name, namespace: 'x' } } });
    expect(kind.updateErrors(kind.created(withSource(source)), grown('s'))).toEqual([]);
    expect(brief(kind.updateErrors(kind.created(grown('s')), grown('t')))).toEqual([
      'spec.persistentvolumesource Forbidden',
    ]);
  });
});

describe('PersistentVolumeClaim', () => {
  const kind = new Kind('persistentvolumeclaims');
  const minimal: JsonObject = {
    metadata: { name: 'c', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  testErrors(kind, minimal, [
    ['spec.accessModes', [], 'spec.accessModes Required'],
    ['spec.resources', {}, 'spec.resources[storage] Required'],
    ['spec.resources', { requests: { storage: '0' } }, 'spec.resources[storage] Invalid'],
    ['spec.storageClassName', 'A', 'spec.storageClassName Invalid'],
    [
      'spec.selector',
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      'spec.selector.matchExpressions[0].values Required',
    ],
    [
      'spec.dataSource',
      { kind: 'Other', name: '' },
      'spec.dataSource Invalid',
      'spec.dataSource.name Required',
    ],
  ]);

  test('only growth while bound, and the volume once', () => {
    const pending = kind.created(minimal);
    const bound = kind.updated(pending, { ...minimal, status: { phase: 'Bound' } }, 'status');
    const grown = withValue(minimal, 'spec.resources.requests.storage', '2Gi');
    const shrunk = withValue(minimal, 'spec.resources.requests.storage', '1Mi');
    expect(kind.updateErrors(bound, grown)).toEqual([]);
    expect(brief(kind.updateErrors(pending, grown))).toEqual(['spec Forbidden']);
    expect(brief(kind.updateErrors(bound, shrunk))).toEqual(['spec.resources.requests.storage Forbidden']);
    expect(kind.updateErrors(pending, withValue(minimal, 'spec.volumeName', 'v'))).toEqual([]);
    const named = kind.created(withValue(minimal, 'spec.volumeName', 'v'));
    expect(brief(kind.updateErrors(named, withValue(minimal, 'spec.volumeName', 'w')))).toEqual([
      'spec Forbidden',
    ]);
    expect(brief(kind.updateErrors(pending, withValue(minimal, 'spec.storageClassName', 'x')))).toEqual([
      'spec Forbidden',
    ]);
    expect(brief(kind.updateErrors(pending, withValue(minimal, 'spec.volumeMode', 'Block')))).toEqual([
      'spec Forbidden',
      'spec.volumeMode Invalid',
    ]);
  });
});
