/** Messages whose JSON form is not an object of their fields: times, quantities, ports, free values, bare lists. */
import type { JsonValue } from '../../base/json.ts';
import { DecodeError } from '../decode-error.ts';
import { formatDuration, parseDuration } from '../../base/duration.ts';
import type { ProtobufReader } from './reader.ts';
import { wireBytes } from './reader.ts';
import type { ValueCodec } from './value-codec.ts';
import { expectText, writeInteger } from './value-codec.ts';
import type { ReverseWriter } from './reverse-writer.ts';

/** Tags: field number times eight plus wire type. */
const varint1 = 8;
const varint2 = 16;
const bytes1 = 10;
const bytes3 = 26;

/** Writes a message: what `body` writes, then its length before it. */
export function writeMessage(writer: ReverseWriter, body: () => void): void {
  const before = writer.length;
  body();
  writer.varint(writer.length - before);
}

type FieldReader = (tag: number, reader: ProtobufReader) => boolean;

/** A message whose fields have the numbers 1 to `fields`. */
export interface PlainMessage {
  readonly name: string;
  readonly fields: number;
}

/**
 * Reads the fields of a message; those that are not known are passed over.
 * @param read takes a field, or answers false where it does not know the tag
 * @throws DecodeError for a known field with another wire type: as a field that is not known its value would be lost
 */
export function readFields(reader: ProtobufReader, { name, fields }: PlainMessage, read: FieldReader): void {
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (read(tag, reader)) continue;
    if (tag < (fields + 1) * 8) throw wrongWireType(name, tag);
    reader.skip(tag & 7);
  }
}

/** The error for a known field of another wire type. */
export function wrongWireType(message: string, tag: number): DecodeError {
  const [number, type] = [Math.floor(tag / 8), tag & 7];
  return new DecodeError(
    `invalid Protobuf: field ${String(number)} of ${message} cannot have the wire type ${String(type)}`,
  );
}

const secondsOfYearOne = -62_135_596_800;
/** Of the years 0 and 9999, beyond which RFC 3339 has no form. */
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

/** Time and MicroTime: seconds=1, nanos=2; the zero time is an empty message and null. */
function timeCodec(keepsMicros: boolean): ValueCodec {
  const write = (writer: ReverseWriter, value: JsonValue | undefined): void => {
    writeMessage(writer, () => {
      if (value === undefined) return;
      const { seconds, nanos } = parseTime(expectText(value));
      writer.varint(keepsMicros ? nanos : 0);
      writer.varint(varint2);
      writer.signed(seconds);
      writer.varint(varint1);
    });
  };
  return {
    wireType: wireBytes,
    alwaysWritten: true,
    write,
    read: (reader) => readTime(reader, keepsMicros),
    zero: null,
  };
}

function parseTime(text: string): { seconds: number; nanos: number } {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new TypeError('a time was expected, not another text');
  const fraction = /\.([0-9]{1,9})/.exec(text)?.[1] ?? '';
  return { seconds: Math.floor(ms / 1000), nanos: Number(fraction.padEnd(9, '0')) };
}

const timestamp = { name: 'Timestamp', fields: 2 };

function readTime(reader: ProtobufReader, keepsMicros: boolean): JsonValue {
  let seconds: JsonValue = 0;
  let nanos = 0;
  const isEmpty = reader.message((inner) => {
    const hasNone = !inner.hasMore();
    readFields(inner, timestamp, (tag) => {
      if (tag === varint1) seconds = inner.int64();
      else if (tag === varint2) nanos = inner.int32();
      else return false;
      return true;
    });
    return hasNone;
  });
  if (isEmpty || seconds === secondsOfYearOne) return null;
  return formatTime(seconds, keepsMicros ? nanos : undefined);
}

/** Fractions that are negative, or a second and more, count into the seconds. */
function formatTime(seconds: JsonValue, nanos: number | undefined): string {
  const micros = Math.trunc((nanos ?? 0) / 1_000);
  const whole = typeof seconds === 'number' ? seconds + Math.floor(micros / 1e6) : NaN;
  if (!(whole >= firstSecond && whole <= lastSecond))
    throw new DecodeError('invalid Protobuf: a time is out of range');
  const text = new Date(whole * 1_000).toISOString().slice(0, 19);
  if (nanos === undefined) return `${text}Z`;
  return `${text}.${String(micros - Math.floor(micros / 1e6) * 1e6).padStart(6, '0')}Z`;
}

