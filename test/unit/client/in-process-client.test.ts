import type { ApiClient } from '../../../src/controllers/types.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true, verbs: [] };

test('a watch that is stopped during its start is closed', async () => {
  const began = Promise.withResolvers<{ close(): void }>();
  let isClosed = false;
  const verbs = { watch: () => began.promise } as unknown as ResourceVerbs;
  const client = createInProcessClient({
    verbs,
    minorVersion: 21,
    catalogue: () => realCatalogue(namingProfiles.orch).catalogue,
  });
  const stopping = new AbortController();
  const watching = client.watchMetadata(
    pods,
    { resourceVersion: '1', onEvent: () => undefined, onProgress: () => undefined },
    stopping.signal,
  );
  stopping.abort();
  began.resolve({ close: () => (isClosed = true) });
  await within(
    'the watch to end',
    5_000,
    watching.catch(() => undefined),
  );
  expect(isClosed).toBe(true);
});

describe('an informer', () => {
  const { catalogue } = realCatalogue(namingProfiles.orch);
  const listed = Promise.withResolvers<{ entries: []; revision: number }>();
  const opened = Promise.withResolvers<{ close(): void }>();
  const verbs = { list: () => listed.promise, watch: () => opened.promise } as unknown as ResourceVerbs;
  const client = createInProcessClient({ verbs, minorVersion: 21, catalogue: () => catalogue });
  const stopping = new AbortController();
  const of = { resourceVersion: '7', onEvent: () => undefined, onProgress: () => undefined };
  const left = (): string[] => [...client.listing()].map(({ key }) => key);

  test('has work from its first list on, until it watches', async () => {
    const informer = {};
    const listing = client.listMetadata(pods, '', stopping.signal, { informer });
    expect(left()).toEqual(['pods.']);
    listed.resolve({ entries: [], revision: 7 });
    await listing;
    expect(left()).toEqual(['pods.']);
    const watching = client.watchMetadata(pods, { ...of, informer }, stopping.signal);
    opened.resolve({ close: () => undefined });
    await waitFor('the watch to open', () => left().length === 0);
    stopping.abort();
    await watching;
  });

  test('has none while it waits to list again what could not be listed, or watched', async () => {
    const unknown = { ...pods, resource: 'unknown' };
    const informer = {};
    await expect(client.listMetadata(unknown, '', signal, { informer })).rejects.toThrow(/could not find/u);
    expect(left()).toEqual([]);
    await client.listMetadata(pods, '', signal, { informer });
    await expect(client.watchMetadata(unknown, { ...of, informer }, signal)).rejects.toThrow(
      /could not find/u,
    );
    expect(left()).toEqual([]);
  });
});

test('what is served is the same array until it changes', async () => {
  const { catalogue } = realCatalogue(namingProfiles.orch);
  let groups = catalogue.groups();
  const client = createInProcessClient({
    verbs: {} as unknown as ResourceVerbs,
    minorVersion: 21,
    catalogue: () => ({ ...catalogue, groups: () => groups }),
  });
  const before = await client.discover(signal);
  expect(await client.discover(signal)).toBe(before);
  groups = groups.filter(({ group }) => group !== 'batch');
  const after = await client.discover(signal);
  expect(after).toEqual(before.filter(({ group }) => group !== 'batch'));
});

