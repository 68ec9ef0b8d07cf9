/** A storage over several etcd clusters: what goes where, and what one that is away holds up. */
import { divideStorage } from '../../../src/storage/divided-storage.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import { forever } from '../../support/storage.ts';

const events = 'core/events';
const pods = 'core/pods';
const mostRecent = { kind: 'mostRecent' } as const;
const any = { kind: 'any' } as const;

interface Cluster {
  readonly storage: EtcdStorage;
  readonly calls: string[];
  readonly load: () => void;
  awayMs: number;
  problem: string;
}

/** Notes its calls. */
function cluster(name: string, counts: readonly (readonly [string, number])[] = []): Cluster {
  const calls: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const note = (method: string) => (first?: unknown) => {
    calls.push(`${method} ${String(first)}`);
    return { revision: name.length };
  };
  const later = (method: string) => (first: unknown) => Promise.resolve(note(method)(first));
  const self: Cluster = {
    calls,
    load: () => resolve(undefined),
    awayMs: 0,
    problem: '',
    storage: {
      ready: () => promise,
      awayMs: () => self.awayMs,
      ...{ peek: note('peek'), view: note('view'), encryptBy: note('encryptBy') },
      ...{ get: later('get'), snapshot: later('snapshot'), create: later('create') },
      ...{ update: later('update'), delete: later('delete'), close: later('close') },
      revision: () => name.length,
      objectCounts: () => counts,
      encryptionProblem: () => self.problem,
    } as unknown as EtcdStorage,
  };
  return self;
}

let main: Cluster;
let other: Cluster;
let storage: EtcdStorage;

beforeEach(() => {
  main = cluster('main', [
    [pods, 2],
    [events, 7],
  ]);
  other = cluster('another', [
    [pods, 9],
    [events, 3],
  ]);
  storage = divideStorage(main.storage, [
    { collections: [events], storage: other.storage, isOptional: true },
  ]);
});

async function load(): Promise<void> {
  other.load();
  await other.storage.ready();
}

const bytes = Buffer.from('{}');

test('each collection is read and written where it is', async () => {
  await load();
  for (const collection of [pods, events]) {
    await storage.get(collection, 'a', mostRecent, forever);
    await storage.snapshot(collection, any, forever);
    await storage.create(collection, 'a', bytes);
    await storage.update(collection, 'a', bytes, 1);
    await storage.delete(collection, 'a', 1);
    storage.peek(collection, 'a');
    storage.view(collection);
  }
  const methods = ['get', 'snapshot', 'create', 'update', 'delete', 'peek', 'view'];
  expect(main.calls).toEqual(methods.map((method) => `${method} ${pods}`));
  expect(other.calls).toEqual(methods.map((method) => `${method} ${events}`));
  expect([storage.revision(), storage.revision(pods), storage.revision(events)]).toEqual([4, 4, 7]);
});

test('objects are counted where they belong; keys and the end concern all', async () => {
  expect([...storage.objectCounts()]).toEqual([
    [pods, 2],
    [events, 3],
  ]);
  [main.problem, other.problem] = ['a plugin is away', 'a plugin is away'];
  expect(storage.encryptionProblem()).toBe('a plugin is away');
  storage.encryptBy(undefined);
  await storage.close();
  expect(main.calls).toEqual(['encryptBy undefined', 'close undefined']);
  expect(other.calls).toEqual(main.calls);
});

test('until it is loaded nothing is taken for absent', async () => {
  const unavailable = { code: 'unavailable' };
  expect(() => storage.peek(events, 'a')).toThrow('not loaded');
  expect(() => storage.view(events)).toThrow('not loaded');
  await expect(storage.get(events, 'a', any, forever)).rejects.toMatchObject(unavailable);
  await expect(storage.create(events, 'a', bytes)).rejects.toMatchObject(unavailable);
  await storage.create(pods, 'a', bytes);
  await load();
  await storage.get(events, 'a', any, forever);
  expect(other.calls).toEqual([`get ${events}`]);
});

test('calls to a cluster that stays away fail at once; what is in memory is read', async () => {
  await load();
  const update = (): Promise<unknown> => storage.update(events, 'a', bytes, 1);
  other.awayMs = 900;
  await update();
  other.awayMs = 1_100;
  await expect(update()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(storage.get(events, 'a', mostRecent, forever)).rejects.toThrow('is away');
  await storage.get(events, 'a', any, forever);
  await storage.update(pods, 'a', bytes, 1);
  other.awayMs = 0;
  await update();
  expect(other.calls).toEqual([`update ${events}`, `get ${events}`, `update ${events}`]);
});

test('serving waits for clusters with objects that other requests need', async () => {
  const needed = cluster('needed');
  storage = divideStorage(main.storage, [
    { collections: [events], storage: other.storage, isOptional: true },
    { collections: ['core/limitranges'], storage: needed.storage, isOptional: false },
  ]);
  let isReady = false;
  const ready = storage.ready().then(() => {
    isReady = true;
  });
  // As of the primary storage: nothing is served yet.
  storage.view('core/limitranges');
  main.load();
  await main.storage.ready();
  expect(isReady).toBe(false);
  needed.load();
  await ready;
});

test('without overrides there is nothing between', () => {
  expect(divideStorage(main.storage, [])).toBe(main.storage);
});
