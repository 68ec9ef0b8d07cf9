import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { setOwn } from '../../../src/base/json.ts';
import { listHead, listLength, listSlices, listTail, type ListHead } from '../../../src/codec/list-page.ts';
import {
  decodeStored,
  decodeStoredAt,
  encodeStored,
  readLabels,
  spliceOffset,
  splicedLength,
  type StoredText,
  withResourceVersion,
} from '../../../src/codec/stored.ts';

const keys = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '1',
    'labels',
    'name',
    'uid',
    'generation',
    'status',
    'metadata',
    '"metadata":{',
    '}',
    '"labels":{',
  ),
);
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  fc.bigInt(2n ** 53n, 2n ** 63n - 1n).map((n) => JSON.rawJSON(String(n))),
  fc.constantFrom('"metadata":{', '\\"', '\u2028', '😀', '}', '{'),
);
const members = fc.array(fc.tuple(keys, values), { maxLength: 6 }).map(toObject);
const labels = fc
  .array(fc.tuple(keys, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 4 })
  .map(toObject);

function toObject(entries: [string, JsonValue][]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) setOwn(object, key, value);
  return object;
}

const objects = fc
  .record({
    kind: fc.oneof(fc.constantFrom('Pod', '"metadata":{'), fc.string()),
    apiVersion: fc.oneof(fc.constant('v1'), fc.string()),
    metadata: fc.tuple(members, labels, fc.boolean()).map(([meta, l, has]): JsonObject => {
      const metadata: JsonObject = has ? { labels: l, ...meta } : meta;
      delete metadata.resourceVersion;
      delete metadata.selfLink;
      if (!has) delete metadata.labels;
      else metadata.labels = l;
      return metadata;
    }),
    rest: members,
  })
  .map(({ kind, apiVersion, metadata, rest }): JsonObject => {
    const object: JsonObject = {};
    for (const [key, value] of Object.entries(rest)) setOwn(object, key, value as JsonValue);
    return Object.assign(object, { kind, apiVersion, metadata });
  });