function writeDuration(writer: ReverseWriter, value: JsonValue | undefined): void {
  const text = value === undefined ? '0s' : expectText(value);
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined) throw new TypeError('a duration was expected, not another text');
  writeMessage(writer, () => {
    writer.bigint(nanoseconds);
    writer.varint(varint1);
  });
}

function readDuration(reader: ProtobufReader): string {
  let nanoseconds = 0n;
  reader.message((inner) => {
    readFields(inner, { name: 'Duration', fields: 1 }, (tag) => {
      if (tag !== varint1) return false;
      nanoseconds = BigInt.asIntN(64, inner.bigint());
      return true;
    });
  });
  return formatDuration(nanoseconds);
}

function writeQuantity(writer: ReverseWriter, value: JsonValue | undefined): void {
  writeMessage(writer, () => {
    writer.string(value === undefined ? '0' : typeof value === 'string' ? value : JSON.stringify(value));
    writer.varint(bytes1);
  });
}

function readQuantity(reader: ProtobufReader): string {
  let text = '0';
  reader.message((inner) => {
    readFields(inner, { name: 'Quantity', fields: 1 }, (tag) => {
      if (tag !== bytes1) return false;
      text = inner.string();
      return true;
    });
  });
  return text;
}

/** type=1 (0 integer, 1 text), intVal=2, strVal=3; all three are always written. */
function writeIntOrString(writer: ReverseWriter, value: JsonValue | undefined): void {
  const isText = typeof value === 'string';
  writeMessage(writer, () => {
    writer.string(isText ? value : '');
    writer.varint(bytes3);
    writeInteger(writer, isText ? undefined : value);
    writer.varint(varint2);
    writer.varint(isText ? 1 : 0);
    writer.varint(varint1);
  });
}

function readIntOrString(reader: ProtobufReader): JsonValue {
  let type = 0;
  let number = 0;
  let text = '';
  reader.message((inner) => {
    readFields(inner, { name: 'IntOrString', fields: 3 }, (tag) => {
      if (tag === varint1) type = inner.varint();
      else if (tag === varint2) number = inner.int32();
      else if (tag === bytes3) text = inner.string();
      else return false;
      return true;
    });
  });
  if (type > 1) throw new DecodeError(`invalid Protobuf: an IntOrString is of the type ${String(type)}`);
  return type === 1 ? text : number;
}

/** A message that stands for the list of its only field, items=1. */
export function listFormCodec(items: ValueCodec): ValueCodec {
  const tag = 8 + items.wireType;
  return {
    wireType: wireBytes,
    alwaysWritten: false,
    write: (writer, value) => {
      writeMessage(writer, () => {
        for (const item of Array.isArray(value) ? value.toReversed() : []) {
          items.write(writer, item);
          writer.varint(tag);
        }
      });
    },
    read: (reader) => {
      const list: JsonValue[] = [];
      reader.message((inner) => {
        readFields(inner, { name: 'a list', fields: 1 }, (found) => {
          if (found === tag) list.push(items.read(inner) ?? null);
          return found === tag;
        });
      });
      return list;
    },
    zero: undefined,
  };
}

/** By wire type name as fields state it. */
export const specialCodecs: Readonly<Record<string, ValueCodec>> = {
  'meta/v1.Time': timeCodec(false),
  'meta/v1.MicroTime': timeCodec(true),
  'meta/v1.Duration': {
    wireType: wireBytes,
    alwaysWritten: true,
    write: writeDuration,
    read: readDuration,
    zero: '0s',
  },
  'resource.Quantity': {
    wireType: wireBytes,
    alwaysWritten: true,
    write: writeQuantity,
    read: readQuantity,
    zero: '0',
  },
  'intstr.IntOrString': {
    wireType: wireBytes,
    alwaysWritten: true,
    write: writeIntOrString,
    read: readIntOrString,
    zero: 0,
  },
};