describe('large objects that are read at once', () => {
  afterEach(() => useEventLoop(undefined));

  /** Steps of all of them together, and the most in one turn: a millisecond goes by with each look at the time. */
  function countSteps(): { all: number; most: number } {
    const steps = { all: 0, most: 0 };
    let inTurn = 0;
    const now = (): number => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += 1;
      steps.most = Math.max(steps.most, inTurn);
      return (steps.all += 1);
    };
    useEventLoop({ now, nextTurn: (callback) => void setImmediate(callback) });
    return steps;
  }

  const ownerReferences = Array.from({ length: 10_000 }, (_, i) => {
    const name = `owner-${String(i)}`;
    return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-of-${name}`, controller: false };
  });
  const expected = {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'a', ownerReferences, resourceVersion: '7' },
  };
  const reads: Record<string, (client: ApiClient) => Promise<readonly unknown[]>> = {
    'by name': (client) => Promise.all(Array.from({ length: 8 }, () => client.get(ref, signal))),
    'of a collection': async (client) => {
      const objects: ApiObject[] = [];
      const onItem = (object: ApiObject): void => void objects.push(object);
      await client.eachObject(pods, { namespace: 'n', onItem }, signal);
      return objects;
    },
  };

  test.each(Object.entries(reads))(
    '%s are parsed in several turns, of which they share each',
    async (_, of) => {
      const text = JSON.stringify({
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'a', ownerReferences },
      });
      const entry = newEntry('core/pods', 'n/a', Buffer.from(text), 7);
      const entries = Array.from({ length: 8 }, () => entry);
      const verbs = {
        get: () => Promise.resolve(entry),
        list: () => Promise.resolve({ entries, revision: 7 }),
      };
      const { catalogue } = realCatalogue(namingProfiles.orch);
      const client = createInProcessClient({
        ...{ verbs: verbs as unknown as ResourceVerbs, minorVersion: 21, catalogue: () => catalogue },
      });
      const steps = countSteps();
      const read = await of(client);
      expect(steps.all).toBeGreaterThan(8 * 50);
      // Each looks once before it begins; a slice of 5 ms for each would be 40.
      expect(steps.most).toBeLessThan(16);
      expect(read.length).toBe(8);
      expect(read[7]).toMatchObject(expected);
    },
  );
});

const signal = new AbortController().signal;
const ref = { resource: pods, namespace: 'n', name: 'a' };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const writes: Record<string, (client: ApiClient) => Promise<unknown>> = {
  create: (client) => client.create(pods, 'n', pod, signal),
  replace: (client) => client.update(ref, pod, '', signal),
  patch: (client) => client.patch(ref, {}, signal),
  delete: (client) => client.delete(ref, {}, signal),
  deleteCollection: (client) => client.deleteCollection(pods, 'n', signal),
};

test.each(Object.entries(writes))('%s waits until the definition is read', async (verb, write) => {
  const { catalogue } = realCatalogue(namingProfiles.orch);
  const served = catalogue.resource('', 'v1', 'pods');
  const read = Promise.withResolvers<undefined>();
  const resource = Object.assign(Object.create(served ?? null) as object, { prepare: () => read.promise });
  const begun: string[] = [];
  const note = (name: string) => () => {
    begun.push(name);
    return Promise.reject(new Error('enough'));
  };
  const verbs = Object.fromEntries(Object.keys(writes).map((name) => [name, note(name)]));
  const client = createInProcessClient({
    verbs: verbs as unknown as ResourceVerbs,
    minorVersion: 21,
    catalogue: () => ({ ...catalogue, resource: () => resource as typeof served }),
  });
  const written = write(client).catch((error: unknown) => error);
  await new Promise(setImmediate);
  expect(begun).toEqual([]);
  read.resolve(undefined);
  expect(await written).toEqual(new Error('enough'));
  expect(begun).toEqual([verb]);
});

test('each object of a list is told before the next one is read: there may be a million', async () => {
  let read = 0;
  const entryAt = (i: number): Entry => {
    read += 1;
    const metadata = { name: `p${String(i)}`, namespace: 'n', uid: `u${String(i)}` };
    const text = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata });
    return newEntry('core/pods', `n/p${String(i)}`, Buffer.from(text), i + 1);
  };
  const entries = {
    length: 1_000,
    *[Symbol.iterator]() {
      for (let i = 0; i < this.length; i += 1) yield entryAt(i);
    },
  };
  const { catalogue } = realCatalogue(namingProfiles.orch);
  const verbs = { list: () => Promise.resolve({ entries, revision: 7 }) } as unknown as ResourceVerbs;
  const client = createInProcessClient({ verbs, minorVersion: 21, catalogue: () => catalogue });
  const ahead: number[] = [];
  const names: unknown[] = [];
  const onItem = ({ metadata }: ApiObject): void => {
    names.push(metadata.name);
    ahead.push(read - names.length);
  };
  expect(await client.eachMetadata(pods, { onItem }, signal)).toBe('7');
  expect(names).toEqual(Array.from({ length: 1_000 }, (_, i) => `p${String(i)}`));
  expect(Math.max(...ahead)).toBe(0);
});

test('the newest version is asked for with one object', async () => {
  const limits: number[] = [];
  const list = (_scope: unknown, { limit }: { limit: number }): Promise<unknown> => {
    limits.push(limit);
    return Promise.resolve({ entries: [], revision: 7 });
  };
  const { catalogue } = realCatalogue(namingProfiles.orch);
  const verbs = { list } as unknown as ResourceVerbs;
  const client = createInProcessClient({ verbs, minorVersion: 21, catalogue: () => catalogue });
  expect([await client.newestVersion(pods, {}, signal), limits]).toEqual(['7', [1]]);
});

describe('whole objects of a collection', () => {
  const kilobytes = (i: number): string => `${'x'.repeat(400_000)}${String(i)}`;
  /** As many objects of 400 KB; how often their text was read. */
  function listOf(count: number): { readonly verbs: ResourceVerbs; readonly read: () => number } {
    let read = 0;
    const entryAt = (i: number): Entry => {
      const metadata = { name: `p${String(i)}`, namespace: 'n' };
      const annotated = { ...metadata, annotations: { long: kilobytes(i) } };
      const bytes = Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: annotated }));
      const entry = newEntry('core/pods', `n/p${String(i)}`, bytes, i + 1);
      return Object.defineProperty({ ...entry, size: bytes.length }, 'bytes', {
        get: () => {
          read += 1;
          return bytes;
        },
      });
    };
    const entries = Array.from({ length: count }, (_, i) => entryAt(i));
    const verbs = { list: () => Promise.resolve({ entries, revision: 7 }) } as unknown as ResourceVerbs;
    return { verbs, read: () => read };
  }

  function clientOf(verbs: ResourceVerbs): ApiClient {
    const { catalogue } = realCatalogue(namingProfiles.orch);
    return createInProcessClient({ verbs, minorVersion: 21, catalogue: () => catalogue });
  }

  test('are counted without a look at them', async () => {
    const { verbs, read } = listOf(20);
    expect([await clientOf(verbs).count(pods, 'n', signal), read()]).toEqual([20, 0]);
  });

  test('are given one by one: the next is read when the one before is done with', async () => {
    const { verbs, read } = listOf(20);
    const seen: string[] = [];
    const onItem = async ({ metadata }: ApiObject): Promise<void> => {
      const before = read();
      await new Promise(setImmediate);
      expect(read()).toBe(before);
      seen.push(metadata.name ?? '');
    };
    await clientOf(verbs).eachObject(pods, { namespace: 'n', onItem }, signal);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => `p${String(i)}`));
  });
});
