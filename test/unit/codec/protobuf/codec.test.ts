import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { isObject } from '../../../../src/base/json.ts';
import { DecodeError } from '../../../../src/codec/decode-error.ts';
import {
  decodeProtobuf,
  encodeMessage,
  encodeProtobuf,
  encodeProtobufFrame,
  protobufTypeMeta,
} from '../../../../src/codec/protobuf/codec.ts';
import { listFrame } from '../../../../src/codec/protobuf/protobuf-list.ts';
import { magic, readEnvelope, writeEnvelope } from '../../../../src/codec/protobuf/envelope.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { protoFiles } from '../../../../src/schema/declarations.ts';
import { loadSchemas } from '../../../../src/schema/load-proto.ts';
import type { StructSchema } from '../../../../src/schema/types.ts';
import { arbitraryObject } from '../../../support/arbitrary-object.ts';

const folder = join(__dirname, '../../../../src/api');
const schemas = loadSchemas(folder, namingProfiles.orch);
const root = new protobuf.Root();
for (const path of protoFiles(folder))
  protobuf.parse(inNewestTypes(readFileSync(path, 'utf8')), root, { keepCase: true });

/** The option `retyped` names the message of later releases. */
function inNewestTypes(text: string): string {
  return text.replace(/^( +optional )\S+( .*\(retyped\) = "(\S+) since .*)$/gm, '$1$3$2');
}

/** protobufjs' own reading of a catalogue file. */
function oracle(name: string): protobuf.Type {
  return root.lookupType(name.replace('/', '.'));
}

function structs(): StructSchema[] {
  const found = schemas.names().map((name) => schemas.find(name));
  return found.filter((schema) => schema?.type === 'struct').filter((schema) => schema.jsonOnly !== true);
}

const object = { apiVersion: 'v1', kind: 'Thing' };

function roundTrip(schema: StructSchema, value: JsonObject): JsonObject {
  return decodeProtobuf(
    writeEnvelope({ apiVersion: '', kind: '' }, encodeMessage(schema, value)),
    () => schema,
  );
}

/** Whether `whole` has every member of `part`, apart from empty ones that the wire does not tell. */
function contains(whole: JsonValue | undefined, part: JsonValue | undefined): boolean {
  if (whole === undefined) return isEmpty(part);
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      whole.length === part.length &&
      part.every((item, i) => contains(whole[i], item))
    );
  }
  if (isObject(part))
    return isObject(whole) && Object.keys(part).every((key) => contains(ownOf(whole, key), part[key]));
  return JSON.stringify(whole) === JSON.stringify(part);
}

function ownOf(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (isObject(value)) return Object.keys(value).length === 0;
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    value === 0 ||
    value === false ||
    value === '0' ||
    value === '0s' ||
    (Array.isArray(value) && value.length === 0)
  );
}

