/**
 * Writes Protobuf from its end to its beginning: the length of a nested message is known once the message is
 * written, so nothing is measured or moved. Whoever writes two things writes the later one first.
 */
const maxUint32 = 0xffff_ffff;
const twoTo32 = 0x1_0000_0000;

/** Strings up to this length are written by hand, which beats a call into the runtime. */
const shortString = 24;

export class ReverseWriter {
  private buffer: Buffer;
  private start: number;

  constructor(capacity = 4096) {
    this.buffer = Buffer.allocUnsafe(capacity);
    this.start = capacity;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.buffer.length - this.start;
  }

  /** Bytes that it has room for. */
  get capacity(): number {
    return this.buffer.length;
  }

  /** Forgets what was written. */
  clear(): void {
    this.start = this.buffer.length;
  }

  /** A copy of what was written, of exactly its size. */
  finish(): Buffer {
    const result = Buffer.allocUnsafeSlow(this.length);
    this.buffer.copy(result, 0, this.start);
    return result;
  }

  /** An unsigned integer up to 2^53. */
  varint(value: number): void {
    if (value < 0x80) {
      this.byte(value);
    } else if (value <= maxUint32) {
      this.varint32(value);
    } else {
      this.varint64(value % twoTo32, Math.floor(value / twoTo32));
    }
  }

  /** A signed integer; negative ones take ten bytes. */
  signed(value: number): void {
    if (value >= 0) this.varint(value);
    else this.bigint(BigInt(value));
  }

  /** A 64-bit integer, signed or not. */
  bigint(value: bigint): void {
    const bits = BigInt.asUintN(64, value);
    this.varint64(Number(bits & 0xffff_ffffn), Number(bits >> 32n));
  }

  float(value: number): void {
    this.reserve(4);
    this.start -= 4;
    this.buffer.writeFloatLE(value, this.start);
  }

  double(value: number): void {
    this.reserve(8);
    this.start -= 8;
    this.buffer.writeDoubleLE(value, this.start);
  }

  /** Length and bytes. */
  bytes(value: Buffer): void {
    this.reserve(value.length);
    this.start -= value.length;
    value.copy(this.buffer, this.start);
    this.varint(value.length);
  }

  /** Length and UTF-8 text. */
  string(value: string): void {
    if (value.length <= shortString && this.ascii(value)) return;
    const size = Buffer.byteLength(value);
    this.reserve(size);
    this.start -= size;
    this.buffer.write(value, this.start);
    this.varint(size);
  }

  private ascii(value: string): boolean {
    const size = value.length;
    this.reserve(size);
    const { buffer } = this;
    const start = this.start - size;
    for (let i = 0; i < size; i += 1) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      buffer[start + i] = code;
    }
    this.start = start;
    this.byte(size);
    return true;
  }

  private byte(value: number): void {
    this.reserve(1);
    this.start -= 1;
    this.buffer[this.start] = value;
  }

  private varint32(value: number): void {
    const size = value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    this.reserve(size);
    this.start -= size;
    let rest = value;
    let at = this.start;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.buffer[at] = (rest & 0x7f) | 0x80;
      at += 1;
    }
    this.buffer[at] = rest;
  }

  private varint64(low: number, high: number): void {
    const bytes: number[] = [];
    let rest = low;
    let above = high;
    while (above > 0 || rest >= 0x80) {
      bytes.push((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 0x80) + (above & 0x7f) * 0x200_0000;
      above = Math.floor(above / 0x80);
    }
    bytes.push(rest);
    for (const byte of bytes.reverse()) this.byte(byte);
  }

  private reserve(size: number): void {
    if (size <= this.start) return;
    const { length } = this;
    const capacity = Math.max(this.buffer.length * 2, length + size);
    const grown = Buffer.allocUnsafe(capacity);
    this.buffer.copy(grown, capacity - length, this.start);
    this.buffer = grown;
    this.start = capacity - length;
  }
}