/** Text with sorted keys, in which raw numbers count by their text. */
function canonical(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

describe('stored form', () => {
  test('kind, apiVersion, metadata in the order of their type with managedFields last, the status at the end', () => {
    const text = encodeStored({
      status: {},
      spec: { b: 1, a: 2 },
      metadata: {
        managedFields: [],
        finalizers: ['f'],
        labels: { app: 'a' },
        uid: 'u',
        resourceVersion: '7',
        selfLink: '/x',
        annotations: {},
        generation: 1,
        other: 1,
        creationTimestamp: null,
        name: 'x',
        namespace: 'n',
      },
      data: 1,
      kind: 'Pod',
      apiVersion: 'v1',
    });
    const metadata =
      '"generation":1,"creationTimestamp":null,"labels":{"app":"a"},"annotations":{},"finalizers":["f"],"other":1,"managedFields":[]';
    const rest = '"spec":{"b":1,"a":2},"data":1,"status":{}}';
    const head = '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"n","uid":"u",';
    expect(text.toString()).toBe(`${head}${metadata}},${rest}`);
    const answered = withResourceVersion({ bytes: text, modRevision: 7 }).toString();
    expect(answered).toBe(`${head}"resourceVersion":"7",${metadata}},${rest}`);
  });

  test('text of earlier versions: labels first, the rest in any order', () => {
    const labels = '"labels":{"a":"b"}';
    const texts = [`${labels},"name":"x"`, labels, `"annotations":{},"name":"x"`, `"uid":"u"`, `"name":null`];
    const read = texts.map((text) => {
      const bytes = Buffer.from(`{"kind":"K","apiVersion":"v1","metadata":{${text}},"spec":{}}`);
      const answer = withResourceVersion({ bytes, modRevision: 7 }).toString();
      return [/"metadata":(.*),"spec"/.exec(answer)?.[1], readLabels(bytes)];
    });
    expect(read).toEqual([
      [`{"resourceVersion":"7",${labels},"name":"x"}`, { a: 'b' }],
      [`{"resourceVersion":"7",${labels}}`, { a: 'b' }],
      ['{"resourceVersion":"7","annotations":{},"name":"x"}', {}],
      ['{"uid":"u","resourceVersion":"7"}', {}],
      ['{"name":null,"resourceVersion":"7"}', {}],
    ]);
  });

  test('what is decoded is what was encoded', () => {
    fc.assert(
      fc.property(objects, (object) => {
        expect(canonical(decodeStored(encodeStored(object)))).toBe(canonical(object));
      }),
      { numRuns: 500 },
    );
  });

  test('splicing gives valid JSON with the version, and changes nothing else', () => {
    fc.assert(
      fc.property(objects, fc.nat(), (object, revision) => {
        const bytes = encodeStored(object);
        const text: StoredText = { bytes, modRevision: revision };
        const spliced = withResourceVersion(text);
        expect(spliced).toHaveLength(splicedLength(text));
        expect([text.versionAt, withResourceVersion(text)]).toEqual([spliceOffset(bytes), spliced]);
        const expected = { ...object, metadata: { ...(object.metadata as JsonObject) } };
        for (const key of Object.keys(object)) {
          if (key === '__proto__') setOwn(expected, key, object[key] as JsonValue);
        }
        if (Object.hasOwn(object.metadata as JsonObject, '__proto__')) {
          setOwn(expected.metadata, '__proto__', (object.metadata as JsonObject)['__proto__'] as JsonValue);
        }
        setOwn(expected.metadata, 'resourceVersion', String(revision));
        expect(canonical(decodeStored(spliced))).toBe(canonical(expected));
        expect(canonical(decodeStoredAt(bytes, revision))).toBe(canonical(expected));
      }),
      { numRuns: 500 },
    );
  });

  test('empty metadata is spliced without a comma', () => {
    const bytes = encodeStored({ kind: 'K', apiVersion: 'v1' });
    expect(withResourceVersion({ bytes, modRevision: 5 }).toString()).toBe(
      '{"kind":"K","apiVersion":"v1","metadata":{"resourceVersion":"5"}}',
    );
    expect(withResourceVersion({ bytes, modRevision: 5 }, '\n').toString()).toMatch(/\}\}\n$/);
  });

  test('labels are read from the head whatever they hold', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const expected = (object.metadata as JsonObject).labels ?? {};
        expect(canonical(readLabels(encodeStored(object)))).toBe(canonical(expected));
      }),
      { numRuns: 500 },
    );
  });

  test('labels that are no strings are left out, missing and null ones are none', () => {
    const read = (value: JsonValue): unknown =>
      readLabels(encodeStored({ kind: 'K', apiVersion: 'v1', metadata: { labels: value } }));
    expect(read({ a: 'b', c: { d: '}' }, e: 1 })).toEqual({ a: 'b' });
    expect(read(null)).toEqual({});
    expect(readLabels(encodeStored({ kind: 'K', apiVersion: 'v1', metadata: { name: 'x' } }))).toEqual({});
  });

  test('text that is no stored object is an error', () => {
    expect(() => spliceOffset(Buffer.from('{}'))).toThrow('without metadata');
    expect(() => decodeStored(Buffer.from('[]'))).toThrow('not an object');
    expect(() => readLabels(Buffer.from('{"metadata":{"labels":{"a":"b"'))).toThrow('ends inside');
  });
});

function encodeList(head: ListHead, entries: readonly StoredText[]): Buffer {
  const slices = listSlices(head, entries, {
    bytes: 1e6,
    allocate: (size: number) => Buffer.allocUnsafe(size),
  });
  return Buffer.concat([...slices]);
}

describe('lists', () => {
  const head = { kind: 'PodList', apiVersion: 'v1', resourceVersion: '9' };

  test('an empty list', () => {
    expect(encodeList(head, []).toString()).toBe(
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}\n',
    );
  });

  test('a chunk says how to go on', () => {
    const text = listHead({ ...head, continue: 'tökén', remainingItemCount: 0 }) + listTail;
    expect(JSON.parse(text)).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', continue: 'tökén', remainingItemCount: 0 },
      items: [],
    });
  });

  test('pages and slices hold every object with its version', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(objects, fc.nat())), fc.integer({ min: 1, max: 600 }), (list, size) => {
        const entries = list.map(([object, modRevision]) => ({ bytes: encodeStored(object), modRevision }));
        const page = encodeList({ ...head, continue: 'ü' }, entries);
        const parsed = JSON.parse(page.toString()) as { items: { metadata: JsonObject }[] };
        expect(parsed.items.map((item) => item.metadata.resourceVersion)).toEqual(
          list.map(([, r]) => String(r)),
        );
        const known = listLength({ ...head, continue: 'ü' }, entries);
        expect(page).toHaveLength(known ?? 0);
        for (const length of [undefined, known]) {
          const room = { bytes: size, length, allocate: (size: number) => Buffer.allocUnsafe(size) };
          const slices = [...listSlices({ ...head, continue: 'ü' }, entries, room)];
          expect(Buffer.concat(slices).equals(page)).toBe(true);
        }
      }),
    );
  });
});
