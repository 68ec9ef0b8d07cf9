import { builtInGroups } from '../../../../src/api/index.ts';
import { selectorText } from '../../../../src/api/selector-text.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../../support/kind.ts';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'nginx:1.21' }] },
};
const spec = { selector: { matchLabels: { app: 'web' } }, template };
const metadata = { name: 'web', namespace: 'default' };
const minimal: JsonObject = { metadata, spec };

const common = [
  ['spec.selector', undefined, 'spec.selector Required'],
  ['spec.selector', {}, 'spec.selector Invalid'],
  ['spec.selector', { matchLabels: { app: 'db' } }, 'spec.template.metadata.labels Invalid'],
  ['spec.template.spec.restartPolicy', 'Never', 'spec.template.spec.restartPolicy NotSupported'],
  ['spec.template.spec.activeDeadlineSeconds', 5, 'spec.template.spec.activeDeadlineSeconds Forbidden'],
  ['spec.template.spec.containers.0.name', '', 'spec.template.spec.containers[0].name Required'],
] as const;

describe('Deployment', () => {
  const kind = new Kind('deployments.apps');
  const rolling = 'spec.strategy.rollingUpdate';
  testErrors(kind, minimal, [
    ...common,
    ['spec.replicas', -1, 'spec.replicas Invalid'],
    ['spec.minReadySeconds', -1, 'spec.minReadySeconds Invalid'],
    ['spec.minReadySeconds', 600, 'spec.progressDeadlineSeconds Invalid'],
    ['spec.revisionHistoryLimit', -1, 'spec.revisionHistoryLimit Invalid'],
    ['spec.strategy', { type: 'Sometimes' }, 'spec.strategy.type NotSupported'],
    ['spec.strategy', { type: 'Recreate', rollingUpdate: {} }, `${rolling} Forbidden`],
    [rolling, { maxSurge: 0, maxUnavailable: 0 }, `${rolling}.maxUnavailable Invalid`],
    [
      rolling,
      { maxSurge: 'x', maxUnavailable: '101%' },
      `${rolling}.maxSurge Invalid`,
      `${rolling}.maxUnavailable Invalid`,
    ],
  ]);

  test('defaults', () => {
    expect(kind.created(minimal)['spec']).toMatchObject({
      replicas: 1,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { spec: { restartPolicy: 'Always', containers: [{ imagePullPolicy: 'IfNotPresent' }] } },
    });
  });

  test('the selector stays; a status write leaves spec and labels', () => {
    const before = kind.created({ ...minimal, status: { replicas: 3 } });
    expect(before['status']).toEqual({});
    const labels = { app: 'web', tier: 'a' };
    const changed = {
      metadata,
      spec: { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
    };
    expect(brief(kind.updateErrors(before, changed))).toEqual(['spec.selector Invalid']);
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3, observedGeneration: -1 };
    const sent = { ...withValue(minimal, 'spec.replicas', 7), metadata: { ...metadata, labels }, status };
    expect(kind.updated(before, sent, 'status')).toMatchObject({ spec: { replicas: 1 }, metadata, status });
    expect(brief(kind.updateErrors(before, sent, 'status'))).toEqual([
      'status.availableReplicas Invalid',
      'status.availableReplicas Invalid',
      'status.observedGeneration Invalid',
      'status.readyReplicas Invalid',
    ]);
    const counted = { ...before, status: { collisionCount: 2 } };
    expect(
      brief(kind.updateErrors(counted, { ...minimal, status: { collisionCount: 1 } }, 'status')),
    ).toEqual(['status.collisionCount Invalid']);
  });

  test('generation counts spec and annotations; cells', () => {
    const { bumpsGeneration } = kind.definition.strategy;
    const before = kind.created(minimal);
    expect(bumpsGeneration?.(before, before)).toBe(false);
    expect(
      bumpsGeneration?.({ ...before, metadata: { ...before.metadata, annotations: { a: 'b' } } }, before),
    ).toBe(true);
    expect(kind.cells(before).slice(1)).toEqual(['0/1', 0, 0, '<unknown>', 'main', 'nginx:1.21', 'app=web']);
  });

  test('scale reads and sets replicas', () => {
    const scale = kind.definition.subresources.find(({ name }) => name === 'scale')?.scale;
    const object = kind.created(withValue(minimal, 'spec.replicas', 4));
    expect([scale?.wanted(object), scale?.observed(object), scale?.selector(object)]).toEqual([
      4,
      0,
      'app=web',
    ]);
    scale?.setWanted(object, 2);
    expect(object['spec']).toMatchObject({ replicas: 2, selector: spec.selector });
  });
});

