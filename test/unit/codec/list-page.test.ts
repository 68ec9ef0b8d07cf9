import fc from 'fast-check';

import type { JsonObject } from '../../../src/base/json.ts';
import type { ListHead } from '../../../src/codec/list-page.ts';
import { itemHeadOf, listLength, listSlices } from '../../../src/codec/list-page.ts';
import { decodeStored, encodeStored, withResourceVersion } from '../../../src/codec/stored.ts';
import { StoredEntry } from '../../../src/storage/view/stored-entry.ts';
import { packsMoved } from '../../support/pack-moves.ts';

const wholeItems = { kind: 'PodList', apiVersion: 'v1', resourceVersion: '9', continue: 'c' };
/** Of a built-in kind. */
const untypedItems = { ...wholeItems, itemHead: itemHeadOf({ kind: 'Pod', apiVersion: 'v1' }) };
const slice = 1024 * 1024;

function objectOf(name: string, bytes: number): JsonObject {
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name }, data: 'ä'.repeat(bytes / 2) };
}

function entryOf(key: string, bytes: number, modRevision: number): StoredEntry {
  return new StoredEntry({
    ...{ collection: 'core/pods', key, modRevision, mark: 0 },
    bytes: encodeStored(objectOf(key, bytes)),
  });
}

interface Written {
  readonly text: string;
  readonly slices: readonly Buffer[];
  /** How many slices were copied into room that is used again. */
  readonly copied: number;
}

/** Writes a list the way that a connection does: room is overwritten as soon as its slice has left. */
function write(
  entries: readonly StoredEntry[],
  isLengthKnown = true,
  head: ListHead = untypedItems,
): Written {
  const length = isLengthKnown ? listLength(head, entries) : undefined;
  const lent = new Set<ArrayBufferLike>();
  const allocate = (size: number): Buffer => {
    const room = Buffer.allocUnsafeSlow(size);
    lent.add(room.buffer);
    return room;
  };
  const parts: Buffer[] = [];
  const slices: Buffer[] = [];
  let copied = 0;
  for (const part of listSlices(head, entries, { bytes: slice, length, allocate })) {
    parts.push(Buffer.from(part));
    slices.push(part);
    if (!lent.has(part.buffer)) continue;
    copied += 1;
    part.fill(0);
  }
  const text = Buffer.concat(parts).toString();
  if (length !== undefined) expect(Buffer.byteLength(text)).toBe(length);
  return { text, slices, copied };
}

function expected(entries: readonly StoredEntry[], { itemHead }: ListHead = untypedItems): string {
  const items = entries.map(({ key, modRevision, size }) => {
    const { kind, apiVersion, metadata, ...rest } = decodeStored(entryBytes(key, size));
    const versioned = { ...(metadata as JsonObject), resourceVersion: String(modRevision) };
    return JSON.stringify({ ...(!itemHead && { kind, apiVersion }), metadata: versioned, ...rest });
  });
  return `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"c"},"items":[${items.join(',')}]}\n`;
}

/** The stored text of an entry of that size, made anew. */
function entryBytes(key: string, size: number): Buffer {
  return encodeStored(objectOf(key, size - encodeStored(objectOf(key, 0)).length));
}

const many = (count: number, bytes: number): StoredEntry[] =>
  Array.from({ length: count }, (_, i) => entryOf(`p${i}`, bytes, 100 + i));

test('a collection that rests is copied once, packed once, and then sent as it lies in memory', () => {
  const entries = many(400, 6_000);
  const written = [write(entries), write(entries), write(entries)];
  expect(new Set(written.map(({ text }) => text))).toEqual(new Set([expected(entries)]));
  expect(written.map(({ copied }) => copied)).toEqual([3, 0, 0]);
  const [, second, third] = written;
  const memory = (list: Written | undefined): ArrayBufferLike[] =>
    (list?.slices ?? []).slice(1, -1).map(({ buffer }) => buffer);
  expect(memory(third)).toEqual(memory(second));
  expect(memory(third).every((buffer, i) => buffer === memory(second)[i])).toBe(true);
});

