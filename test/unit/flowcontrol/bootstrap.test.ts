import { bootstrapObjects } from '../../../src/flowcontrol/bootstrap-configuration.ts';
import { withDangling } from '../../../src/flowcontrol/dangling.ts';
import { bootstrapManager, reconcileFlowObject } from '../../../src/flowcontrol/reconcile-flow-object.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { objects } from '../../support/flow-control.ts';

const annotation = 'apf/autoupdate';
const find = (name: string) =>
  objects.find((object) => object.plural === 'prioritylevelconfigurations' && object.name === name)!;
const [suggested, mandatory] = [find('workload-low'), find('catch-all')];

/** A stored level with another number of shares than the beginning gave, or the same. */
function stored(of: typeof suggested, shares: number, metadata: object = {}): ApiObject {
  const spec = structuredClone(of.spec) as { limited: { assuredConcurrencyShares: number } };
  spec.limited.assuredConcurrencyShares = shares;
  return { apiVersion: 'v', kind: 'k', metadata: { name: of.name, labels: { a: 'b' }, ...metadata }, spec };
}

function outcome(object: ApiObject, wanted = suggested): unknown {
  const next = reconcileFlowObject(object, wanted, annotation);
  if (!next) return undefined;
  expect(next.metadata).toEqual(object.metadata);
  return (next['spec'] as { limited: { assuredConcurrencyShares: number } }).limited.assuredConcurrencyShares;
}

const saying = (said: string): object => ({ annotations: { [annotation]: said } });
const writtenBy = (...managers: string[]): object => ({
  managedFields: managers.map((manager) => ({ manager, fieldsV1: { 'f:spec': {} } })),
});

test('an object that is as it was made stays', () => {
  expect(outcome(stored(suggested, 100, { generation: 1 }))).toBeUndefined();
});

test('a suggested object is what its annotation says', () => {
  expect(outcome(stored(suggested, 7, { generation: 3, ...saying('true') }))).toBe(100);
  expect(outcome(stored(suggested, 7, { generation: 1, ...saying('false') }))).toBeUndefined();
});

test('without the annotation it follows the release until a user changes it', () => {
  expect(outcome(stored(suggested, 7, { generation: 1, ...writtenBy('any') }))).toBe(100);
  expect(outcome(stored(suggested, 7, { generation: 2, ...writtenBy(bootstrapManager) }))).toBe(100);
  expect(
    outcome(stored(suggested, 7, { generation: 2, ...writtenBy(bootstrapManager, 'ann') })),
  ).toBeUndefined();
  expect(outcome(stored(suggested, 7, { generation: 2, ...saying('perhaps') }))).toBeUndefined();
});

test('a mandatory object is always what it is', () => {
  expect(outcome(stored(mandatory, 9, { generation: 2, ...saying('false') }), mandatory)).toBe(5);
});

test('the condition tells whether the level is there, keeps others and the time of the last change', () => {
  const other = { type: 'Other', status: 'True' };
  const missing = withDangling([other], { name: 'x', exists: false }, 't1');
  expect(missing).toEqual([
    other,
    expect.objectContaining({
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      lastTransitionTime: 't1',
    }),
  ]);
  expect(withDangling(missing!, { name: 'x', exists: false }, 't2')).toBeUndefined();
  const renamed = withDangling(missing!, { name: 'y', exists: false }, 't2');
  expect(renamed?.[1]).toMatchObject({ lastTransitionTime: 't1' });
  expect(renamed?.[1]?.message).toContain('"y"');
  expect(withDangling(missing!, { name: 'x', exists: true }, 't3')?.[1]).toMatchObject({
    ...{ status: 'False', reason: 'Found', lastTransitionTime: 't3' },
  });
});

describe('the objects of a release', () => {
  const objectsAt = (minor: number) => bootstrapObjects(namingProfiles.kubernetes, { major: 1, minor });
  const namesAt = (minor: number) => objectsAt(minor).map(({ name }) => name);
  const specAt = (minor: number, name: string): unknown =>
    objectsAt(minor).find((object) => object.name === name && object.plural !== 'flowschemas')?.spec;

  test('nodes have a level of their own from release 1.22 on', () => {
    expect(namesAt(21)).not.toContain('node-high');
    expect(namesAt(21)).not.toContain('system-node-high');
    expect(namesAt(22)).toEqual(expect.arrayContaining(['node-high', 'system-node-high']));
  });

  test('elections by endpoints go', () => {
    expect(namesAt(23)).not.toContain('endpoint-controller');
    for (const name of ['endpoint-controller', 'workload-leader-election']) {
      expect(namesAt(24)).toContain(name);
      expect(namesAt(33)).toContain(name);
      expect(namesAt(34)).not.toContain(name);
    }
    const election = (minor: number): string =>
      JSON.stringify(objectsAt(minor).find(({ name }) => name === 'system-leader-election'));
    expect(election(23)).toContain('configmaps');
    expect(election(24)).not.toContain('configmaps');
  });

  test('levels lend from release 1.26 on, and the exempt one has a share from 1.28 on', () => {
    expect(specAt(25, 'workload-low')).not.toHaveProperty('limited.lendablePercent');
    expect(specAt(26, 'workload-low')).toHaveProperty('limited.lendablePercent', 90);
    expect(specAt(26, 'catch-all')).toHaveProperty('limited.lendablePercent', 0);
    expect(specAt(27, 'exempt')).toEqual({ type: 'Exempt' });
    const share = { nominalConcurrencyShares: 0, lendablePercent: 0 };
    expect(specAt(28, 'exempt')).toEqual({ type: 'Exempt', exempt: share });
  });

  test('administrators choose the share of exempt requests', () => {
    const wanted = objectsAt(28).find(({ name, plural }) => name === 'exempt' && plural !== 'flowschemas')!;
    const spec = { type: 'Exempt', exempt: { nominalConcurrencyShares: 7, lendablePercent: 0 } };
    const existing = { apiVersion: 'v', kind: 'k', metadata: { name: 'exempt' }, spec };
    expect(reconcileFlowObject(existing, wanted, annotation)).toBeUndefined();
  });
});
