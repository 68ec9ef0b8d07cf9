/** How one value is written and read; scalars here, messages in the files beside this one. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { jsonTypeOf } from '../../base/json.ts';
import type { Steps } from '../../base/sliced-work.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufReader } from './reader.ts';
import { wireBytes, wireFixed32, wireFixed64, wireVarint } from './reader.ts';
import type { ReverseWriter } from './reverse-writer.ts';

export interface ValueCodec {
  readonly wireType: number;
  /** A field that is not a pointer is written even when absent: as `write(writer, undefined)`, the zero value. */
  readonly alwaysWritten: boolean;
  /** Writes the value with its length, if it has one. @throws TypeError when the value is of another type */
  readonly write: (writer: ReverseWriter, value: JsonValue | undefined) => void;
  /** The same in steps, for objects whose lists may be long. Absent: it is written at once. */
  readonly writeInSteps?: (writer: ReverseWriter, value: JsonValue | undefined) => Steps;
  /** Reads a value; undefined and null mean that the wire says nothing. */
  readonly read: (reader: ProtobufReader) => JsonValue | undefined;
  /** Reads one into an object that was read before: what comes again is merged. Absent: the last value counts. */
  readonly readMore?: (reader: ProtobufReader, before: JsonObject) => void;
  /** The value that JSON leaves out where empty values are left out; undefined: there is none. */
  readonly zero: JsonValue | undefined;
}

export function expectText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`a text was expected, not ${jsonTypeOf(value)}`);
}

function integer(read: (reader: ProtobufReader) => JsonValue): ValueCodec {
  return { wireType: wireVarint, alwaysWritten: true, write: writeInteger, read, zero: 0 };
}

export function writeInteger(writer: ReverseWriter, value: JsonValue | undefined): void {
  if (value === undefined) writer.varint(0);
  else if (Number.isInteger(value)) writer.signed(value as number);
  else if (JSON.isRawJSON(value)) writer.bigint(BigInt(value.rawJSON));
  else throw new TypeError(`an integer was expected, not ${jsonTypeOf(value)}`);
}

function writeBoolean(writer: ReverseWriter, value: JsonValue | undefined): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new TypeError(`true or false was expected, not ${jsonTypeOf(value)}`);
  }
  writer.varint(value === true ? 1 : 0);
}

function toNumber(value: JsonValue | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  throw new TypeError(`a number was expected, not ${jsonTypeOf(value)}`);
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new DecodeError('invalid Protobuf: JSON has no such number');
}

export const scalarCodecs: Readonly<Record<string, ValueCodec>> = {
  string: {
    wireType: wireBytes,
    alwaysWritten: true,
    write: (writer, value) => {
      writer.string(value === undefined ? '' : expectText(value));
    },
    read: (reader) => reader.string(),
    zero: '',
  },
  bytes: {
    wireType: wireBytes,
    alwaysWritten: false,
    write: (writer, value) => {
      writer.bytes(Buffer.from(value === undefined ? '' : expectText(value), 'base64'));
    },
    read: (reader) => reader.bytes().toString('base64'),
    zero: '',
  },
  bool: {
    wireType: wireVarint,
    alwaysWritten: true,
    write: writeBoolean,
    read: (reader) => reader.varint() !== 0,
    zero: false,
  },
  int32: integer((reader) => reader.int32()),
  int64: integer((reader) => reader.int64()),
  uint32: integer((reader) => reader.varint()),
  uint64: integer((reader) => reader.uint64()),
  float: {
    wireType: wireFixed32,
    alwaysWritten: true,
    write: (writer, value) => {
      writer.float(toNumber(value));
    },
    read: (reader) => finite(reader.float()),
    zero: 0,
  },
  double: {
    wireType: wireFixed64,
    alwaysWritten: true,
    write: (writer, value) => {
      writer.double(toNumber(value));
    },
    read: (reader) => finite(reader.double()),
    zero: 0,
  },
};
