/** The garbage collector on a real registry: background, foreground, orphan, cycles, virtual and foreign owners. */
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { DeleteOptions } from '../../../src/registry/types.ts';
import { waitFor } from '../../support/wait-for.ts';
import { plainDelete, scope } from '../../support/registry.ts';
import { startControllers, type RunningControllers } from './support.ts';

let running: RunningControllers;

beforeAll(async () => {
  running = await startControllers(['garbagecollector']);
});

afterAll(() => running.close());

const verbs = (): RunningControllers['registry']['verbs'] => running.registry.verbs;
const maps = scope('configmaps', { namespace: 'default' });

interface Owner {
  readonly name: string;
  readonly uid: string;
}

async function create(name: string, owners: readonly Owner[] = [], block = true): Promise<Owner> {
  const ownerReferences = owners.map((o) => ({
    ...o,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    blockOwnerDeletion: block,
  }));
  const { entry } = await verbs().create(maps, '', { metadata: { name, ownerReferences } });
  return { name, uid: entryObject(entry).metadata.uid ?? '' };
}

async function exists(name: string): Promise<boolean> {
  return verbs()
    .get(maps, name, { resourceVersion: '' })
    .then(
      () => true,
      () => false,
    );
}

const isGone = async (name: string): Promise<boolean> => !(await exists(name));

const remove = (name: string, propagationPolicy: DeleteOptions['propagationPolicy']): Promise<unknown> =>
  verbs().delete(maps, name, { ...plainDelete, propagationPolicy });

test('background: the owner goes at once, its dependents and theirs follow', async () => {
  const owner = await create('bg');
  const child = await create('bg-child', [owner]);
  await create('bg-grandchild', [child]);
  await remove('bg', 'Background');
  expect(await exists('bg')).toBe(false);
  await waitFor(
    'the dependents to go',
    async () => (await isGone('bg-child')) && (await isGone('bg-grandchild')),
  );
});

test('foreground: the owner waits for its dependents', async () => {
  const owner = await create('fg');
  const child = await create('fg-child', [owner]);
  await create('fg-grandchild', [child]);
  await verbs().patch(maps, 'fg-grandchild', withFinalizers(['example.com/hold']));
  await remove('fg', 'Foreground');
  await waitFor('the grandchild to be marked', async () => {
    const grandchild = entryObject(await verbs().get(maps, 'fg-grandchild', { resourceVersion: '' }));
    return grandchild.metadata.deletionTimestamp != null;
  });
  expect(await exists('fg')).toBe(true);
  await verbs().patch(maps, 'fg-grandchild', withFinalizers([]));
  await waitFor(
    'all to go',
    async () => (await isGone('fg')) && (await isGone('fg-child')) && (await isGone('fg-grandchild')),
  );
});

test('orphan: dependents stay and lose their reference', async () => {
  const owner = await create('or');
  await create('or-child', [owner]);
  await remove('or', 'Orphan');
  await waitFor('the owner to go', () => isGone('or'));
  const child = entryObject(await verbs().get(maps, 'or-child', { resourceVersion: '' }));
  expect(child.metadata.ownerReferences ?? []).toEqual([]);
});

test('an object with one owner left stays and drops the reference to the other', async () => {
  const a = await create('two-a');
  const b = await create('two-b');
  await create('two-child', [a, b]);
  await remove('two-a', 'Background');
  await waitFor('the reference to go', async () => {
    const child = entryObject(await verbs().get(maps, 'two-child', { resourceVersion: '' }));
    return child.metadata.ownerReferences?.length === 1;
  });
  expect(
    entryObject(await verbs().get(maps, 'two-child', { resourceVersion: '' })).metadata.ownerReferences,
  ).toMatchObject([{ uid: b.uid }]);
});

test('an owner that never existed: the dependent goes', async () => {
  await create('ghost-child', [{ name: 'ghost', uid: '00000000-0000-0000-0000-000000000000' }]);
  await waitFor('the dependent to go', () => isGone('ghost-child'));
});

test('the same name with another uid is another object', async () => {
  await create('namesake');
  await create('namesake-child', [{ name: 'namesake', uid: '11111111-0000-0000-0000-000000000000' }]);
  await waitFor('the dependent to go', () => isGone('namesake-child'));
  expect(await exists('namesake')).toBe(true);
});

test('an owner of a kind that is not served does not count as deleted', async () => {
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: '2222' }];
  await verbs().create(maps, '', { metadata: { name: 'foreign', ownerReferences } });
  await create('after-foreign', [{ name: 'ghost', uid: '3333' }]);
  await waitFor('the collector to have passed', () => isGone('after-foreign'));
  expect(await exists('foreign')).toBe(true);
});

test('a cycle that is deleted in the foreground ends', async () => {
  const a = await create('cy-a');
  const b = await create('cy-b', [a]);
  await verbs().patch(maps, 'cy-a', (c) => ({
    ...c,
    metadata: { ...(c['metadata'] as JsonObject), ownerReferences: [reference(b)] },
  }));
  await remove('cy-a', 'Foreground');
  await waitFor('both to go', async () => (await isGone('cy-a')) && (await isGone('cy-b')));
});

test('an object that owns itself, and blocking owners in a circle, are deleted', async () => {
  const own = await create('self');
  const setOwner = (name: string, owner: Owner): Promise<unknown> =>
    verbs().patch(maps, name, (c) => ({
      ...c,
      metadata: { ...(c['metadata'] as JsonObject), ownerReferences: [reference(owner)] },
    }));
  await setOwner('self', own);
  const ring = [await create('ring-0')];
  for (const name of ['ring-1', 'ring-2']) ring.push(await create(name, ring.slice(-1)));
  await setOwner('ring-0', ring[2] as Owner);
  await Promise.all([own, ...ring].map(({ name }) => remove(name, 'Foreground')));
  for (const { name } of [own, ...ring]) await waitFor(`${name} to go`, () => isGone(name));
});

function reference(owner: Owner): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true };
}

function withFinalizers(finalizers: string[]) {
  return (c: JsonObject): JsonObject => ({
    ...c,
    metadata: { ...(c['metadata'] as JsonObject), finalizers },
  });
}
