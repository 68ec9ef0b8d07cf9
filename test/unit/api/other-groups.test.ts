import type { JsonObject } from '../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../support/kind.ts';

describe('APIService', () => {
  const kind = new Kind('apiservices.apiregistration');
  const service = { name: 's', namespace: 'default' };
  const minimal: JsonObject = {
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 2000, versionPriority: 10, service },
  };
  testErrors(kind, minimal, [
    ['metadata.name', 'v2.example.com', 'metadata.name Invalid'],
    ['spec.group', 'Example', 'metadata.name Invalid', 'spec.group Invalid'],
    ['spec.version', '1', 'metadata.name Invalid', 'spec.version Invalid'],
    ['spec.groupPriorityMinimum', 0, 'spec.groupPriorityMinimum Invalid'],
    ['spec.groupPriorityMinimum', 20001, 'spec.groupPriorityMinimum Invalid'],
    ['spec.versionPriority', 0, 'spec.versionPriority Invalid'],
    ['spec.versionPriority', 1001, 'spec.versionPriority Invalid'],
    [
      'spec.service',
      { port: 65536 },
      'spec.service.name Required',
      'spec.service.namespace Required',
      'spec.service.port Invalid',
    ],
    ['spec.caBundle', 'YQ=='],
    ['spec.insecureSkipTLSVerify', true],
  ]);

  test('what is local needs no connection, and an empty group is v1', () => {
    const local = withValue(minimal, 'spec.service', undefined);
    expect(kind.createErrors(local)).toEqual([]);
    const said = withValue(withValue(local, 'spec.caBundle', 'YQ=='), 'spec.insecureSkipTLSVerify', true);
    expect(brief(kind.createErrors(said))).toEqual([
      'spec.caBundle Invalid',
      'spec.insecureSkipTLSVerify Invalid',
    ]);
    const legacy = (version: string): JsonObject =>
      withValue(
        withValue(withValue(local, 'spec.group', ''), 'spec.version', version),
        'metadata.name',
        `${version}.`,
      );
    expect(kind.createErrors(legacy('v1'))).toEqual([]);
    expect(brief(kind.createErrors(legacy('v2')))).toEqual(['spec.group Required']);
    const both = withValue(withValue(minimal, 'spec.caBundle', 'YQ=='), 'spec.insecureSkipTLSVerify', true);
    expect(brief(kind.createErrors(both))).toEqual(['spec.insecureSkipTLSVerify Invalid']);
  });

  test('status', () => {
    const before = kind.created({
      ...minimal,
      status: { conditions: [{ type: 'Available', status: 'True' }] },
    });
    expect(before).toMatchObject({ spec: { service: { port: 443 } }, status: {} });
    expect(before).not.toHaveProperty('status.conditions');
    expect(kind.created(withValue(minimal, 'spec.service', undefined))).toMatchObject({
      status: {
        conditions: [
          { type: 'Available', status: 'True', reason: 'Local', lastTransitionTime: '2021-06-01T12:00:00Z' },
        ],
      },
    });
    const conditions = [
      { type: 'Available', status: 'Maybe' },
      { type: 'Available', status: 'True' },
    ];
    const sent = withValue({ ...minimal, status: { conditions } }, 'metadata.labels', { a: 'b' });
    expect(brief(kind.updateErrors(before, sent, 'status'))).toEqual([
      'status.conditions[0].status NotSupported',
      'status.conditions[1].type Duplicate',
    ]);
    expect(kind.updated(before, sent, 'status').metadata.labels).toBeUndefined();
  });
});

