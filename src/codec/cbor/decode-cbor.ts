/**
 * CBOR bytes (RFC 8949) → value, by the rules of the reference (apimachinery, serializer/cbor): byte strings are texts,
 * tags 21 to 23 encode those inside, other tags are passed over; what JSON cannot say is refused. One pass, and no more
 * memory than the bytes ask for: lengths are compared with what is there.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { setOwn } from '../../base/json.ts';
import { quoted } from '../../base/short-text.ts';
import { DecodeError } from '../decode-error.ts';
import { defaultLimits } from '../limits.ts';
import { readHalf } from './half-float.ts';
import { indefinite, major, simple, tags } from './heads.ts';
import { epochTimeText, timeText } from './times.ts';

/** How byte strings become texts. */
type ByteForm = 'utf8' | 'base64url' | 'base64' | 'hex';

const formOfTag: ReadonlyMap<number, ByteForm> = new Map([
  [tags.toBase64Url, 'base64url'],
  [tags.toBase64, 'base64'],
  [tags.toBase16, 'hex'],
]);

/**
 * Decodes one data item. Integers beyond 2^53 keep their exact text (`JSON.rawJSON`); `__proto__` is a plain key.
 * @throws DecodeError for what is not well-formed or goes on behind the item, and for duplicate keys, keys that are not
 * strings, text that is not UTF-8, integers beyond 64 bits, NaN, infinity, undefined and other simple values, big
 * numbers, and nesting beyond the limit
 */
export function decodeCbor(bytes: Buffer, maxDepth: number = defaultLimits.maxDepth): JsonValue {
  const reader = new CborReader(bytes, maxDepth);
  const value = reader.item(0, 'utf8');
  reader.assertEnd();
  return value;
}

class CborReader {
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  #at = 0;
  #times = 0;

