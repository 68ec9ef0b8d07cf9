/**
 * Messages of Protobuf that are written where they leave. protobufjs writes them into a buffer of their own, which what is
 * around them then copies, layer by layer.
 */
import type { Piece } from './http2/piece.ts';

/** How a field's value is told, in the last three bits of its tag. */
const wire = { varint: 0, bytes: 2 } as const;

/** A field's tag and a number, or its tag and what follows its length. */
type FieldValue = number | Piece;

/**
 * Fields are written in the order in which they are added: that of their numbers, as protobufjs has it. Field numbers are
 * less than 16.
 */
export class ProtobufMessage implements Piece {
  length = 0;
  readonly #tags: number[] = [];
  readonly #values: FieldValue[] = [];

  /** Adds an integer or an enum value, unless it is what the field is without being told. */
  number(field: number, value: number): this {
    return value === 0 ? this : this.choice(field, value);
  }

  /** Adds an integer that is one of several that the message may have; undefined: it has another. */
  choice(field: number, value: number | undefined): this {
    return value === undefined ? this : this.#add((field << 3) | wire.varint, value, varintLength(value));
  }

  /** Adds bytes, unless there are none. */
  bytes(field: number, value: Piece): this {
    return value.length === 0 ? this : this.message(field, value);
  }

  /** Adds a message that is complete. */
  message(field: number, value: Piece): this {
    const { length } = value;
    return this.#add((field << 3) | wire.bytes, value, varintLength(length) + length);
  }

  copy(target: Buffer, at: number): void {
    let next = at;
    for (let i = 0; i < this.#values.length; i += 1) {
      target[next] = this.#tags[i] ?? 0;
      next = writeValue(target, next + 1, this.#values[i] ?? 0);
    }
  }

  #add(tag: number, value: FieldValue, length: number): this {
    this.#tags.push(tag);
    this.#values.push(value);
    this.length += 1 + length;
    return this;
  }
}

function writeValue(target: Buffer, at: number, value: FieldValue): number {
  if (typeof value === 'number') return writeVarint(target, at, value);
  const start = writeVarint(target, at, value.length);
  value.copy(target, start);
  return start + value.length;
}

/** -1, which stands for all 64 bits, is the only negative number that is ever told. */
const minusOne = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);

function varintLength(value: number): number {
  if (value < 0) return minusOne.length;
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}

/** Numbers may have 53 bits, which shifts do not know. */
function writeVarint(target: Buffer, at: number, value: number): number {
  if (value < 0) return at + minusOne.copy(target, at);
  let next = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[next++] = (rest % 0x80) | 0x80;
  target[next++] = rest;
  return next;
}
