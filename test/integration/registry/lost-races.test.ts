/** Writes that lose to another writer again and again: how often they are tried, and what the client is told. */
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import type { Storage } from '../../../src/storage/types.ts';
import { configMap, plainDelete, scope, startRegistry, statusOf, verbsOver } from '../../support/registry.ts';
import type { TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;
const maps = scope('configmaps', { namespace: 'races' });

beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: 'races' } });
});

afterAll(() => registry.close());

interface Rival {
  readonly verbs: ResourceVerbs;
  /** Transactions that were sent and lost. */
  lost: number;
}

/** A replica whose writes of an object come, so many times, just after another replica's. */
function beaten(name: string, times: number): Rival {
  const { storage, verbs } = registry;
  const beat = async (): Promise<void> => {
    if (rival.lost >= times) return;
    rival.lost += 1;
    const value = String(rival.lost);
    await verbs.patch(maps, name, (current) => withData(current, { rival: value }));
  };
  const late: Pick<Storage, 'peek' | 'get' | 'update' | 'delete'> = {
    peek: (...asked) => storage.peek(...asked),
    get: (...asked) => storage.get(...asked),
    update: async (...asked) => {
      await beat();
      return storage.update(...asked);
    },
    delete: async (...asked) => {
      await beat();
      return storage.delete(...asked);
    },
  };
  const rival: Rival = { verbs: verbsOver(late as Storage), lost: 0 };
  return rival;
}

function withData(current: JsonObject, data: JsonObject): JsonObject {
  return { ...current, data: { ...(current['data'] as JsonObject | undefined), ...data } };
}

async function dataOf(name: string): Promise<unknown> {
  return entryObject(await registry.verbs.get(maps, name, { resourceVersion: '' }))['data'];
}

test('a patch without a version is tried again from what was there, as long as it takes up to 30 times', async () => {
  await registry.verbs.create(maps, '', configMap('a', { k: '1' }));
  const rival = beaten('a', 29);
  await rival.verbs.patch(maps, 'a', (current) => withData(current, { k: '2' }));
  expect(await dataOf('a')).toEqual({ k: '2', rival: '29' });
});

test('after more conflicts it returns the conflict and writes nothing', async () => {
  await registry.verbs.create(maps, '', configMap('b', { k: '1' }));
  const rival = beaten('b', Infinity);
  const refused = await statusOf(rival.verbs.patch(maps, 'b', (current) => withData(current, { k: '2' })));
  expect([refused.code, refused.status.reason]).toEqual([409, 'Conflict']);
  expect(refused.message).toContain('the object has been modified');
  expect(rival.lost).toBe(31);
  expect(await dataOf('b')).toEqual({ k: '1', rival: '31' });
});

test('a patch that names a version is tried once: the conflict is its answer', async () => {
  await registry.verbs.create(maps, '', configMap('c', { k: '1' }));
  const rival = beaten('c', Infinity);
  const insist = (current: JsonObject): JsonObject => withData(current, { k: '2' });
  const { resourceVersion = '' } = entryObject(
    await registry.verbs.get(maps, 'c', { resourceVersion: '' }),
  ).metadata;
  const named = (current: JsonObject): JsonObject => ({
    ...insist(current),
    metadata: { ...(current['metadata'] as JsonObject), resourceVersion },
  });
  expect((await statusOf(rival.verbs.patch(maps, 'c', named))).code).toBe(409);
  expect(rival.lost).toBe(1);
});

test('a deletion is tried again from what was there, and ends with a conflict as well', async () => {
  await registry.verbs.create(maps, '', configMap('d', { k: '1' }));
  expect(await beaten('d', 5).verbs.delete(maps, 'd', plainDelete)).toMatchObject({ removed: true });
  await registry.verbs.create(maps, '', configMap('d', { k: '1' }));
  const rival = beaten('d', Infinity);
  expect((await statusOf(rival.verbs.delete(maps, 'd', plainDelete))).code).toBe(409);
  expect(rival.lost).toBe(31);
});