  constructor(bytes: Buffer, maxDepth: number) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
  }

  item(depth: number, form: ByteForm): JsonValue {
    const head = this.#byte();
    const info = head & 31;
    switch (head >> 5) {
      case major.unsigned:
        return this.#integer(this.#argument(info), 1);
      case major.negative:
        return this.#integer(this.#argument(info), -1);
      case major.bytes:
        if (info < 24 && form === 'utf8')
          return this.#short(info) ?? this.#string(major.bytes, info).toString();
        return this.#string(major.bytes, info).toString(form);
      case major.text:
        return this.#text(info);
      case major.list:
        return this.#list(info, this.#deeper(depth), form);
      case major.map:
        return this.#map(info, this.#deeper(depth), form);
      case major.tag:
        return this.#tagged(this.#argument(info), this.#deeper(depth), form);
      default:
        return this.#simple(info);
    }
  }

  assertEnd(): void {
    if (this.#at < this.#bytes.length) this.#fail('more follows behind the data item');
  }

  #integer(argument: number | bigint, sign: 1 | -1): JsonValue {
    if (typeof argument === 'bigint') {
      if (argument > maxInt64) this.#fail('an integer does not fit into 64 bits');
      return JSON.rawJSON(String(sign === 1 ? argument : -1n - argument));
    }
    const value = sign === 1 ? argument : -1 - argument;
    return Number.isSafeInteger(value) ? value : JSON.rawJSON(String(-1n - BigInt(argument)));
  }

  #text(info: number): string {
    const short = info < 24 ? this.#short(info) : undefined;
    if (short !== undefined) return short;
    const from = this.#at;
    const bytes = this.#string(major.text, info);
    if (isAscii(bytes)) return bytes.toString('latin1');
    // Pieces of an indefinite text have been looked at one by one.
    if (info !== indefinite && !isUtf8(bytes)) this.#fail('a text is not valid UTF-8', from);
    return bytes.toString('utf8');
  }

  /** A string of few bytes, if they are ASCII; undefined otherwise, and nothing is taken. */
  #short(length: number): string | undefined {
    const bytes = this.#bytes;
    const from = this.#at;
    const to = from + length;
    if (to > bytes.length) this.#failEnd();
    for (let at = from; at < to; at += 1) if ((bytes[at] ?? 0) > 0x7f) return undefined;
    this.#at = to;
    return bytes.toString('latin1', from, to);
  }

  #string(type: number, info: number): Buffer {
    if (info === indefinite) return this.#pieces(type);
    const length = this.#length(info, 1);
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  /** The pieces of a string without a length, joined: they take no more bytes than they had with their heads. */
  #pieces(type: number): Buffer {
    const begin = this.#at;
    const length = this.#eachPiece(type, nothing);
    const joined = Buffer.allocUnsafe(length);
    if (length === 0) return joined;
    this.#at = begin;
    let filled = 0;
    this.#eachPiece(type, (from, to) => {
      filled += this.#bytes.copy(joined, filled, from, to);
    });
    // A piece must not end within a character.
    if (type === major.text && !isAscii(joined)) {
      this.#at = begin;
      this.#eachPiece(type, (from, to) => {
        if (!isUtf8(this.#bytes.subarray(from, to))) this.#fail('a text is not valid UTF-8', from);
      });
    }
    return joined;
  }

  /** Visits the pieces that are not empty, up to the break behind them. @returns their bytes in all */
  #eachPiece(type: number, visit: (from: number, to: number) => void): number {
    const bytes = this.#bytes;
    let total = 0;
    // In a variable: a flood of empty pieces takes a third of the time.
    let at = this.#at;
    for (let head = bytes[at]; head !== breakByte; head = bytes[at]) {
      this.#at = at + 1;
      if (head === undefined) return this.#failEnd();
      if (head >> 5 !== type || (head & 31) === indefinite)
        this.#fail('a piece of a string is no string of its type with a length', at);
      if (head !== type << 5) {
        const length = this.#length(head & 31, 1);
        visit(this.#at, this.#at + length);
        this.#at += length;
        total += length;
      }
      at = this.#at;
    }
    this.#at = at + 1;
    return total;
  }

  #list(info: number, depth: number, form: ByteForm): JsonArray {
    const list: JsonArray = [];
    if (info === indefinite) while (!this.#takeBreak()) list.push(this.item(depth, form));
    else for (let left = this.#length(info, 1); left > 0; left -= 1) list.push(this.item(depth, form));
    return list;
  }

  #map(info: number, depth: number, form: ByteForm): JsonObject {
    const object: JsonObject = {};
    if (info === indefinite) while (!this.#takeBreak()) this.#member(object, depth, form);
    else for (let left = this.#length(info, 2); left > 0; left -= 1) this.#member(object, depth, form);
    return object;
  }

  #member(object: JsonObject, depth: number, form: ByteForm): void {
    const at = this.#at;
    const key = this.item(depth, form);
    if (typeof key !== 'string') this.#fail('the key of a map is no string', at);
    if (Object.hasOwn(object, key)) this.#fail(`the key ${quoted(key)} of a map is given twice`, at);
    setOwn(object, key, this.item(depth, form));
  }

  #tagged(tag: number | bigint, depth: number, form: ByteForm): JsonValue {
    if (tag === tags.unsignedBignum || tag === tags.negativeBignum)
      this.#fail('big numbers are not accepted');
    if (tag === tags.time || tag === tags.epochTime) return this.#time(tag, depth);
    return this.item(depth, formOfTag.get(Number(tag)) ?? form);
  }

  #time(tag: number, depth: number): string {
    const type = (this.#bytes[this.#at] ?? 0) >> 5;
    const isText = type === major.text;
    this.#times += 1;
    if (this.#times > mostTimes) this.#fail(`more than ${String(mostTimes)} times are tagged`);
    if (isText !== (tag === tags.time) || type === major.tag) this.#fail('a tagged time is of another type');
    const value = this.item(depth, 'utf8');
    const text = typeof value === 'string' ? timeText(value) : epochTimeText(value);
    return text ?? this.#fail('a tagged time is none');
  }

  #simple(info: number): JsonValue {
    switch (info) {
      case simple.false:
        return false;
      case simple.true:
        return true;
      case simple.null:
        return null;
      case simple.half:
        return this.#finite(readHalf(this.#uint(2)));
      case simple.single:
        return this.#finite(this.#bytes.readFloatBE(this.#take(4)));
      case simple.double:
        return this.#finite(this.#bytes.readDoubleBE(this.#take(8)));
      case indefinite:
        return this.#fail('a break stands where nothing can end', this.#at - 1);
      default:
        return this.#fail('a simple value is neither false, true nor null', this.#at - 1);
    }
  }

  #finite(value: number): number {
    return Number.isFinite(value) ? value : this.#fail('a number is not finite');
  }

  /** A length or count, of items of at least `least` bytes each, that the bytes can hold. */
  #length(info: number, least: number): number {
    const length = Number(this.#argument(info));
    if (length * least > this.#bytes.length - this.#at) this.#failEnd();
    return length;
  }

  /** The argument of a head; a bigint beyond 2^53. */
  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.#byte();
    if (info === 25) return this.#uint(2);
    if (info === 26) return this.#uint(4);
    if (info !== 27) return this.#fail('a head is malformed', this.#at - 1);
    const value = this.#bytes.readBigUInt64BE(this.#take(8));
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  #uint(size: 2 | 4): number {
    return this.#bytes.readUIntBE(this.#take(size), size);
  }

  #byte(): number {
    return this.#bytes[this.#at++] ?? this.#failEnd();
  }

  /** @returns where the bytes begin */
  #take(size: number): number {
    const from = this.#at;
    if (this.#bytes.length - from < size) this.#failEnd();
    this.#at += size;
    return from;
  }

  /** Takes the end of an item without a length, if it is next. */
  #takeBreak(): boolean {
    if (this.#bytes[this.#at] !== breakByte) return false;
    this.#at += 1;
    return true;
  }

  #deeper(depth: number): number {
    if (depth < this.#maxDepth) return depth + 1;
    throw new DecodeError(`nested deeper than ${String(this.#maxDepth)} levels`);
  }

  #failEnd(): never {
    throw new DecodeError('invalid CBOR: it ends within a data item');
  }

  #fail(problem: string, at = this.#at): never {
    throw new DecodeError(`invalid CBOR: ${problem} (at byte ${String(at)})`);
  }
}

/** Each takes half a microsecond and two bytes of a body; clients of this API send times as texts, without tags. */
const mostTimes = 10_000;

/** Ends an item without a length. */
const breakByte = 0xff;

const maxInt64 = 2n ** 63n - 1n;

function nothing(): void {
  // Only the lengths count.
}
