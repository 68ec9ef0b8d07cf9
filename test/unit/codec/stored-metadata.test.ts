/** The metadata of stored objects are read without the rest, in one step or in slices. */
import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { metadataHead, readMetadata, readMetadataHead, readUid } from '../../../src/codec/stored-metadata.ts';

describe('readMetadata', () => {
  test('gives the metadata of any stored object, whatever follows it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (annotations, spec) => {
        const metadata = { name: 'x', annotations: JSON.parse(JSON.stringify(annotations)) as JsonObject };
        const bytes = encodeStored({ kind: 'K', apiVersion: 'v1', metadata, spec: spec });
        expect(JSON.stringify(readMetadata(bytes))).toBe(JSON.stringify(metadata));
      }),
    );
  });
});

describe('readMetadataHead', () => {
  const managedFields = fc.option(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), { nil: undefined });
  const names = fc.oneof(fc.string(), fc.constant('managedFields'));

  test('gives what readMetadata gives, without managedFields', () => {
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.jsonValue()),
        fc.array(names),
        managedFields,
        fc.jsonValue(),
        (annotations, finalizers, fields, spec) => {
          const metadata = JSON.parse(
            JSON.stringify({ name: 'managedFields', annotations, finalizers, managedFields: fields }),
          ) as JsonObject;
          const bytes = encodeStored({
            kind: 'K',
            apiVersion: 'v1',
            metadata,
            spec: { managedFields: spec },
          });
          const { managedFields: _left, ...rest } = readMetadata(bytes);
          expect(JSON.stringify(readMetadataHead(bytes))).toBe(JSON.stringify(rest));
        },
      ),
    );
  });

  test('of an object whose metadata is nothing else', () => {
    const metadata = { managedFields: [{ manager: 'm' }] };
    expect(readMetadataHead(encodeStored({ kind: 'K', apiVersion: 'v1', metadata }))).toEqual({});
  });
});

describe('metadataHead', () => {
  const many = (of: string): JsonObject =>
    Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`${of}-${String(i)}`, `v${String(i)}`]));
  const long = { name: 'a', labels: many('l'), annotations: many('a') };

  test.each([
    ['with managedFields', { ...long, managedFields: [{ manager: 'm' }] }],
    ['without', long],
    ['where an annotation has their name', { ...long, annotations: { ...many('a'), managedFields: 'x' } }],
    ['where another member has them', { ...long, others: { managedFields: [] }, managedFields: [{}] }],
    ['of few labels', { name: 'a', labels: { a: 'b' } }],
  ])('gives what readMetadataHead gives, in slices where it is long: %s', async (_name, metadata) => {
    const data = 'x'.repeat(100_000);
    const bytes = encodeStored({ kind: 'K', apiVersion: 'v1', metadata, data });
    let breaths = 0;
    const head = await metadataHead(bytes, () => void (breaths += 1));
    expect(head).toEqual(readMetadataHead(bytes));
    expect(breaths > 2).toBe('name' in metadata && 'annotations' in metadata);
  });
});

test('what clients call managedFields, too, makes nothing else be parsed', () => {
  const named = { labels: { managedFields: 'x' }, annotations: { managedFields: 'y' } };
  const fieldsV1 = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f:${String(i)}`, {}]));
  const metadata = { name: 'a', ...named, managedFields: [{ fieldsV1 }] };
  const spec = Array.from({ length: 100 }, () => ({ managedFields: {} }));
  const bytes = encodeStored({ kind: 'K', apiVersion: 'v1', metadata, spec });
  const parse = jest.spyOn(JSON, 'parse');
  for (const head of [readMetadataHead(bytes), metadataHead(bytes, () => undefined)])
    expect(head).toEqual({ name: 'a', ...named });
  const lengths = parse.mock.calls.map(([text]) => text.length);
  parse.mockRestore();
  expect(Math.max(...lengths)).toBeLessThan(1_000);
  expect(lengths).toHaveLength(6);
});

describe('readUid', () => {
  test.each([
    ['as it is stored now', encodeStored({ metadata: { name: 'a,"uid":"b', uid: 'u', labels: {} } }), 'u'],
    ['the last member', encodeStored({ metadata: { uid: 'u' } }), 'u'],
    ['none', encodeStored({ metadata: { name: 'a' } }), ''],
    ['no metadata', encodeStored({ metadata: {} }), ''],
    ['in an earlier order', Buffer.from('{"metadata":{"labels":{"uid":"no"},"name":"a","uid":"u"}}'), 'u'],
  ])('%s', (_name, bytes, uid) => {
    expect(readUid(bytes)).toBe(uid);
  });
});
