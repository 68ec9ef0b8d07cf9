/**
 * OpenAPI documents in the Protobuf form that some clients read faster than JSON. A message type is a table from
 * member names of the JSON form to field numbers and writers. Everything is written from its end to its beginning
 * (see ReverseWriter), and a field always carries its tag.
 */
import type { JsonValue } from '../../../base/json.ts';
import { isObject } from '../../../base/json.ts';
import { ReverseWriter } from '../../../codec/protobuf/writer.ts';

/** Writes a value as the field of that number, or as several. */
export type FieldWriter = (writer: ReverseWriter, number: number, value: JsonValue) => void;

/** Writes the fields of a message, without its length. */
export type BodyWriter = (writer: ReverseWriter, value: JsonValue) => void;

const varint = 0;
const fixed64 = 1;
const bytes = 2;

export const text: FieldWriter = (writer, number, value) => {
  writer.string(typeof value === 'string' ? value : JSON.stringify(value));
  writer.varint(number * 8 + bytes);
};

export const flag: FieldWriter = (writer, number, value) => {
  writer.varint(value === true ? 1 : 0);
  writer.varint(number * 8 + varint);
};

export const integer: FieldWriter = (writer, number, value) => {
  writer.signed(Number(value));
  writer.varint(number * 8 + varint);
};

export const double: FieldWriter = (writer, number, value) => {
  writer.double(Number(value));
  writer.varint(number * 8 + fixed64);
};

/** A value of any shape, as YAML text; JSON is YAML. */
export const any: FieldWriter = (writer, number, value) => {
  nested(writer, number, () => {
    text(writer, 2, JSON.stringify(value));
  });
};

/** A message of its own. */
export function one(body: BodyWriter): FieldWriter {
  return (writer, number, value) => {
    nested(writer, number, () => {
      body(writer, value);
    });
  };
}

/** Each element of an array as a field of its own. */
export function many(field: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const element of [...asArray(value)].reverse()) field(writer, number, element);
  };
}

/** The same field one level down: a message whose only field, of number `inner`, is the value. */
export function wrapped(inner: number, field: FieldWriter): FieldWriter {
  return one((writer, value) => {
    field(writer, inner, value);
  });
}

/** Members of an object as messages of name=1 and value=2. */
export function named(value: FieldWriter): FieldWriter {
  return (writer, number, object) => {
    for (const [name, member] of membersOf(object)) {
      writeNamed(writer, number, { name, member, value });
    }
  };
}

/** The value's writer is found by looking at it. */
export function choice(choose: (value: JsonValue) => FieldWriter): FieldWriter {
  return (writer, number, value) => {
    choose(value)(writer, number, value);
  };
}

export interface MessageTable {
  readonly fields: Readonly<Record<string, readonly [number: number, write: FieldWriter]>>;
  /** Number of the field for `x-…` members; absent: they are left out. */
  readonly extensions?: number;
}

/**
 * A message by its table. The table is asked for at the first write: tables refer to each other.
 * @throws Error for a member that the table does not know
 */
export function message(table: () => MessageTable): BodyWriter {
  let known: MessageTable | undefined;
  return (writer, value) => {
    const { fields, extensions } = (known ??= table());
    for (const [name, member] of membersOf(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field) field[1](writer, field[0], member);
      else if (!name.startsWith('x-')) throw new Error(`${name} has no place in the Protobuf form`);
      else if (extensions !== undefined) writeNamed(writer, extensions, { name, member, value: any });
    }
  };
}

interface NamedMember {
  readonly name: string;
  readonly member: JsonValue;
  readonly value: FieldWriter;
}

function writeNamed(writer: ReverseWriter, number: number, { name, member, value }: NamedMember): void {
  nested(writer, number, () => {
    value(writer, 2, member);
    text(writer, 1, name);
  });
}

function nested(writer: ReverseWriter, number: number, body: () => void): void {
  const before = writer.length;
  body();
  writer.varint(writer.length - before);
  writer.varint(number * 8 + bytes);
}

/** Last member first; what is undefined is no member. */
function membersOf(value: JsonValue): [string, JsonValue][] {
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries<JsonValue | undefined>(isObject(value) ? value : {})) {
    if (member !== undefined) members.unshift([name, member]);
  }
  return members;
}

function asArray(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

/** The bytes of one field. */
export function fieldBytes(field: FieldWriter, number: number, value: JsonValue): Buffer {
  const writer = new ReverseWriter();
  field(writer, number, value);
  return writer.finish();
}

/** The bytes of a message's fields. */
export function bodyBytes(body: BodyWriter, value: JsonValue): Buffer {
  const writer = new ReverseWriter();
  body(writer, value);
  return writer.finish();
}

/** Tag and length of a field whose content is written elsewhere. */
export function fieldHead(number: number, length: number): Buffer {
  const writer = new ReverseWriter(16);
  writer.varint(length);
  writer.varint(number * 8 + bytes);
  return writer.finish();
}
