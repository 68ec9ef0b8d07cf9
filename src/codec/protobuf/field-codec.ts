/** The fields of a message: one value, a list, a map, or a struct that JSON flattens. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { isSmall } from '../../base/is-small.ts';
import type { Steps } from '../../base/sliced-work.ts';
import type { Field } from '../../schema/types.ts';
import type { ProtobufReader } from './reader.ts';
import { wireBytes } from './reader.ts';
import { readFields, writeMessage } from './special-codecs.ts';
import type { ValueCodec } from './value-codec.ts';
import type { ReverseWriter } from './reverse-writer.ts';

/** One field of a message, compiled. */
export interface FieldCodec {
  readonly number: number;
  /** Wire types that `read` takes. */
  readonly wireTypes: readonly number[];
  /** Writes the field of an object with its tag, or nothing. */
  readonly write: (writer: ReverseWriter, object: JsonObject) => void;
  /** The same in steps. Absent: it is written at once. */
  readonly writeInSteps?: (writer: ReverseWriter, object: JsonObject) => Steps;
  readonly read: (reader: ProtobufReader, object: JsonObject, wireType: number) => void;
}

/** Values with few members are written at once, in some microseconds. */
const mostAtOnce = 64;

function* valueInSteps(codec: ValueCodec, writer: ReverseWriter, value: JsonValue | undefined): Steps {
  if (codec.writeInSteps && !isSmall(value ?? null, mostAtOnce)) yield* codec.writeInSteps(writer, value);
  else codec.write(writer, value);
  yield;
}

function tagOf(number: number, wireType: number): number {
  return number * 8 + wireType;
}

export function singleField(field: Field, codec: ValueCodec): FieldCodec {
  const { name, protoNumber: number } = field;
  const tag = tagOf(number, codec.wireType);
  const isWritten = codec.alwaysWritten && !field.pointer;
  const dropsZero = field.omitEmpty && !field.pointer;
  return {
    number,
    wireTypes: [codec.wireType],
    write(writer, object) {
      const value = object[name] ?? undefined;
      if (value === undefined && !isWritten) return;
      codec.write(writer, value);
      writer.varint(tag);
    },
    *writeInSteps(writer, object) {
      const value = object[name] ?? undefined;
      if (value === undefined && !isWritten) return;
      yield* valueInSteps(codec, writer, value);
      writer.varint(tag);
    },
    read(reader, object) {
      const before = object[name];
      if (codec.readMore && isObject(before)) {
        codec.readMore(reader, before);
        return;
      }
      const value = codec.read(reader);
      if (value === undefined) return;
      if (!dropsZero || value !== codec.zero) object[name] = value;
      else if (before !== undefined) Reflect.deleteProperty(object, name);
    },
  };
}

/** Items are written one by one, and read so or packed. */
export function listField(field: Field, codec: ValueCodec): FieldCodec {
  const { name, protoNumber: number } = field;
  const tag = tagOf(number, codec.wireType);
  return {
    number,
    wireTypes: codec.wireType === wireBytes ? [wireBytes] : [codec.wireType, wireBytes],
    write(writer, object) {
      const list = object[name];
      if (!Array.isArray(list)) return;
      for (let i = list.length - 1; i >= 0; i -= 1) {
        codec.write(writer, list[i] ?? undefined);
        writer.varint(tag);
      }
    },
    *writeInSteps(writer, object) {
      const list = object[name];
      if (!Array.isArray(list)) return;
      for (let i = list.length - 1; i >= 0; i -= 1) {
        yield* valueInSteps(codec, writer, list[i] ?? undefined);
        writer.varint(tag);
      }
    },
    read(reader, object, wireType) {
      const list = (object[name] ??= []) as JsonValue[];
      if (wireType === codec.wireType) list.push(codec.read(reader) ?? null);
      else
        reader.message((inner) => {
          readPacked(inner, codec, list);
        });
    },
  };
}

function readPacked(reader: ProtobufReader, codec: ValueCodec, list: JsonValue[]): void {
  while (reader.hasMore()) list.push(codec.read(reader) ?? null);
}

const keyTag = 10;

/** A list of messages with key=1 and value=2, in the order of the keys. */
export function mapField(field: Field, codec: ValueCodec): FieldCodec {
  const { name, protoNumber: number } = field;
  const tag = tagOf(number, wireBytes);
  const valueTag = tagOf(2, codec.wireType);
  return {
    number,
    wireTypes: [wireBytes],
    write(writer, object) {
      const map = object[name];
      if (!isObject(map)) return;
      for (const key of Object.keys(map).sort().reverse()) {
        writeMessage(writer, () => {
          codec.write(writer, map[key] ?? undefined);
          writer.varint(valueTag);
          writer.string(key);
          writer.varint(keyTag);
        });
        writer.varint(tag);
      }
    },
    read(reader, object) {
      const map = (object[name] ??= {}) as JsonObject;
      const { key, value } = reader.message((inner) => readEntry(inner, codec, valueTag));
      setOwn(map, key, value ?? codec.zero ?? {});
    },
  };
}

function readEntry(
  reader: ProtobufReader,
  codec: ValueCodec,
  valueTag: number,
): { key: string; value: JsonValue | undefined } {
  let key = '';
  let value: JsonValue | undefined;
  readFields(reader, { name: 'the entry of a map', fields: 2 }, (tag) => {
    if (tag === keyTag) key = reader.string();
    else if (tag === valueTag) value = codec.read(reader);
    else return false;
    return true;
  });
  return { key, value };
}

/** What an embedded struct's codec offers beside its values: reading into an object that exists. */
export interface MergingCodec extends ValueCodec {
  readonly readMore: (reader: ProtobufReader, object: JsonObject) => void;
}

/** A struct that is a message of its own on the wire, while in JSON its fields are those of the parent. */
export function embeddedField(number: number, codec: MergingCodec): FieldCodec {
  const tag = tagOf(number, wireBytes);
  return {
    number,
    wireTypes: [wireBytes],
    write(writer, object) {
      codec.write(writer, object);
      writer.varint(tag);
    },
    read(reader, object) {
      codec.readMore(reader, object);
    },
  };
}
