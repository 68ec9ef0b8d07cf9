/** What a storage tells of its objects, and what the other side makes of it. */
import { listSlices, itemHeadOf } from '../../../../src/codec/list-page.ts';
import { isInOldForm, type FedEvent } from '../../../../src/storage/feed/feed-messages.ts';
import { FedEntries, keyValueOf } from '../../../../src/storage/feed/fed-entries.ts';
import { partsOf, toldParts, unreadablePart } from '../../../../src/storage/feed/state-parts.ts';
import type { Entry } from '../../../../src/storage/types.ts';
import { UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';

const collection = 'core/configmaps';
const head = itemHeadOf({ kind: 'ConfigMap', apiVersion: 'v1' });

/** Names of forms that a write would renew. */
let stale: string[] = [];
const fedEntries = new FedEntries({
  formNamed: (of, name) => ({
    name,
    get isStale() {
      return of === collection && stale.includes(name);
    },
  }),
});
afterEach(() => {
  stale = [];
});

function stored(index: number, bytes: number, isRecoded = false): StoredEntry {
  const name = `object-${String(index).padStart(5, '0')}`;
  const text = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"},"data":{"x":"${'x'.repeat(bytes)}"}}`;
  return new StoredEntry({
    ...{ collection, key: `ns/${name}`, modRevision: 100 + index, mark: -index - 1, isRecoded },
    bytes: Buffer.from(Buffer.from(text)),
  });
}

/** As they arrive: through a message, which keeps shared memory shared. */
function received(entries: readonly Entry[], hasHead = true): (StoredEntry | UnreadableEntry)[] {
  return [...partsOf(collection, entries, hasHead ? head : undefined)].flatMap((part) => {
    const told = structuredClone(part);
    if (told.kind === 'pack') return [...fedEntries.entriesOf(collection, told.pack)];
    return told.objects.map((object) => fedEntries.entryOf(collection, object));
  });
}

function all(entry: Entry | UnreadableEntry): readonly unknown[] {
  if (entry instanceof UnreadableEntry) return [entry.key, entry.modRevision, entry.problem];
  const { key, modRevision, mark, isRecoded, bytes, size } = entry;
  return [entry.collection, key, modRevision, mark, isRecoded, bytes.toString(), size];
}

test.each([10, 2_000, 30_000])('objects of %i bytes arrive as they are', (bytes) => {
  const entries = Array.from({ length: 200 }, (_none, i) => stored(i, bytes, i % 3 === 0));
  const before = entries.map(all);
  expect(received(entries).map(all)).toEqual(before);
  // What tells them keeps them, too.
  expect(entries.map(all)).toEqual(before);
});

test('texts that are no objects, and collections of few bytes, arrive as they are', () => {
  const claim = new StoredEntry({
    ...{ collection: 'ranges/x', key: 'a', modRevision: 1, mark: 0 },
    bytes: Buffer.from('"holder"'),
  });
  expect(received([claim], false).map(all)).toEqual([['core/configmaps', 'a', 1, 0, false, '"holder"', 8]]);
  expect(received([stored(1, 5)]).map(all)).toEqual([stored(1, 5)].map(all));
});

test('a second storage is told the same memory, and gaps of what has changed are none of its business', () => {
  const entries = Array.from({ length: 300 }, (_none, i) => stored(i, 3_000));
  received(entries);
  const packed = entries.map(({ pack }) => pack?.memory.buffer);
  entries[150]?.pass();
  entries[150] = stored(150, 40);
  const again = received(entries);
  expect(again.map(all)).toEqual(entries.map(all));
  // No text was written again but that of the new one.
  expect(entries.filter(({ pack }, i) => pack?.memory.buffer !== packed[i])).toEqual([entries[150]]);
});

test('a list of what was told is sent as it lies there, and is not kept once more', () => {
  const entries = Array.from({ length: 300 }, (_none, i) => stored(i, 3_000));
  const told = received(entries) as StoredEntry[];
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', resourceVersion: '9', itemHead: head };
  let copied = 0;
  const allocate = (size: number): Buffer => {
    copied += size;
    return Buffer.alloc(size);
  };
  const text = (of: readonly StoredEntry[]): string =>
    Buffer.concat([...listSlices(list, of, { bytes: 65_536, allocate })]).toString();
  const [first, second] = [text(told), text(told)];
  expect(copied).toBe(0);
  expect(second).toBe(first);
  expect(first).toBe(text(Array.from({ length: 300 }, (_none, i) => stored(i, 3_000))));
  expect((JSON.parse(first) as { items: unknown[] }).items).toHaveLength(300);
});

test('loose shared texts stay where they are, however often a list has them', () => {
  const told = Array.from({ length: 300 }, (_none, i) => {
    const entry = stored(i, 3_000);
    const object = structuredClone([entry.key, entry.modRevision, ...toldParts(entry)] as const);
    return fedEntries.entryOf(collection, object) as StoredEntry;
  });
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', resourceVersion: '9', itemHead: head };
  for (let i = 0; i < 3; i += 1)
    for (const slice of listSlices(list, told, { bytes: 65_536, allocate: (size) => Buffer.alloc(size) }))
      expect(slice.length).toBeGreaterThan(0);
  expect(told.every(({ pack }) => pack === undefined)).toBe(true);
});

test('objects that cannot be read say why', () => {
  const entry = new UnreadableEntry({ collection, key: 'ns/a' }, 7, 'no key');
  const part = structuredClone(unreadablePart(collection, [entry]));
  const objects = part.kind === 'objects' ? part.objects : [];
  expect(objects.map((object) => all(fedEntries.entryOf(collection, object)))).toEqual([all(entry)]);
});

test('an event is read as it was told, without a mark to look for', () => {
  const text = Buffer.from('{"kind":"ConfigMap","metadata":{}}');
  const kv = keyValueOf(['/registry/core/configmaps/ns/a', 12, 3, isInOldForm, text]);
  expect(all(fedEntries.read(collection, 'ns/a', kv))).toEqual([
    ...[collection, 'ns/a', 12, 3, true],
    ...[text.toString(), text.length],
  ]);
});

test.each([10, 3_000])(
  'of %i bytes: whether an encrypted value is stored in an old way is seen by whoever is told',
  (bytes) => {
    const names = ['old', 'new', undefined];
    const entries = Array.from({ length: 30 }, (_none, i) => {
      const { key, modRevision, mark, bytes: text } = stored(i, bytes);
      const name = names[i % 3];
      // The thread that tells has a configuration of its own.
      const form = name === undefined ? undefined : { name, isStale: true };
      return new StoredEntry({ collection, key, modRevision, mark, bytes: text, form });
    });
    const told = received(entries) as StoredEntry[];
    const recoded = (): boolean[] => told.map((entry) => entry.isRecoded);
    expect(recoded()).toEqual(entries.map(() => false));
    stale = ['old'];
    expect(recoded()).toEqual(entries.map((_none, i) => i % 3 === 0));
    const [old] = entries;
    const [, , ...parts] = old ? [old.key, old.modRevision, ...toldParts(old)] : [];
    const kv = keyValueOf(structuredClone(['/registry/core/configmaps/ns/a', 12, ...parts]) as FedEvent);
    expect(fedEntries.read(collection, 'ns/a', kv)).toMatchObject({ isRecoded: true });
  },
);