test('an entry that is packed still gives its bytes, its size and its text with the version', () => {
  const entries = many(100, 6_000);
  const before = entries.map((entry) => Buffer.from(entry.bytes));
  write(entries);
  write(entries);
  expect(entries.every(({ pack }) => pack !== undefined)).toBe(true);
  entries.forEach((entry, i) => {
    const bytes = before[i] ?? Buffer.of();
    expect(entry.bytes.equals(bytes)).toBe(true);
    expect(entry.size).toBe(bytes.length);
    const fresh = { bytes, modRevision: entry.modRevision };
    expect(entry.pack?.item(entry.packedAt).toString().slice(0, 12)).toBe('{"metadata":');
    expect(withResourceVersion(entry, '\n').equals(withResourceVersion(fresh, '\n'))).toBe(true);
  });
});

test('what changed since the list before is copied, its neighbours are sent as they lie', () => {
  const entries = many(400, 6_000);
  write(entries);
  write(entries);
  entries[200] = entryOf('p200', 7_000, 999);
  const { text, copied } = write(entries);
  expect([text === expected(entries), copied]).toEqual([true, 1]);
});

test('an object of another kind or version keeps both', () => {
  const other = encodeStored({ kind: 'Pod', apiVersion: 'v0', metadata: { name: 'x', uid: 'u' }, data: '' });
  const entries = [other, entryOf('p', 10, 3).bytes].map((bytes) => ({ bytes, modRevision: 3 }));
  const length = listLength(untypedItems, entries);
  const buffer = { bytes: slice, length, allocate: (size: number) => Buffer.alloc(size) };
  const text = Buffer.concat([...listSlices(untypedItems, entries, buffer)]).toString();
  expect(text).toHaveLength((length ?? 0) - 5);
  expect(text).toContain('"items":[{"kind":"Pod","apiVersion":"v0","metadata":{"name":"x","uid":"u",');
  expect(text).toContain(',{"metadata":{"name":"p","resourceVersion":"3"},"data":');
});

test('objects larger than a slice, and lists without a known length', () => {
  const entries = [entryOf('a', 10, 1), entryOf('b', 3 * slice, 2), entryOf('c', 10, 3)];
  for (let i = 0; i < 3; i += 1) expect(write(entries, false).text === expected(entries)).toBe(true);
});

