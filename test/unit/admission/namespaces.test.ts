/** NamespaceLifecycle and LimitRanger: what may be made in a namespace, and how large. */
import type { AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
import { createLimitRanger } from '../../../src/admission/limit-ranger.ts';
import { createNamespaceLifecycle } from '../../../src/admission/namespace-lifecycle.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

const ending = { metadata: { name: 'ending', deletionTimestamp: '2024-01-01T00:00:00Z' } };
const known = readerOf({
  'core/namespaces/web': { metadata: { name: 'web' } },
  'core/namespaces/ending': ending,
});
const lifecycle = createNamespaceLifecycle({
  peek: (name): ApiObject | undefined => known.peek('core/namespaces', name),
  read: (name, signal) => known.read('core/namespaces', name, signal),
});

const review = 'authorization.orch.io/v1/localsubjectaccessreviews';
const stays = '403 this namespace may not be deleted';
const ends = '403 unable to create new content in namespace ending because it is being terminated';

test.each<readonly [string, Write, string]>([
  ['something new', { resource: 'configmaps', object: {} }, ''],
  [
    'something new where nothing is',
    { resource: 'configmaps', namespace: 'none', object: {} },
    '404 namespaces "none" not found',
  ],
  ['something new where all ends', { resource: 'configmaps', namespace: 'ending', object: {} }, ends],
  [
    'a change where all ends',
    { operation: 'UPDATE', resource: 'configmaps', namespace: 'ending', object: {}, oldObject: {} },
    '',
  ],
  [
    'a deletion where all ends',
    { operation: 'DELETE', resource: 'configmaps', namespace: 'ending', oldObject: {} },
    '',
  ],
  ['a question about where nothing is', { resource: review, namespace: 'none', object: {} }, ''],
  ['an object of the cluster', { resource: 'nodes', object: {} }, ''],
  ['the end of a namespace', { operation: 'DELETE', resource: 'namespaces', name: 'web', oldObject: {} }, ''],
  [
    'the end of default',
    { operation: 'DELETE', resource: 'namespaces', name: 'default', oldObject: {} },
    stays,
  ],
  [
    'the end of orch-system',
    { operation: 'DELETE', resource: 'namespaces', name: 'orch-system', oldObject: {} },
    stays,
  ],
  [
    'the end of orch-public',
    { operation: 'DELETE', resource: 'namespaces', name: 'orch-public', oldObject: {} },
    stays,
  ],
])('NamespaceLifecycle: %s', async (_what, write, outcome) => {
  expect(await outcomeOf(lifecycle, attributesOf(write))).toBe(outcome);
});

const limits = [
  {
    type: 'Container',
    default: { cpu: '500m' },
    defaultRequest: { cpu: '100m' },
    max: { cpu: '1' },
    min: { cpu: '50m' },
  },
  { type: 'Pod', max: { cpu: '1500m' } },
  { type: 'PersistentVolumeClaim', max: { storage: '10Gi' }, min: { storage: '1Gi' } },
];
const ranger = createLimitRanger(
  readerOf({ 'core/limitranges/web/all': { metadata: { name: 'all' }, spec: { limits } } }),
  naming,
);

function podOf(...cpus: string[]): Write {
  const containers = cpus.map((cpu, i) => ({
    name: `c${String(i)}`,
    ...(cpu !== '' && { resources: { limits: { cpu }, requests: { cpu } } }),
  }));
  return { resource: 'pods', object: { spec: { containers } } };
}

function claimOf(storage: string): Write {
  return { resource: 'persistentvolumeclaims', object: { spec: { resources: { requests: { storage } } } } };
}

test.each<readonly [string, Write, string]>([
  ['a pod that says nothing', podOf(''), ''],
  ['a pod that fits', podOf('1', '500m'), ''],
  [
    'a container that is too large',
    podOf('1200m'),
    '403 maximum cpu usage per Container is 1, but limit is 1200m',
  ],
  [
    'a container that is too small',
    podOf('10m'),
    '403 minimum cpu usage per Container is 50m, but request is 10m',
  ],
  [
    'a pod that is too large as a whole',
    podOf('1', '1'),
    '403 maximum cpu usage per Pod is 1500m, but limit is 2',
  ],
  ['a pod elsewhere', { ...podOf('8'), namespace: 'api' }, ''],
  ['a claim that fits', claimOf('5Gi'), ''],
  [
    'a claim that is too large',
    claimOf('11Gi'),
    '403 maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi',
  ],
  [
    'a claim that is too small',
    claimOf('1Mi'),
    '403 minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
  ],
])('LimitRanger: %s', async (_what, write, outcome) => {
  expect(await outcomeOf(ranger, attributesOf(write))).toBe(outcome);
});

/** Ranges of so many bounds. */
function rangerOf(ranges: number, bounds: number): AdmissionPlugin {
  const max = Object.fromEntries(Array.from({ length: bounds }, (_, i) => [`a.test/r${String(i)}`, '5']));
  const spec = { limits: [{ type: 'Container', max, default: max }] };
  const names = Array.from({ length: ranges }, (_, i) => `core/limitranges/web/r${String(i)}`);
  const reader = readerOf(Object.fromEntries(names.map((name) => [name, { metadata: { name }, spec }])));
  return createLimitRanger(reader, naming);
}

/** Whether the plugin moves a write elsewhere. */
function moves(plugin: AdmissionPlugin, write: Write, growth: 'moves' | 'stays' = 'moves'): boolean {
  const attributes = attributesOf(write);
  try {
    void plugin.admit?.(
      { ...attributes, scope: { ...attributes.scope, growth } },
      { isReinvocation: false, requestReinvocation: () => undefined },
    );
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(GrownWrite);
    return true;
  }
}

test('LimitRanger: writes with very much to compare move to where large ones are carried out', () => {
  const many = podOf(...Array<string>(100).fill(''));
  expect(moves(rangerOf(30, 60), many)).toBe(true);
  expect(moves(rangerOf(30, 60), many, 'stays')).toBe(false);
  // However many ranges there are, the tightest bound of each resource is compared.
  expect(moves(rangerOf(300, 10), many)).toBe(false);
  expect(moves(rangerOf(30, 60), podOf('', ''))).toBe(false);
});

/** Ranges of containers, each by its name. */
function rangesOf(...items: readonly object[]): AdmissionPlugin {
  const named = items.map((item, i): [string, object] => {
    const name = `range-${String(i).padStart(5, '0')}`;
    const spec = { limits: [{ type: 'Container', ...item }] };
    return [`core/limitranges/web/${name}`, { metadata: { name }, spec }];
  });
  return createLimitRanger(readerOf(Object.fromEntries(named)), naming);
}

test('LimitRanger: the first range by name that has a default sets it', async () => {
  const ranges = rangesOf(
    { default: { cpu: '1' } },
    { default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '3' } },
    { default: { memory: '2Gi' }, defaultRequest: { cpu: '4' } },
  );
  const attributes = attributesOf(podOf(''));
  expect(await outcomeOf(ranges, attributes)).toBe('');
  expect(attributes.object?.['spec']).toEqual({
    containers: [{ name: 'c0', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '3' } } }],
  });
});

