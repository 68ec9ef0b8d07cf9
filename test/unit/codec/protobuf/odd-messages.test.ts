/** Messages that no encoder of today makes, though the wire format allows them; the reference reads them so (gogo/protobuf). */
import type { JsonObject } from '../../../../src/base/json.ts';
import { DecodeError } from '../../../../src/codec/decode-error.ts';
import { decodeProtobuf } from '../../../../src/codec/protobuf/codec.ts';
import { magic, writeEnvelope } from '../../../../src/codec/protobuf/envelope.ts';
import { ReverseWriter } from '../../../../src/codec/protobuf/reverse-writer.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';

const { schemas } = realCatalogue(namingProfiles.kubernetes);
const types: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1.ConfigMap',
  Pod: 'core/v1.Pod',
  Event: 'events/v1.Event',
  ControllerRevision: 'apps/v1.ControllerRevision',
};

function decoded(kind: string, ...fields: readonly Buffer[]): JsonObject {
  const schemaOf = (_version: string, named: string) => schemas.get(types[named] ?? '');
  return decodeProtobuf(writeEnvelope({ apiVersion: 'v1', kind }, Buffer.concat(fields)), schemaOf);
}

/** A field: its tag, then what it holds. */
function field(number: number, wireType: number, ...content: readonly number[]): Buffer {
  const writer = new ReverseWriter(16);
  writer.varint(number * 8 + wireType);
  return Buffer.concat([writer.finish(), Buffer.from(content)]);
}

/** A field of bytes: a text, or messages. */
function bytes(number: number, ...content: readonly (Buffer | string)[]): Buffer {
  const all = Buffer.concat(content.map((part) => Buffer.from(part)));
  const writer = new ReverseWriter(16);
  writer.varint(all.length);
  writer.varint(number * 8 + 2);
  return Buffer.concat([writer.finish(), all]);
}

const [start, end] = [3, 4];
const named = bytes(1, bytes(1, 'a'));

test('a message that comes twice is merged, of texts the last one counts', () => {
  const twice = [named, bytes(1, bytes(3, 'b'), bytes(2, 'generated-')), bytes(1, bytes(2, ''))];
  expect(decoded('ConfigMap', ...twice)).toMatchObject({ metadata: { name: 'a', namespace: 'b' } });
  expect(decoded('ConfigMap', ...twice)).not.toHaveProperty('metadata.generateName');
  const spec = [bytes(2, bytes(10, 'node')), bytes(2, bytes(2, bytes(1, 'c')))];
  expect(decoded('Pod', ...spec)).toMatchObject({ spec: { nodeName: 'node', containers: [{ name: 'c' }] } });
});

test('a known field of another wire type is refused, not lost', () => {
  expect(() => decoded('ConfigMap', named, field(4, 2, 1, 1))).toThrow(
    new DecodeError('invalid Protobuf: field 4 of core/v1.ConfigMap cannot have the wire type 2'),
  );
  expect(() => decoded('ConfigMap', field(1, start), field(1, end))).toThrow(DecodeError);
});

const container = (...fields: readonly Buffer[]): Buffer => bytes(2, bytes(2, ...fields));
const probePort = (...fields: readonly Buffer[]): Buffer =>
  container(bytes(10, bytes(1, bytes(2, bytes(2, ...fields)))));

// Field numbers as in the declarations of the API.
test.each<[string, string, Buffer]>([
  ['seconds of a Time', 'ConfigMap', bytes(1, bytes(8, field(1, 2, 0)))],
  ['nanoseconds of a MicroTime', 'Event', bytes(2, field(2, 5, 0, 0, 0, 0))],
  ['the text of a Quantity', 'Pod', container(bytes(8, bytes(1, bytes(1, 'cpu'), bytes(2, field(1, 0, 1)))))],
  ['the number of an IntOrString', 'Pod', probePort(bytes(2, '1'))],
  ['the key of a map', 'ConfigMap', bytes(2, field(1, 0, 1))],
  ['the value of a map', 'ConfigMap', bytes(2, bytes(1, 'a'), field(2, 5, 0, 0, 0, 0))],
  ['the text of raw JSON', 'ControllerRevision', bytes(2, field(1, 0, 1))],
])('%s of another wire type is refused', (_name, kind, message) => {
  expect(() => decoded(kind, named, message)).toThrow(
    /invalid Protobuf: field \d of .* cannot have the wire type/,
  );
});