test.each([
  ['of a built-in kind', untypedItems],
  ['of a custom resource', wholeItems],
])(
  'lists %s of any objects that come, change and go are what they would be without a memory',
  (_of, head) => {
    const sizes = fc.constantFrom(10, 2_000, 60_000, 300_000);
    const change = fc.record({ at: fc.nat(), size: sizes, kind: fc.constantFrom('put', 'remove', 'none') });
    const view = fc.record({ from: fc.nat({ max: 30 }), known: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(sizes, { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(fc.array(change, { maxLength: 3 }), view), { maxLength: 8 }),
        (first, rounds) => {
          let revision = 1;
          const entries = first.map((size, i) => entryOf(`o${i}`, size, revision++));
          for (const [changes, { from, known }] of rounds) {
            for (const { at, size, kind } of changes) {
              const index = at % (entries.length + 1);
              if (kind !== 'none') entries[index]?.pass();
              if (kind === 'put') entries[index] = entryOf(`o${index}`, size, revision++);
              if (kind === 'remove') entries.splice(index, 1);
            }
            const listed = entries.slice(from);
            expect(write(listed, known, head).text === expected(listed, head)).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
  },
);

const memoryOf = (entry: StoredEntry): ArrayBufferLike => (entry.pack?.memory ?? entry.bytes).buffer;

/** Bytes of memory that entries keep alive. */
function heldBy(entries: readonly StoredEntry[]): number {
  return [...new Set(entries.map(memoryOf))].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

const sizeOf = (entries: readonly StoredEntry[]): number => entries.reduce((sum, { size }) => sum + size, 0);

test('an entry that has passed stays where it lies while most of the others do, and earlier states that are listed pack it no more', () => {
  const entries = many(100, 6_000);
  write(entries);
  write(entries);
  const [passed, other] = entries;
  const bytes = Buffer.from(passed?.bytes ?? '');
  passed?.pass();
  expect(passed?.bytes.equals(bytes)).toBe(true);
  for (let i = 0; i < 3; i += 1) expect(write(entries).text === expected(entries)).toBe(true);
  expect(passed?.pack?.memory.length).toBeGreaterThan(99 * 6_000);
  expect(passed?.pack).toBe(other?.pack);
});

test('the few that stay where most have passed move out of what they were packed in, into less memory', async () => {
  const entries = many(100, 6_000);
  write(entries);
  write(entries);
  const stay = entries.filter((_, i) => i % 10 === 0);
  for (const entry of entries) if (!stay.includes(entry)) entry.pass();
  await packsMoved();
  expect(heldBy(stay)).toBeLessThanOrEqual(2.1 * sizeOf(stay));
  const earlier = entries.filter((entry) => !stay.includes(entry));
  expect(heldBy(earlier)).toBeLessThanOrEqual(2.1 * sizeOf(earlier));
  expect(earlier.map(({ bytes }) => decodeStored(bytes))).toEqual(
    earlier.map(({ key }) => objectOf(key, 6_000)),
  );
  expect(write(stay).text === expected(stay)).toBe(true);
});

test('what is packed anew with others leaves those that it was packed with', async () => {
  const entries = many(100, 6_000);
  write(entries);
  write(entries);
  const stay = entries.filter((_, i) => i % 10 === 0);
  const among = stay.flatMap((entry, i) => [
    entry,
    ...many(9, 6_000).map((_, j) => entryOf(`n${i}-${j}`, 6_000, 1_000)),
  ]);
  for (let i = 0; i < 2; i += 1) expect(write(among).text === expected(among)).toBe(true);
  const rest = entries.filter((entry) => !stay.includes(entry));
  for (const entry of rest.slice(0, 50)) entry.pass();
  await packsMoved();
  expect(heldBy(rest.slice(50))).toBeLessThanOrEqual(2.1 * sizeOf(rest.slice(50)));
  expect(stay.every(({ pack }) => pack !== undefined)).toBe(true);
});

test('of a list of very many, entries are found while it is sent, whether they were listed before or not', () => {
  const entries = many(12_000, 200);
  let taken = 0;
  const found = {
    length: 100_000,
    *[Symbol.iterator]() {
      for (const entry of entries) {
        taken += 1;
        yield entry;
      }
    },
  };
  expect(listLength(untypedItems, found)).toBeUndefined();
  expect(taken).toBe(0);
  for (let round = 0; round < 3; round += 1) {
    taken = 0;
    const room = {
      bytes: slice,
      length: undefined,
      allocate: (size: number) => Buffer.allocUnsafeSlow(size),
    };
    const slices = listSlices(untypedItems, found, room);
    const parts = [slices.next().value, slices.next().value].map((part) => Buffer.from(part ?? ''));
    expect(taken).toBeLessThan(6_000);
    for (const part of slices) parts.push(Buffer.from(part));
    expect(Buffer.concat(parts).toString()).toBe(expected(entries));
  }
});

test.each([4_095, 4_096, 8_192])('a list of %d small objects has no comma behind its last one', (count) => {
  const entries = many(count, 10);
  for (let round = 0; round < 3; round += 1) expect(write(entries).text === expected(entries)).toBe(true);
});

test('of a list whose client does not read, few entries are held', () => {
  const entries = many(6_000, 600);
  for (let round = 0; round < 3; round += 1) {
    let taken = 0;
    const found = {
      length: entries.length,
      *[Symbol.iterator]() {
        for (const entry of entries) {
          taken += 1;
          yield entry;
        }
      },
    };
    const room = { bytes: slice, allocate: (size: number) => Buffer.allocUnsafeSlow(size) };
    let sent = 0;
    const held: number[] = [];
    for (const part of listSlices(untypedItems, found, room)) {
      sent += part.toString().split('"resourceVersion"').length - 1;
      held.push(taken - sent);
    }
    expect(held.length).toBeGreaterThan(3);
    // The head of the list has a resource version, too.
    expect(Math.max(...held)).toBeLessThan(700);
  }
});
