import type { JsonObject } from '../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../support/kind.ts';

const meta: JsonObject = { name: 'a', namespace: 'default' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('Namespace', () => {
  const kind = new Kind('namespaces');
  const minimal: JsonObject = { metadata: { name: 'team' } };
  testErrors(kind, minimal, [
    ['metadata.name', 'a.b', 'metadata.name Invalid'],
    ['metadata.namespace', 'x', 'metadata.namespace Forbidden'],
    ['spec.finalizers', ['mine'], 'spec.finalizers[0] Invalid'],
    ['spec.finalizers', ['example.com/x']],
  ]);
  const before = kind.created(minimal);

  test('it is active, held by a finalizer and labelled with its name', () => {
    expect(before).toMatchObject({
      metadata: { labels: { 'orch.io/metadata.name': 'team' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  test('the label is forced, and absent without its gate', () => {
    const sent = withValue(minimal, 'metadata.labels', { 'orch.io/metadata.name': 'other' });
    expect(kind.updated(before, sent).metadata.labels).toEqual({ 'orch.io/metadata.name': 'team' });
    const ungated = new Kind('namespaces', contextWith({ off: ['NamespaceDefaultLabelName'] }));
    expect(ungated.created(minimal).metadata.labels).toBeUndefined();
  });

  test('only finalize changes finalizers', () => {
    const sent = { ...minimal, spec: { finalizers: [] }, status: { phase: 'Terminating' } };
    expect(kind.updated(before, sent)).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(kind.updated(before, sent, 'finalize')).toMatchObject({ spec: {}, status: { phase: 'Active' } });
    expect(kind.updated(before, sent, 'finalize')['spec']).toEqual({});
  });

  test('the phase follows the deletion', () => {
    const status = { ...minimal, status: { phase: 'Terminating' } };
    expect(brief(kind.updateErrors(before, status, 'status'))).toEqual(['status.phase Invalid']);
  });
});

describe('ConfigMap', () => {
  const kind = new Kind('configmaps');
  const minimal: JsonObject = { metadata: meta, data: { key: 'value' } };
  testErrors(kind, minimal, [
    ['data', { 'a/b': '' }, 'data[a/b] Invalid'],
    ['binaryData', { key: base64('x') }, 'data[key] Invalid'],
    ['binaryData', { '..x': base64('x') }, 'binaryData[..x] Invalid'],
    ['data', { big: 'x'.repeat(1024 * 1024 + 1) }, 'data TooLong'],
  ]);

  test('immutable seals it', () => {
    const sealed = kind.created({ ...minimal, immutable: true });
    const changed = { ...minimal, data: { key: 'other' }, binaryData: { b: base64('x') } };
    expect(brief(kind.updateErrors(sealed, changed))).toEqual([
      'binaryData Forbidden',
      'data Forbidden',
      'immutable Forbidden',
    ]);
    expect(
      kind.updateErrors(sealed, withValue({ ...minimal, immutable: true }, 'metadata.labels', { a: 'b' })),
    ).toEqual([]);
  });
});

describe('Secret', () => {
  const kind = new Kind('secrets');
  const minimal: JsonObject = { metadata: meta };
  const typed = (type: string, data: Record<string, string> = {}): string[] =>
    brief(kind.createErrors({ ...minimal, type, data }));
  testErrors(kind, minimal, [['data', { 'a b': base64('x') }, 'data[a b] Invalid']]);

  test('types prescribe their keys', () => {
    expect(typed('orch.io/dockercfg')).toEqual(['data[.dockercfg] Required']);
    expect(typed('orch.io/dockerconfigjson', { '.dockerconfigjson': base64('{') })).toEqual([
      'data[.dockerconfigjson] Invalid',
    ]);
    expect(typed('orch.io/dockerconfigjson', { '.dockerconfigjson': base64('{}') })).toEqual([]);
    expect(typed('orch.io/basic-auth')).toEqual(['data[password] Required', 'data[username] Required']);
    expect(typed('orch.io/basic-auth', { password: '' })).toEqual([]);
    expect(typed('orch.io/ssh-auth', { 'ssh-privatekey': '' })).toEqual(['data[ssh-privatekey] Required']);
    expect(typed('orch.io/tls', { 'tls.crt': '' })).toEqual(['data[tls.key] Required']);
    expect(typed('orch.io/service-account-token')).toEqual([
      'metadata.annotations[orch.io/service-account.name] Required',
    ]);
    expect(typed('example.com/any')).toEqual([]);
    expect(typed('orch.io/constructor')).toEqual([]);
  });

  test('errors do not contain the data', () => {
    const errors = kind.createErrors({
      ...minimal,
      type: 'orch.io/dockercfg',
      data: { '.dockercfg': base64('hush') },
    });
    expect(JSON.stringify(errors)).not.toMatch(/hush|aHVzaA/);
  });

  test('stringData becomes data and is not kept', () => {
    const secret = kind.created({
      ...minimal,
      data: { a: base64('old'), b: base64('b') },
      stringData: { a: 'new', ü: 'é' },
    });
    expect(secret).toMatchObject({
      type: 'Opaque',
      data: { a: base64('new'), b: base64('b'), ü: base64('é') },
    });
    expect(secret).not.toHaveProperty('stringData');
  });

  test('the type stays', () => {
    const before = kind.created({ ...minimal, type: 'example.com/x' });
    expect(kind.updateErrors(before, { ...minimal, type: 'example.com/x' })).toEqual([]);
    expect(brief(kind.updateErrors(before, { ...minimal, type: 'example.com/y' }))).toEqual(['type Invalid']);
  });

  test('immutable seals it', () => {
    const sealed = kind.created({ ...minimal, immutable: true, data: { a: base64('a') } });
    expect(brief(kind.updateErrors(sealed, { ...minimal, immutable: true, data: {} }))).toEqual([
      'data Forbidden',
    ]);
  });
});

describe('ServiceAccount', () => {
  const kind = new Kind('serviceaccounts');
  testErrors(kind, { metadata: meta }, [['metadata.name', 'A', 'metadata.name Invalid']]);

  test('of a secret only its name is kept', () => {
    const account = kind.created({ metadata: meta, secrets: [{ name: 's', namespace: 'other', uid: 'u' }] });
    expect(account['secrets']).toEqual([{ name: 's' }]);
  });
});

describe('LimitRange', () => {
  const kind = new Kind('limitranges');
  const minimal: JsonObject = {
    metadata: meta,
    spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '1' } }] },
  };
  const item = 'spec.limits[0]';
  testErrors(kind, minimal, [
    ['spec.limits.0.type', '', `${item}.type Required`],
    ['spec.limits.1', { type: 'Container' }, 'spec.limits[1].type Duplicate'],
    ['spec.limits.0', { type: 'Pod', default: { cpu: '1' } }, `${item}.default Forbidden`],
    ['spec.limits.0', { type: 'PersistentVolumeClaim' }, `${item} Required`],
    ['spec.limits.0', { type: 'Pod', max: { cpu: '1' }, min: { cpu: '2' } }, `${item}.min[cpu] Invalid`],
    [
      'spec.limits.0',
      { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } },
      `${item}.maxLimitRequestRatio[cpu] Invalid`,
    ],
    ['spec.limits.0', { type: 'Pod', max: { 'a b': '1' } }, `${item}.max[a b] Invalid`],
  ]);

  test('bounds serve as defaults of containers', () => {
    expect(kind.created(minimal)).toMatchObject({
      spec: { limits: [{ default: { cpu: '2' }, defaultRequest: { cpu: '2' } }] },
    });
  });
});

describe('ResourceQuota', () => {
  const kind = new Kind('resourcequotas');
  const minimal: JsonObject = { metadata: meta, spec: { hard: { pods: '3' } } };
  testErrors(kind, minimal, [
    ['spec.hard', { 'requests.cpu': '1', 'count/jobs.batch': '2' }],
    ['spec.hard', { nonsense: '1' }, 'spec.hard[nonsense] Invalid'],
    ['spec.hard', { pods: '1500m' }, 'spec.hard[pods] Invalid'],
    ['spec.hard', { cpu: '-1' }, 'spec.hard[cpu] Invalid'],
    ['spec.scopes', ['BestEffort', 'NotBestEffort'], 'spec.scopes Invalid'],
    ['spec.scopes', ['Sometimes'], 'spec.scopes[0] NotSupported'],
    ['spec.scopes', ['CrossNamespacePodAffinity'], 'spec.scopes[0] Invalid'],
    [
      'spec.scopeSelector',
      { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] },
      'spec.scopeSelector.matchExpressions[0].scopeName Invalid',
    ],
    [
      'spec.scopeSelector',
      {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'In' },
          { scopeName: 'BestEffort', operator: 'Exists', values: ['x'] },
        ],
      },
      'spec.scopeSelector.matchExpressions[0].values Required',
      'spec.scopeSelector.matchExpressions[1].values Invalid',
    ],
  ]);

  test('a scope of pods that look at other namespaces, with its gate', () => {
    const gated = new Kind('resourcequotas', contextWith({ on: ['PodAffinityNamespaceSelector'] }));
    const abroad = withValue(minimal, 'spec.scopes', ['CrossNamespacePodAffinity']);
    expect(gated.createErrors(abroad)).toEqual([]);
    const maps = withValue(abroad, 'spec.hard', { configmaps: '1' });
    expect(brief(gated.createErrors(maps))).toEqual(['spec.scopes Invalid']);
  });

  test('scopes stay, as a set', () => {
    const before = kind.created(withValue(minimal, 'spec.scopes', ['Terminating', 'NotBestEffort']));
    expect(
      kind.updateErrors(before, withValue(minimal, 'spec.scopes', ['NotBestEffort', 'Terminating'])),
    ).toEqual([]);
    expect(brief(kind.updateErrors(before, minimal))).toEqual(['spec.scopes Invalid']);
  });
});