describe('DaemonSet', () => {
  const kind = new Kind('daemonsets.apps');
  const rolling = 'spec.updateStrategy.rollingUpdate';
  testErrors(kind, minimal, [
    ...common,
    [rolling, { maxUnavailable: 0 }, `${rolling}.maxUnavailable Invalid`],
    [rolling, { maxUnavailable: -1 }, `${rolling}.maxUnavailable Invalid`],
    ['spec.updateStrategy', { type: 'OnDelete' }],
  ]);

  test('surge belongs to its gate', () => {
    const surging = withValue(minimal, rolling, { maxUnavailable: 0, maxSurge: 1 });
    expect(brief(kind.createErrors(surging))).toEqual([`${rolling}.maxUnavailable Invalid`]);
    const gated = new Kind('daemonsets.apps', contextWith({ on: ['DaemonSetUpdateSurge'] }));
    expect(gated.createErrors(surging)).toEqual([]);
    expect(brief(gated.createErrors(withValue(surging, `${rolling}.maxUnavailable`, 1)))).toEqual([
      `${rolling}.maxSurge Invalid`,
    ]);
  });

  test('changes of the template increment the generation if requested', () => {
    const annotation = 'deprecated.daemonset.template.generation';
    const before = kind.created(withValue(minimal, 'metadata.annotations', { [annotation]: '3' }));
    const same = kind.updated(before, minimal);
    const changed = kind.updated(
      before,
      withValue(minimal, 'spec.template.spec.containers.0.image', 'nginx:2'),
    );
    expect([same, changed].map((set) => set.metadata.annotations?.[annotation])).toEqual(['3', '4']);
  });
});

describe('ReplicaSet', () => {
  const kind = new Kind('replicasets.apps');
  testErrors(kind, minimal, [...common, ['spec.replicas', -1, 'spec.replicas Invalid']]);

  test('selector of the field status.replicas', () => {
    expect(kind.definition.selectableFields['status.replicas']?.(kind.created(minimal))).toBe('0');
  });
});

describe('StatefulSet', () => {
  const kind = new Kind('statefulsets.apps');
  testErrors(kind, minimal, [
    ...common,
    ['spec.replicas', -1, 'spec.replicas Invalid'],
    ['spec.podManagementPolicy', 'Random', 'spec.podManagementPolicy NotSupported'],
    [
      'spec.updateStrategy',
      { type: 'OnDelete', rollingUpdate: {} },
      'spec.updateStrategy.rollingUpdate Invalid',
    ],
    [
      'spec.updateStrategy.rollingUpdate',
      { partition: -1 },
      'spec.updateStrategy.rollingUpdate.partition Invalid',
    ],
  ]);

  test('defaults, and what may change', () => {
    const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
    const before = kind.created(withValue(minimal, 'spec.volumeClaimTemplates', claims));
    expect(before['spec']).toMatchObject({
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1' }],
    });
    const scaled = withValue(withValue(minimal, 'spec.volumeClaimTemplates', claims), 'spec.replicas', 3);
    expect(kind.updateErrors(before, scaled)).toEqual([]);
    expect(brief(kind.updateErrors(before, withValue(scaled, 'spec.serviceName', 'other')))).toEqual([
      'spec Forbidden',
    ]);
  });
});

describe('ControllerRevision', () => {
  const kind = new Kind('controllerrevisions.apps');
  const revision: JsonObject = { metadata, data: { a: 1 }, revision: 1 };
  testErrors(kind, revision, [
    ['data', undefined, 'data Required'],
    ['revision', -1, 'revision Invalid'],
  ]);

  test('the data stays; the owner is shown', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true };
    const before = kind.created(withValue(revision, 'metadata.ownerReferences', [owner]));
    expect(brief(kind.updateErrors(before, { ...revision, data: { a: 2 } }))).toEqual(['data Invalid']);
    expect(kind.cells(before).slice(1, 3)).toEqual(['statefulset.apps/web', 1]);
  });
});

test('older versions: rollback travels in an annotation, labels of the template serve as selector', () => {
  const deployments = builtInGroups
    .find(({ folder }) => folder === 'apps')
    ?.resources.find(({ plural }) => plural === 'deployments');
  const old = deployments?.versions.find(({ version }) => version === 'v1beta1');
  const object: JsonObject = { metadata: { name: 'a' }, spec: { template, rollbackTo: { revision: 3 } } };
  old?.applyDefaults?.(object as never, contextWith({ version: 'v1beta1' }));
  expect(old?.toStorage?.(object, namingProfiles.orch)).toEqual({
    metadata: {
      name: 'a',
      labels: { app: 'web' },
      annotations: { 'deprecated.deployment.rollback.to': '3' },
    },
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  });
});

test('text of selectors', () => {
  const matchExpressions = [
    { key: 'z', operator: 'NotIn', values: ['b', 'a'] },
    { key: 'a', operator: 'In', values: ['x'] },
    { key: 'c', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ];
  expect(selectorText({ matchLabels: { b: '1' }, matchExpressions })).toBe('a in (x),b=1,c,!d,z notin (a,b)');
  expect(selectorText(undefined)).toBe('');
});