describe('HorizontalPodAutoscaler', () => {
  const kind = new Kind('horizontalpodautoscalers.autoscaling');
  const minimal: JsonObject = {
    metadata: { name: 'a', namespace: 'default' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'ReplicationController', name: 'web' } },
  };
  testErrors(kind, minimal, [
    ['spec.maxReplicas', 0, 'spec.maxReplicas Invalid', 'spec.maxReplicas Invalid'],
    ['spec.minReplicas', 4, 'spec.maxReplicas Invalid'],
    ['spec.minReplicas', 0, 'spec.minReplicas Invalid'],
    ['spec.scaleTargetRef', {}, 'spec.scaleTargetRef.kind Required', 'spec.scaleTargetRef.name Required'],
    ['spec.scaleTargetRef.name', 'a/b', 'spec.scaleTargetRef.name Invalid'],
    ['spec.targetCPUUtilizationPercentage', 0, 'spec.targetCPUUtilizationPercentage Invalid'],
  ]);

  test('defaults, unless later versions said metrics', () => {
    expect(kind.created(minimal)).toMatchObject({
      spec: { minReplicas: 1, targetCPUUtilizationPercentage: 80 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
    const metrics = withValue(minimal, 'metadata.annotations', { 'autoscaling.alpha.orch.io/metrics': '[]' });
    expect(kind.created(metrics)).not.toHaveProperty('spec.targetCPUUtilizationPercentage');
  });

  test('zero needs the gate and a metric that exists without pods', () => {
    const gated = new Kind('horizontalpodautoscalers.autoscaling', contextWith({ on: ['HPAScaleToZero'] }));
    const zero = withValue(minimal, 'spec.minReplicas', 0);
    const metric = (text: string): JsonObject =>
      withValue(zero, 'metadata.annotations', { 'autoscaling.alpha.orch.io/metrics': text });
    expect(brief(gated.createErrors(zero))).toEqual(['spec.metrics Forbidden']);
    expect(brief(gated.createErrors(metric('[{"type":"Resource"}]')))).toEqual(['spec.metrics Forbidden']);
    expect(brief(gated.createErrors(metric('{')))).toEqual(['spec.metrics Forbidden']);
    expect(gated.createErrors(metric('[{"type":"External"}]'))).toEqual([]);
  });

  test('status counts are not negative', () => {
    const sent = { ...minimal, status: { currentReplicas: -1, desiredReplicas: -1 } };
    expect(brief(kind.updateErrors(kind.created(minimal), sent, 'status'))).toEqual([
      'status.currentReplicas Invalid',
      'status.desiredReplicas Invalid',
    ]);
  });
});

describe('Lease', () => {
  const kind = new Kind('leases.coordination');
  testErrors(kind, { metadata: { name: 'a', namespace: 'default' } }, [
    ['spec.leaseDurationSeconds', 0, 'spec.leaseDurationSeconds Invalid'],
    ['spec.leaseTransitions', -1, 'spec.leaseTransitions Invalid'],
  ]);

  test('PUT creates it, and needs a version', () => {
    expect(kind.definition.strategy).toMatchObject({ createOnUpdate: true, unconditionalUpdate: false });
  });
});

describe('VolumeAttachment', () => {
  const kind = new Kind('volumeattachments.storage');
  const minimal: JsonObject = {
    metadata: { name: 'a' },
    spec: { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv' } },
  };
  const inline = { accessModes: ['ReadWriteOnce'], csi: { driver: 'a.b', volumeHandle: 'h' } };
  const source = 'spec.source';
  testErrors(kind, minimal, [
    ['spec.attacher', '', 'spec.attacher Required'],
    ['spec.attacher', 'not a driver', 'spec.attacher Invalid'],
    ['spec.nodeName', '', 'spec.nodeName Required'],
    [source, {}, 'spec.source Required'],
    [`${source}.persistentVolumeName`, '', 'spec.source.persistentVolumeName Required'],
    [`${source}.inlineVolumeSpec`, inline, 'spec.source Forbidden'],
    [source, { inlineVolumeSpec: inline }],
    [
      source,
      { inlineVolumeSpec: { ...inline, capacity: { storage: '1Gi' } } },
      'spec.source.inlineVolumeSpec.capacity Forbidden',
    ],
    [
      source,
      { inlineVolumeSpec: {} },
      'spec.source.inlineVolumeSpec Required',
      'spec.source.inlineVolumeSpec.accessModes Required',
    ],
  ]);

  test('inline volumes are not honoured without their feature', () => {
    const ungated = new Kind('volumeattachments.storage', contextWith({ off: ['CSIMigration'] }));
    expect(brief(ungated.createErrors(withValue(minimal, source, { inlineVolumeSpec: inline })))).toEqual([
      'spec.source Required',
    ]);
  });

  test('the spec stays; the status is said by the attacher alone', () => {
    const before = kind.created({ ...minimal, status: { attached: true } });
    expect(before['status']).toEqual({ attached: false });
    expect(brief(kind.updateErrors(before, withValue(minimal, 'spec.nodeName', 'n2')))).toEqual([
      'spec Invalid',
    ]);
    const status = {
      attached: true,
      attachError: { message: 'x'.repeat(1025) },
      attachmentMetadata: { a: 'x'.repeat(256 * 1024) },
    };
    expect(brief(kind.updateErrors(before, { ...minimal, status }, 'status'))).toEqual([
      'status.attachError.message Invalid',
      'status.attachmentMetadata Invalid',
    ]);
    expect(kind.updated(before, { ...minimal, status: { attached: true } }, 'status')).toMatchObject({
      status: { attached: true },
    });
  });
});

describe('CSINode', () => {
  const kind = new Kind('csinodes.storage');
  const driver = { name: 'csi.example.com', nodeID: 'id' };
  const minimal: JsonObject = { metadata: { name: 'n1' }, spec: { drivers: [driver] } };
  const at = 'spec.drivers[0]';
  testErrors(kind, minimal, [
    ['spec.drivers', []],
    ['spec.drivers', [driver, driver], 'spec.drivers[1].name Duplicate'],
    ['spec.drivers', [{}], `${at}.name Required`, `${at}.nodeID Required`],
    ['spec.drivers.0.nodeID', 'x'.repeat(193), `${at}.nodeID Invalid`],
    ['spec.drivers.0.allocatable', { count: -1 }, `${at}.allocatable.count Invalid`],
    [
      'spec.drivers.0.topologyKeys',
      ['a', 'a', '', 'b c'],
      `${at}.topologyKeys[1] Duplicate`,
      `${at}.topologyKeys[2] Required`,
      `${at}.topologyKeys[3] Invalid`,
    ],
  ]);

  test('drivers come and go but do not change', () => {
    const before = kind.created(minimal);
    expect(kind.updateErrors(before, withValue(minimal, 'spec.drivers', []))).toEqual([]);
    expect(
      kind.updateErrors(before, withValue(minimal, 'spec.drivers.1', { name: 'b', nodeID: 'x' })),
    ).toEqual([]);
    expect(brief(kind.updateErrors(before, withValue(minimal, 'spec.drivers.0.nodeID', 'y')))).toEqual([
      `${at} Invalid`,
    ]);
  });
});

describe('StorageClass', () => {
  const kind = new Kind('storageclasses.storage');
  const minimal: JsonObject = { metadata: { name: 'fast' }, provisioner: 'example.com/disk' };
  testErrors(kind, minimal, [
    ['provisioner', '', 'provisioner Required'],
    ['provisioner', 'a b', 'provisioner Invalid'],
    ['reclaimPolicy', 'Recycle', 'reclaimPolicy NotSupported'],
    ['volumeBindingMode', 'Never', 'volumeBindingMode NotSupported'],
    ['parameters', { '': 'x' }, 'parameters Invalid'],
    [
      'allowedTopologies',
      [{ matchLabelExpressions: [{ key: 'a', values: [] }] }],
      'allowedTopologies[0].matchLabelExpressions[0].values Required',
    ],
  ]);

  test('what is made stays alike', () => {
    const before = kind.created(minimal);
    expect(before).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    const changed = {
      ...minimal,
      provisioner: 'other',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    };
    expect(brief(kind.updateErrors(before, changed))).toEqual([
      'parameters Forbidden',
      'provisioner Forbidden',
      'reclaimPolicy Forbidden',
      'volumeBindingMode Invalid',
    ]);
    expect(kind.updateErrors(before, { ...minimal, allowVolumeExpansion: true })).toEqual([]);
  });
});

describe('CSIDriver', () => {
  const kind = new Kind('csidrivers.storage');
  const minimal: JsonObject = { metadata: { name: 'csi.example.com' }, spec: {} };
  testErrors(kind, minimal, [
    ['metadata.name', 'x'.repeat(64), 'metadata.name TooLong'],
    ['spec.fsGroupPolicy', 'All', 'spec.fsGroupPolicy NotSupported'],
    ['spec.volumeLifecycleModes', ['Always'], 'spec.volumeLifecycleModes[0] NotSupported'],
    [
      'spec.tokenRequests',
      [{ audience: 'a', expirationSeconds: 1 }, { audience: 'a' }],
      'spec.tokenRequests[0].expirationSeconds Invalid',
      'spec.tokenRequests[1].audience Duplicate',
    ],
  ]);

  test('defaults', () => {
    expect(kind.created(minimal)['spec']).toEqual({
      attachRequired: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      podInfoOnMount: false,
      requiresRepublish: false,
      storageCapacity: false,
      volumeLifecycleModes: ['Persistent'],
    });
  });

  test('how a driver works stays', () => {
    const changed = withValue(minimal, 'spec.attachRequired', false);
    expect(brief(kind.updateErrors(kind.created(minimal), changed))).toEqual(['spec.attachRequired Invalid']);
    expect(
      kind.updateErrors(kind.created(minimal), withValue(minimal, 'spec.tokenRequests', [{ audience: 'a' }])),
    ).toEqual([]);
  });
});