test.each([
  [['max', '4', '3', '2', '5'], 'maximum', '2500m', '2, but limit is 2500m'],
  [['max', '2', '3', '1'], 'maximum', '2500m', '2, but limit is 2500m'],
  [['min', '1', '2', '3', '1'], 'minimum', '1500m', '2, but request is 1500m'],
  [['min', '2', '1', '2'], 'minimum', '500m', '2, but request is 500m'],
])(
  'LimitRanger: of the bounds %j the first violated one is named',
  async ([list = '', ...bounds], word, cpu, said) => {
    const ranges = rangesOf(...bounds.map((bound) => ({ [list]: { cpu: bound } })));
    expect(await outcomeOf(ranges, attributesOf(podOf('2', cpu)))).toBe(
      `403 ${word} cpu usage per Container is ${said}`,
    );
  },
);

test('LimitRanger: of one range all violations are named, and none of others', async () => {
  const ranges = rangesOf(
    { max: { cpu: '8' } },
    { max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '0.5' } },
    { max: { cpu: '500m' } },
  );
  expect(await outcomeOf(ranges, attributesOf(podOf('2')))).toBe(
    '403 [maximum cpu usage per Container is 1, but limit is 2, ' +
      'cpu max limit to request ratio per Container is 500m, but provided ratio is 1.000000]',
  );
});
