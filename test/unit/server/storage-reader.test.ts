/** What admission reads is parsed once for each revision of an object. */
import { encodeStored } from '../../../src/codec/stored.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { createStorageReader } from '../../../src/server/admission/storage-reader.ts';
import type { CollectionSnapshot, Entry } from '../../../src/storage/types.ts';

function entryOf(revision: number): Entry {
  const bytes = encodeStored({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a' } });
  return newEntry('core/namespaces', 'a', bytes, revision);
}

test('one entry is one object, until another revision is there', async () => {
  let entry = entryOf(5);
  const reader = createStorageReader({
    peek: () => entry,
    get: () => Promise.resolve(entry),
    view: () => ({ entries: () => [entry] }) as unknown as CollectionSnapshot,
  });
  const peek = (): unknown => reader.peek('core/namespaces', 'a');
  const seen = peek();
  expect(seen).toMatchObject({ metadata: { name: 'a', resourceVersion: '5' } });
  expect(peek()).toBe(seen);
  expect(await reader.read('core/namespaces', 'a', AbortSignal.timeout(1000))).toBe(seen);
  expect(reader.list('core/namespaces', '')).toEqual([seen]);
  entry = entryOf(6);
  expect(peek()).toMatchObject({ metadata: { resourceVersion: '6' } });
});
