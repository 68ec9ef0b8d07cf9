/** Remembered objects stand for one text at one revision, and there are not too many of them. */
import { encodeStored } from '../../../src/codec/stored.ts';
import { asApiObject } from '../../../src/meta/object.ts';
import { entryObject, newEntry } from '../../../src/registry/written-entry.ts';
import { ParsedObjects } from '../../../src/registry/write/parsed-objects.ts';
import type { Entry } from '../../../src/storage/types.ts';

function objectOf(name: string, more: object = {}): ReturnType<typeof asApiObject> {
  return asApiObject({ kind: 'A', apiVersion: 'v1', metadata: { name }, ...more });
}

function entryOf(name: string, revision: number, more: object = {}): Entry {
  const bytes = encodeStored({ kind: 'A', apiVersion: 'v1', metadata: { name }, ...more });
  return newEntry('core/as', name, bytes, revision);
}

test('an object is given for the same text at the same revision only', () => {
  const objects = new ParsedObjects();
  const entry = entryOf('a', 7, { spec: { x: 1 } });
  expect(objects.get(entry)).toBeUndefined();
  const object = entryObject(entry);
  objects.set(entry, object);
  expect(objects.get(entryOf('a', 7, { spec: { x: 1 } }))).toBe(object);
  expect(objects.get(entryOf('a', 8, { spec: { x: 1 } }))).toBeUndefined();
  expect(objects.get(entryOf('a', 7, { spec: { x: 2 } }))).toBeUndefined();
  expect(objects.get(entryOf('a', 7, { spec: { x: 12 } }))).toBeUndefined();
  expect(objects.get(entryOf('b', 7, { spec: { x: 1 } }))).toBeUndefined();
});

test('where it is known which write made a text, that tells it from others of the same length', () => {
  const objects = new ParsedObjects();
  const entry = { ...entryOf('a', 7, { spec: { x: 1 } }), mark: -5 };
  const object = entryObject(entry);
  objects.set(entry, object);
  expect(objects.get({ ...entryOf('a', 7, { spec: { x: 1 } }), mark: -5 })).toBe(object);
  expect(objects.get({ ...entryOf('a', 7, { spec: { x: 2 } }), mark: 6 })).toBeUndefined();
  // The same object, shown in another version.
  expect(objects.get(entryOf('a', 7, { spec: { y: 1 } }))).toBeUndefined();
  expect(objects.get({ ...entryOf('a', 8, { spec: { x: 1 } }), mark: -5 })).toBeUndefined();
});

test('what was written is what parsing gives, and the written object stays as it was', () => {
  const objects = new ParsedObjects();
  const written = objectOf('a', { spec: { x: 1 } });
  const text = JSON.stringify(written);
  const entry = entryOf('a', 9, { spec: { x: 1 } });
  objects.setWritten(entry, written, undefined);
  expect(JSON.stringify(objects.get(entry))).toBe(JSON.stringify(entryObject(entry)));
  expect(JSON.stringify(written)).toBe(text);
});

test('what text says otherwise is not remembered', () => {
  const objects = new ParsedObjects();
  const entry = entryOf('a', 9, { spec: { x: -0 } });
  objects.setWritten(entry, objectOf('a', { spec: { x: -0 } }), undefined);
  expect(objects.get(entry)).toBeUndefined();
});

test('what was not used for longest is forgotten where they take too much memory', () => {
  const entries = ['a', 'b', 'c'].map((name) => entryOf(name, 1));
  const [a, b, c] = entries as [Entry, Entry, Entry];
  const one = new ParsedObjects();
  one.set(a, entryObject(a));
  const objects = new ParsedObjects(2 * one.weight);
  objects.set(a, entryObject(a));
  objects.set(b, entryObject(b));
  expect(objects.get(a)).toBeDefined();
  objects.set(c, entryObject(c));
  expect([a, b, c].map((entry) => objects.get(entry) !== undefined)).toEqual([true, false, true]);
  expect(objects.weight).toBe(2 * one.weight);
});

test.each([
  ['empty objects', {}],
  ['empty lists', []],
  ['small objects', { a: 1 }],
  ['lists of one', [0]],
])('%s count for the memory that they take, not for their text', (_name, item) => {
  const objects = new ParsedObjects();
  const entry = entryOf('a', 1, { spec: { any: Array.from({ length: 20_000 }, () => item) } });
  objects.set(entry, entryObject(entry));
  // An object takes 56 bytes at the least, a list 40, and either has a place of 8 in the list around it.
  expect(objects.weight).toBeGreaterThan(48 * 20_000);
});

test('plain text counts for little more than its length', () => {
  const objects = new ParsedObjects();
  const entry = entryOf('a', 1, { data: { text: 'plain text '.repeat(5_000) } });
  objects.set(entry, entryObject(entry));
  expect(objects.weight).toBeLessThan(1.5 * entry.bytes.length);
});

test('what is written again is remembered, and what is written in a circle too large for the memory is not', () => {
  const objects = ParsedObjects.ofWrites();
  const text = 'x'.repeat(100_000);
  const write = (name: string, revision: number): boolean => {
    const entry = entryOf(name, revision, { text });
    objects.setWritten(entry, objectOf(name, { text }), undefined);
    return objects.get(entry) !== undefined;
  };
  expect([write('a', 1), write('a', 2)]).toEqual([false, true]);
  const circle = Array.from({ length: 300 }, (_, i) => `b${i % 100}`);
  expect(circle.map((name, i) => write(name, i + 3)).filter(Boolean)).toEqual([]);
});
