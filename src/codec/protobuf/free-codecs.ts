/** Messages that hold any JSON value: raw extensions, field sets, and the either-or types of JSON schemas. */
import type { JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { decodeJson } from '../decode-json.ts';
import type { ProtobufReader } from './reader.ts';
import { wireBytes } from './reader.ts';
import { readFields, writeMessage } from './special-codecs.ts';
import type { ValueCodec } from './value-codec.ts';
import { expectText } from './value-codec.ts';
import type { ReverseWriter } from './reverse-writer.ts';

const varint1 = 8;
const bytes1 = 10;
const bytes2 = 18;

function writeRaw(writer: ReverseWriter, value: JsonValue | undefined): void {
  writeMessage(writer, () => {
    if (value === undefined) return;
    writer.string(JSON.stringify(value));
    writer.varint(bytes1);
  });
}

/** raw=1: the value as JSON text, or an object in an envelope of its own, which `readEnveloped` takes. */
export function rawCodec(
  readEnveloped: (bytes: Buffer, reader: ProtobufReader) => JsonValue | undefined,
): ValueCodec {
  const read = (reader: ProtobufReader): JsonValue | undefined => {
    const bytes = readRawBytes(reader);
    if (bytes.length === 0) return undefined;
    return readEnveloped(bytes, reader) ?? decodeJson(bytes, { maxDepth: reader.depthLeft }).value;
  };
  return { wireType: wireBytes, alwaysWritten: true, write: writeRaw, read, zero: undefined };
}

function readRawBytes(reader: ProtobufReader): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  reader.message((inner) => {
    readFields(inner, { name: 'RawExtension', fields: 1 }, (tag) => {
      // Not copied: envelopes inside envelopes would copy the innermost one at each level.
      if (tag === bytes1) bytes = inner.bytes();
      return tag === bytes1;
    });
  });
  return bytes;
}

/** JSONSchemaPropsOrArray: schema=1, jSONSchemas=2. */
export function schemaOrArray(schema: ValueCodec): ValueCodec {
  return schemaOrList(schema, {
    write: (writer, item) => schema.write(writer, item),
    read: (reader) => schema.read(reader) ?? {},
  });
}

/** JSONSchemaPropsOrStringArray: schema=1, property=2. */
export function schemaOrTexts(schema: ValueCodec): ValueCodec {
  return schemaOrList(schema, {
    write: (writer, item) => writer.string(expectText(item)),
    read: (reader) => reader.string(),
  });
}

interface ItemCodec {
  readonly write: (writer: ReverseWriter, item: JsonValue) => void;
  readonly read: (reader: ProtobufReader) => JsonValue;
}

const alternatives = { name: 'JSONSchemaPropsOr', fields: 2 };

/** A schema in field 1, or a list of items in field 2. */
function schemaOrList(schema: ValueCodec, items: ItemCodec): ValueCodec {
  const write = (writer: ReverseWriter, value: JsonValue | undefined): void => {
    writeMessage(writer, () => {
      for (const item of Array.isArray(value) ? value.toReversed() : []) {
        items.write(writer, item);
        writer.varint(bytes2);
      }
      if (isObject(value)) writeFirst(writer, schema, value);
    });
  };
  const read = (reader: ProtobufReader): JsonValue | undefined => {
    let single: JsonValue | undefined;
    const list: JsonValue[] = [];
    reader.message((inner) => {
      readFields(inner, alternatives, (tag) => {
        if (tag === bytes1) single = schema.read(inner);
        else if (tag === bytes2) list.push(items.read(inner));
        else return false;
        return true;
      });
    });
    return single ?? list;
  };
  return { wireType: wireBytes, alwaysWritten: false, write, read, zero: undefined };
}

/** JSONSchemaPropsOrBool: allows=1 (always written), schema=2. */
export function schemaOrBool(schema: ValueCodec): ValueCodec {
  const write = (writer: ReverseWriter, value: JsonValue | undefined): void => {
    writeMessage(writer, () => {
      if (isObject(value)) {
        schema.write(writer, value);
        writer.varint(bytes2);
      }
      writer.varint(value === true || isObject(value) ? 1 : 0);
      writer.varint(varint1);
    });
  };
  const read = (reader: ProtobufReader): JsonValue => {
    let allows = false;
    let single: JsonValue | undefined;
    reader.message((inner) => {
      readFields(inner, alternatives, (tag) => {
        if (tag === varint1) allows = inner.varint() !== 0;
        else if (tag === bytes2) single = schema.read(inner);
        else return false;
        return true;
      });
    });
    return single ?? allows;
  };
  return { wireType: wireBytes, alwaysWritten: false, write, read, zero: undefined };
}

function writeFirst(writer: ReverseWriter, schema: ValueCodec, value: JsonValue): void {
  schema.write(writer, value);
  writer.varint(bytes1);
}
