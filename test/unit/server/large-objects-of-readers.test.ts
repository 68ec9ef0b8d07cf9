/** Readers of stored objects beside the verbs: large ones are parsed in slices, once for all who ask at the same time. */
import type { ReinvocationContext } from '../../../src/admission/admission-chain.ts';
import { createNamespaceLifecycle, namespacesIn } from '../../../src/admission/namespace-lifecycle.ts';
import { find } from '../../../src/admission/object-reader.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { AdmissionAttributes } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { createStorageReader } from '../../../src/server/admission/storage-reader.ts';
import { createBootstrapSecrets } from '../../../src/server/authentication/bootstrap-secrets.ts';
import { createTokenObjects } from '../../../src/server/authentication/stored-token-objects.ts';
import type { CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';

const secrets = Array.from({ length: 30_000 }, (_, i) => ({ name: `secret-${String(i)}` }));
const object = { kind: 'Any', apiVersion: 'v1', metadata: { name: 'a', uid: 'u' }, secrets };
const bytes = Buffer.from(JSON.stringify({ ...object, type: 'bootstrap', data: { 'token-id': 'YQ==' } }));
const { signal } = new AbortController();

/** Storage with one revision of one object. */
function storageOf(entry: Entry): Storage {
  return {
    peek: () => entry,
    get: () => Promise.resolve(entry),
    view: () => ({ entries: () => [entry] }) as unknown as CollectionSnapshot,
  } as unknown as Storage;
}

/** How much text is parsed in one step, at most and in all. */
async function parsedBy(
  work: (storage: Storage) => Promise<unknown>,
): Promise<{ most: number; all: number }> {
  const lengths: number[] = [];
  const { parse } = JSON;
  const spy = jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    lengths.push(text.length);
    return parse(text, reviver) as unknown;
  });
  try {
    await work(storageOf(newEntry('core/any', 'n/a', bytes, 7)));
  } finally {
    spy.mockRestore();
  }
  return { most: Math.max(...lengths), all: lengths.reduce((sum, length) => sum + length, 0) };
}

const eight = <T>(read: () => T): Promise<Awaited<T>[]> => Promise.all(Array.from({ length: 8 }, read));

test.each<[string, (storage: Storage) => Promise<unknown>]>([
  [
    'accounts of tokens',
    async (storage) => {
      const objects = createTokenObjects(storage, systemClock);
      expect(objects.peek('ServiceAccount', 'n/a')).toBeUndefined();
      const [first] = await eight(() => objects.read('ServiceAccount', 'n/a'));
      expect([first?.uid, first?.secrets?.size]).toEqual(['u', 30_000]);
      expect(objects.peek('ServiceAccount', 'n/a')).toBe(first);
    },
  ],
  [
    'bootstrap tokens',
    async (storage) => {
      const all = createBootstrapSecrets(storage, namingProfiles.kubernetes, systemClock);
      // The storage was asked a moment ago, but what it said is not read yet.
      const first = all.read('a');
      expect(all.seen('a')).toBeUndefined();
      expect((await first)?.data).toEqual(new Map([['token-id', 'a']]));
      expect(all.seen('a')?.secret).toBe(await first);
    },
  ],
  [
    'what admission looks for',
    async (storage) => {
      const reader = createStorageReader(storage);
      const found = await eight(() => find(reader, 'core/any', 'n/a', signal));
      expect(found[0]?.metadata).toEqual({ name: 'a', uid: 'u', resourceVersion: '7' });
      expect(new Set(found).size).toBe(1);
    },
  ],
  [
    'namespaces of writes',
    async (storage) => {
      const plugin = createNamespaceLifecycle(namespacesIn(createStorageReader(storage)));
      const resource = { namespaced: true, gvr: { group: '', version: 'v1', resource: 'pods' } };
      const scope = { resource, namespace: 'a', subresource: '', signal };
      const attributes = { operation: 'CREATE', scope } as unknown as AdmissionAttributes;
      await eight(() => plugin.admit?.(attributes, { isReinvocation: false } as ReinvocationContext));
    },
  ],
  [
    'what admission reads past the view',
    async (storage) => {
      const reader = createStorageReader(storage);
      expect(new Set(await eight(() => reader.read('core/any', 'n/a', signal))).size).toBe(1);
    },
  ],
  [
    'lists of admission',
    async (storage) => {
      const reader = createStorageReader(storage);
      const lists = await eight(() => reader.listInSlices?.('core/any', 'n/'));
      expect(new Set(lists.flat()).size).toBe(1);
    },
  ],
])('%s', async (_what, work) => {
  const { most, all } = await parsedBy(work);
  expect(most).toBeLessThan(64 * 1024);
  expect(all).toBeLessThan(1.2 * bytes.length);
});