test('the envelope, its type too, is refused with fields of other wire types', () => {
  const whole = (...fields: readonly Buffer[]) =>
    decodeProtobuf(Buffer.concat([magic, ...fields]), () => undefined);
  expect(() => whole(field(1, 0, 1))).toThrow('field 1 of Unknown cannot have the wire type 0');
  expect(() => whole(bytes(1, field(2, 0, 1)))).toThrow('field 2 of TypeMeta cannot have the wire type 0');
});

test('times have their fraction by its sign, and only years that have a form', () => {
  const micro = (...fields: readonly Buffer[]) => decoded('Event', named, bytes(2, ...fields))['eventTime'];
  expect(micro(field(1, 0, 10))).toBe('1970-01-01T00:00:10.000000Z');
  expect(micro(field(2, 0, 0x90, 0x4e))).toBe('1970-01-01T00:00:00.000010Z');
  const minus10000 = [0xf0, 0xb1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
  expect(micro(field(1, 0, 10), field(2, 0, ...minus10000))).toBe('1970-01-01T00:00:09.999990Z');
  expect(() => micro(field(1, 0, 0x80, 0xa0, 0x90, 0xd6, 0xd3, 0x0e))).toThrow('a time is out of range');
});

test('an IntOrString is one of both', () => {
  expect(() => decoded('Pod', probePort(field(1, 0, 5)))).toThrow('an IntOrString is of the type 5');
});

test('groups that are not known are passed over, with groups in them', () => {
  const inner = [field(7, start), bytes(1, 'x'), field(2, 0, 5), field(7, end)];
  const group = [field(100, start), ...inner, field(3, 1, 0, 0, 0, 0, 0, 0, 0, 0), field(100, end)];
  expect(decoded('ConfigMap', ...group, named)).toMatchObject({ metadata: { name: 'a' } });
});

test.each([
  ['that do not end', [field(100, start)]],
  ['that only end', [field(100, end)]],
  ['nested without an end, a million deep', [Buffer.alloc(2_000_000, field(100, start))]],
])('groups %s are refused', (_name, fields) => {
  expect(() => decoded('ConfigMap', ...fields)).toThrow(DecodeError);
});

test('envelopes in envelopes are levels', () => {
  expect(decoded('ControllerRevision', bytes(2, bytes(1, nested(200))))).toHaveProperty('data.data.data');
  // As deep as this they would take more stack than there is.
  expect(() => decoded('ControllerRevision', bytes(2, bytes(1, nested(10_000))))).toThrow(DecodeError);
});

function nested(levels: number): Buffer {
  const parts: Buffer[] = [Buffer.from('{}')];
  let length = 2;
  for (let level = 0; level < levels; level += 1)
    for (const part of heads(length)) {
      parts.unshift(part);
      length += part.length;
    }
  return Buffer.concat(parts);
}

/** What stands before a message of this length that is the data of a revision in an envelope, from the inside. */
function heads(length: number): Buffer[] {
  const head = (number: number, size: number): Buffer => {
    const writer = new ReverseWriter(16);
    writer.varint(size);
    writer.varint(number * 8 + 2);
    return writer.finish();
  };
  const raw = head(1, length);
  const data = head(2, length + raw.length);
  const message = head(2, length + raw.length + data.length);
  const type = bytes(1, bytes(1, 'apps/v1'), bytes(2, 'ControllerRevision'));
  return [raw, data, message, type, Buffer.from([0x6b, 0x38, 0x73, 0x00])];
}
