/** Reads Protobuf from bytes of unknown origin: every read is checked against the end of what it is part of. */
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../base/json.ts';
import type { StructSchema } from '../../schema/types.ts';
import { DecodeError } from '../decode-error.ts';

export const wireVarint = 0;
export const wireFixed64 = 1;
export const wireBytes = 2;
/** Groups are no longer made; the reference passes over those that it does not know, with all that is in them. */
const wireGroup = 3;
const wireGroupEnd = 4;
export const wireFixed32 = 5;

/** What reading needs to know beside the bytes. */
export interface ReadContext {
  /** Finds the schema of an enveloped object inside another one; undefined: it is not known. */
  readonly schemaOf: (apiVersion: string, kind: string) => StructSchema | undefined;
  /** Levels of nesting that may still be entered. */
  readonly maxDepth: number;
}

const replacement = '\ufffd';

export class ProtobufReader {
  readonly context: ReadContext;
  private readonly buffer: Buffer;
  private at = 0;
  private end: number;
  private depth = 0;

  constructor(buffer: Buffer, context: ReadContext) {
    this.buffer = buffer;
    this.end = buffer.length;
    this.context = context;
  }

  /** Levels that are left for what is read next. */
  get depthLeft(): number {
    return this.context.maxDepth - this.depth;
  }

  /** False at the end of the message. */
  hasMore(): boolean {
    return this.at < this.end;
  }

  /**
   * Reads a length and runs `read` on the message of that length.
   * @throws DecodeError when it reaches beyond its surroundings or is nested too deeply
   */
  message<T>(read: (reader: ProtobufReader) => T): T {
    const outer = this.end;
    this.end = this.sizedEnd();
    this.depth += 1;
    if (this.depth > this.context.maxDepth) {
      throw new DecodeError(`nested deeper than ${String(this.context.maxDepth)} levels`);
    }
    const result = read(this);
    this.depth -= 1;
    this.at = this.end;
    this.end = outer;
    return result;
  }

  /** A tag: field number times eight plus wire type. */
  tag(): number {
    const tag = this.varint();
    if (tag < 8 || tag > 0xffff_ffff) throw malformed();
    return tag;
  }

  /** An unsigned integer of at most 53 bits; what is larger loses precision (`bigint` does not). */
  varint(): number {
    const first = this.buffer[this.at];
    if (first !== undefined && first < 0x80 && this.at < this.end) {
      this.at += 1;
      return first;
    }
    return Number(this.bigint());
  }

  /** An unsigned 64-bit integer. */
  bigint(): bigint {
    let low = 0;
    let value = 0n;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw malformed();
      const byte = this.buffer[this.at] ?? 0;
      this.at += 1;
      // Four groups fit into a small integer; only what is longer needs the slow kind.
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return BigInt.asUintN(64, value | BigInt(low));
    }
    throw malformed();
  }

  /** A signed 32-bit integer. */
  int32(): number {
    return Number(BigInt.asIntN(32, this.bigint()));
  }

  /** A signed 64-bit integer, exact. */
  int64(): JsonValue {
    return exact(BigInt.asIntN(64, this.bigint()));
  }

  uint64(): JsonValue {
    return exact(this.bigint());
  }

  float(): number {
    return this.buffer.readFloatLE(this.advance(4));
  }

  double(): number {
    return this.buffer.readDoubleLE(this.advance(8));
  }

  /** Length and bytes; the result shares memory with the input. */
  bytes(): Buffer {
    const end = this.sizedEnd();
    const result = this.buffer.subarray(this.at, end);
    this.at = end;
    return result;
  }

  /** @throws DecodeError when the text is not valid UTF-8 */
  string(): string {
    const end = this.sizedEnd();
    const start = this.at;
    this.at = end;
    const text = this.buffer.toString('utf8', start, end);
    if (text.includes(replacement) && !isUtf8(this.buffer.subarray(start, end))) {
      throw new DecodeError('invalid Protobuf: a string is not valid UTF-8');
    }
    return text;
  }

  /** Passes over a field that is not known. */
  skip(wireType: number): void {
    if (wireType === wireVarint) this.bigint();
    else if (wireType === wireFixed64) this.advance(8);
    else if (wireType === wireBytes) this.at = this.sizedEnd();
    else if (wireType === wireFixed32) this.advance(4);
    else if (wireType === wireGroup) this.skipGroup();
    else throw malformed();
  }

  /** Goes to the end of a group; groups inside it are counted, so that they take no stack. */
  private skipGroup(): void {
    let open = 1;
    while (open > 0) {
      const wireType = this.tag() & 7;
      if (wireType === wireGroup) open += 1;
      else if (wireType === wireGroupEnd) open -= 1;
      else this.skip(wireType);
    }
  }

  private sizedEnd(): number {
    const size = this.varint();
    const end = this.at + size;
    if (end > this.end) throw malformed();
    return end;
  }

  private advance(size: number): number {
    const start = this.at;
    if (start + size > this.end) throw malformed();
    this.at = start + size;
    return start;
  }
}

function exact(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

function malformed(): DecodeError {
  return new DecodeError('invalid Protobuf: the message is malformed or cut off');
}