describe('every type of the catalogue', () => {
  test('there are types', () => {
    expect(structs().length).toBeGreaterThan(500);
  });

  test('random objects are read and written alike by protobufjs', () => {
    for (const schema of structs()) {
      const type = oracle(schema.name);
      for (const value of fc.sample(arbitraryObject(schema, 2), { numRuns: 4, seed: 7 })) {
        const bytes = encodeMessage(schema, value);
        const again = Buffer.from(type.encode(type.decode(bytes)).finish());
        if (!again.equals(bytes)) throw new Error(`${schema.name}: ${JSON.stringify(value)}`);
      }
    }
  });

  test('nothing is lost, and a second round trip changes nothing', () => {
    for (const schema of structs()) {
      for (const value of fc.sample(arbitraryObject(schema, 2), { numRuns: 4, seed: 11 })) {
        const decoded = roundTrip(schema, value);
        if (!contains(decoded, value)) {
          throw new Error(`${schema.name}: ${JSON.stringify(value)} became ${JSON.stringify(decoded)}`);
        }
        expect(JSON.stringify(roundTrip(schema, decoded))).toBe(JSON.stringify(decoded));
      }
    }
  });

  test('broken bytes give a value or a DecodeError', () => {
    const pod = schemas.get('core/v1.Pod');
    const sample = fc
      .sample(arbitraryObject(pod, 4), { numRuns: 20, seed: 3 })
      .map((p) => encodeProtobuf(pod, { ...object, ...p }));
    const cases = fc.tuple(fc.constantFrom(...sample), fc.nat(), fc.nat(255), fc.boolean());
    fc.assert(
      fc.property(cases, ([bytes, position, byte, isCut]) => {
        const broken = Buffer.from(bytes);
        const at = position % broken.length;
        broken[at] = byte;
        try {
          decodeProtobuf(isCut ? broken.subarray(0, at) : broken, () => pod);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('special forms', () => {
  const pod = schemas.get('core/v1.Pod');
  const event = schemas.get('core/v1.Event');
  const service = schemas.get('core/v1.Service');

  test('times: seconds only, null when zero, micro times with six decimals', () => {
    const meta = {
      creationTimestamp: '2021-05-01T12:00:00+02:00',
      deletionTimestamp: '2021-05-01T10:00:00.9Z',
    };
    const decoded = roundTrip(event, { metadata: meta, eventTime: '2021-05-01T10:00:00.5Z' });
    expect(decoded).toMatchObject({
      metadata: { creationTimestamp: '2021-05-01T10:00:00Z', deletionTimestamp: '2021-05-01T10:00:00Z' },
      eventTime: '2021-05-01T10:00:00.500000Z',
    });
    const empty = roundTrip(event, { metadata: { creationTimestamp: null } });
    expect(isEmpty((empty.metadata as JsonObject).creationTimestamp)).toBe(true);
    expect(isEmpty(empty.eventTime)).toBe(true);
  });

  test('ports and quantities', () => {
    const ports = [
      { port: 1, targetPort: 'http' },
      { port: 2, targetPort: 8080 },
      { port: 3, targetPort: -1 },
    ];
    expect(roundTrip(service, { spec: { ports } })).toMatchObject({ spec: { ports } });
    const limits = { cpu: '100m', memory: '1Gi' };
    const containers = [{ name: 'a', resources: { limits } }];
    expect(roundTrip(pod, { spec: { containers } })).toMatchObject({ spec: { containers } });
  });

  test('64-bit integers are exact', () => {
    const source = { metadata: { generation: JSON.rawJSON('9223372036854775807') } };
    expect(JSON.stringify(roundTrip(pod, source))).toContain('"generation":9223372036854775807');
    const negative = { metadata: { generation: JSON.rawJSON('-9223372036854775808') } };
    expect(JSON.stringify(roundTrip(pod, negative))).toContain('"generation":-9223372036854775808');
    expect(roundTrip(pod, { metadata: { generation: -1 } })).toMatchObject({ metadata: { generation: -1 } });
  });

  test('JSON schemas with their either-or types', () => {
    const crd = schemas.get('apiextensions/v1.JSONSchemaProps');
    const value: JsonObject = {
      type: 'object',
      default: { a: [1, null] },
      enum: [1, 'a', null],
      items: { type: 'string' },
      additionalProperties: false,
      additionalItems: { type: 'integer' },
      dependencies: { a: ['b'], c: { type: 'string' } },
      properties: { p: { items: [{ type: 'string' }, {}], additionalProperties: true }, __proto: {} },
    };
    expect(roundTrip(crd, value)).toMatchObject(value);
  });

  test('an enveloped object inside a raw extension is decoded', () => {
    const list = schemas.get('core/v1.List');
    const inner = encodeProtobuf(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } });
    const type = oracle('core/v1.List');
    const bytes = type.encode({ items: [{ raw: inner }] }).finish();
    const envelope = writeEnvelope({ apiVersion: 'v1', kind: 'List' }, Buffer.from(bytes));
    const decoded = decodeProtobuf(envelope, (_version, kind) => (kind === 'List' ? list : pod));
    expect(decoded).toMatchObject({
      kind: 'List',
      items: [{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' } }],
    });
  });

  test('packed lists are read', () => {
    const context = schemas.get('core/v1.PodSecurityContext');
    const number = context.fields.get('supplementalGroups')?.protoNumber ?? 0;
    const raw = Buffer.from([number * 8 + 2, 3, 1, 0x80, 1]);
    expect(decodeProtobuf(writeEnvelope(object, raw), () => context)).toMatchObject({
      supplementalGroups: [1, 128],
    });
  });

  test('a value of the wrong type is an error', () => {
    expect(() => encodeMessage(pod, { metadata: { name: 1 } })).toThrow(TypeError);
    expect(() => encodeMessage(pod, { metadata: [] })).toThrow(TypeError);
    expect(() => encodeMessage(pod, { metadata: { generation: 1.5 } })).toThrow(TypeError);
    expect(() => encodeMessage(pod, { metadata: { creationTimestamp: 'x' } })).toThrow(TypeError);
  });
});

describe('envelope', () => {
  const pod = schemas.get('core/v1.Pod');
  const bytes = encodeProtobuf(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } });

  test('begins with the magic bytes and says what it holds', () => {
    expect(bytes.subarray(0, 4)).toEqual(magic);
    expect(protobufTypeMeta(bytes)).toEqual({ apiVersion: 'v1', kind: 'Pod' });
    expect(oracle('runtime.Unknown').decode(bytes.subarray(4))).toMatchObject({
      typeMeta: { apiVersion: 'v1', kind: 'Pod' },
      raw: readEnvelope(bytes).raw,
      contentEncoding: '',
      contentType: '',
    });
  });

  test.each<[string, Buffer]>([
    ['no magic', bytes.subarray(4)],
    ['nothing', Buffer.alloc(0)],
    ['cut off', bytes.subarray(0, bytes.length - 7)],
    ['an encoding', Buffer.concat([magic, Buffer.from([26, 4]), Buffer.from('gzip')])],
    [
      'JSON that is no object',
      Buffer.concat([
        magic,
        Buffer.from([18, 2]),
        Buffer.from('[]'),
        Buffer.from([34, 16]),
        Buffer.from('application/json'),
      ]),
    ],
  ])('%s is refused', (_name, broken) => {
    expect(() => decodeProtobuf(broken, () => pod)).toThrow(DecodeError);
  });

  test('an unknown kind is refused', () => {
    expect(() => decodeProtobuf(bytes, () => undefined)).toThrow('there is no kind "Pod" in "v1"');
  });

  test('JSON inside is accepted where it says so', () => {
    const raw = Buffer.from('{"a":1}');
    const json = Buffer.concat([
      magic,
      Buffer.from([18, raw.length]),
      raw,
      Buffer.from([34, 16]),
      Buffer.from('application/json'),
    ]);
    expect(decodeProtobuf(json, () => undefined)).toEqual({ a: 1 });
  });

  test('deep nesting is refused', () => {
    const props = schemas.get('apiextensions/v1.JSONSchemaProps');
    let value: JsonObject = {};
    for (let i = 0; i < 900; i += 1) value = { not: value };
    expect(() => roundTrip(props, value)).toThrow(/nested deeper/);
  });
});

describe('lists and frames', () => {
  const pod = schemas.get('core/v1.Pod');

  test('a list of messages is what the list type says', () => {
    const items = ['a', 'b'.repeat(20_000)].map((name) => encodeMessage(pod, { metadata: { name } }));
    const head = {
      kind: 'PodList',
      apiVersion: 'v1',
      resourceVersion: '7',
      continue: 'c',
      remainingItemCount: 300,
    };
    const lengths = items.map(({ length }) => length);
    const frame = listFrame(head, lengths);
    const parts = [frame.before];
    const target = {
      bytes: (source: Buffer, start = 0, end = source.length): void => {
        parts.push(Buffer.from(source.subarray(start, end)));
      },
    };
    for (const item of items) {
      frame.writeItemHead(target, item.length);
      target.bytes(item);
    }
    const list = Buffer.concat([...parts, frame.after]);
    expect(list).toHaveLength(frame.length);
    const decoded = decodeProtobuf(list, () => schemas.get('core/v1.PodList'));
    expect(decoded).toMatchObject({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7', continue: 'c', remainingItemCount: 300 },
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b'.repeat(20_000) } }],
    });
  });

  test('a frame is its length and a watch event', () => {
    const bytes = encodeProtobuf(pod, { apiVersion: 'v1', kind: 'Pod' });
    const frame = encodeProtobufFrame('ADDED', bytes);
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    const event = oracle('meta/v1.WatchEvent').decode(frame.subarray(4));
    expect(event).toMatchObject({ type: 'ADDED', object: { raw: bytes } });
  });
});
