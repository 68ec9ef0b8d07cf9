/**
 * Writes JSON values as fields of Protobuf messages. Everything is written from its end to its beginning (see
 * ReverseWriter), and a field always carries its tag.
 */
import type { JsonValue } from '../../../base/json.ts';
import { isObject } from '../../../base/json.ts';
import type { Steps } from '../../../base/sliced-work.ts';
import type { ReverseWriter } from '../../../codec/protobuf/reverse-writer.ts';

/** Writes a value as the field of that number, or as several: at once, or in steps. */
export type FieldWriter = (writer: ReverseWriter, number: number, value: JsonValue) => Steps | undefined;

/** Writes the fields of a message in steps, without its length. */
export type BodyWriter = (writer: ReverseWriter, value: JsonValue) => Steps;

/** Writes a value at once. */
type ScalarWriter = (writer: ReverseWriter, number: number, value: JsonValue) => undefined;

const varint = 0;
const fixed64 = 1;
const bytes = 2;

/** Writers by scalar type. */
export const scalarWriters: Readonly<Record<string, ScalarWriter>> = {
  string: (writer, number, value) => {
    writer.string(typeof value === 'string' ? value : JSON.stringify(value));
    writer.varint(number * 8 + bytes);
    return undefined;
  },
  bool: (writer, number, value) => {
    writer.varint(value === true ? 1 : 0);
    writer.varint(number * 8 + varint);
    return undefined;
  },
  int64: (writer, number, value) => {
    writer.signed(Number(value));
    writer.varint(number * 8 + varint);
    return undefined;
  },
  double: (writer, number, value) => {
    writer.double(Number(value));
    writer.varint(number * 8 + fixed64);
    return undefined;
  },
};

/** A nested message. */
export function nested(body: BodyWriter): FieldWriter {
  return function* writeNested(writer, number, value) {
    const before = writer.length;
    yield* body(writer, value);
    writeHead(writer, number, writer.length - before);
  };
}

/** Each item of a list as a separate field; a value that is not a list counts as its only item. */
export function repeated(item: FieldWriter): FieldWriter {
  return function* writeItems(writer, number, value) {
    for (const one of Array.isArray(value) ? value.toReversed() : [value]) {
      const steps = item(writer, number, one);
      if (steps) yield* steps;
    }
  };
}

/** A message of name=1 and value=2. */
export function* writeNamed(
  writer: ReverseWriter,
  number: number,
  { name, member, value }: { readonly name: string; readonly member: JsonValue; readonly value: FieldWriter },
): Steps {
  const before = writer.length;
  const steps = value(writer, 2, member);
  if (steps) yield* steps;
  scalarWriters['string']?.(writer, 1, name);
  writeHead(writer, number, writer.length - before);
  yield;
}

/** Members of an object in reverse order, without undefined ones. */
export function* membersFromEnd(value: JsonValue): Generator<[string, JsonValue], void, undefined> {
  for (const [name, member] of Object.entries<JsonValue | undefined>(
    isObject(value) ? value : {},
  ).reverse()) {
    if (member !== undefined) yield [name, member];
  }
}

/** Tag and length of a field whose content is encoded elsewhere. */
export function writeHead(writer: ReverseWriter, number: number, length: number): void {
  writer.varint(length);
  writer.varint(number * 8 + bytes);
}
