/**
 * Parses large JSON text in pieces: JSON.parse takes tens of milliseconds for a megabyte of short texts, and cannot be
 * interrupted. One pass over the bytes finds where members end; those that are complete are parsed together.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import { resultOf } from '../base/sliced-work.ts';
import { isObject, setOwn, type JsonArray, type JsonObject, type JsonValue } from '../base/json.ts';
import { quote, stringEnd } from './json-bytes.ts';

export interface SlicedJsonOptions {
  /** Awaited between two pieces. */
  readonly breathe: () => MaybePromise<void>;
  /** Default: `JSON.parse`. */
  readonly parse?: (text: string) => JsonValue;
  /** Bytes of a piece, about. */
  readonly pieceBytes?: number;
  /** Levels of nesting; absent: any number. */
  readonly maxDepth?: number;
}

/** Takes about a millisecond where it consists of empty objects. */
const usualPiece = 16 * 1024;

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The value of a text, as JSON.parse gives it. @throws SyntaxError (also for one that nests deeper), and what `parse` throws */
export async function parseInSlices(bytes: Buffer, options: SlicedJsonOptions): Promise<JsonValue> {
  return resultOf(parseInSteps(bytes, options), options.breathe);
}

/** The same; each piece is a step. @throws SyntaxError (also for one that nests deeper), and what `parse` throws */
export function* parseInSteps(
  bytes: Buffer,
  { pieceBytes = usualPiece, maxDepth = Infinity, parse = plain }: Omit<SlicedJsonOptions, 'breathe'> = {},
): Generator<void, JsonValue, void> {
  const reading = new SlicedReading(bytes, { parse, pieceBytes, maxDepth });
  while (reading.readPiece()) yield;
  return reading.value();
}

function plain(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** A list or object that is not closed yet. */
interface Level {
  readonly open: number;
  readonly isList: boolean;
  /** Where the members begin that are not parsed yet. */
  begin: number;
  /** Behind the last of them that is complete. */
  end: number;
  /** Absent: nothing of it is parsed; it is parsed as a part of the level around it. */
  made?: { readonly value: JsonArray | JsonObject; readonly key: string };
  /** The member before `begin` was a level of its own, so that a comma or the end must come next. */
  isBehindLevel: boolean;
  /** A comma stands before `begin`. */
  isBehindComma: boolean;
}

class SlicedReading {
  readonly #bytes: Buffer;
  readonly #parse: (text: string) => JsonValue;
  readonly #pieceBytes: number;
  readonly #maxDepth: number;
  readonly #levels: Level[] = [];
  #at = 0;
  #result: { readonly value: JsonValue; readonly end: number } | undefined;

  constructor(
    bytes: Buffer,
    { parse, pieceBytes, maxDepth }: Required<Pick<SlicedJsonOptions, 'parse' | 'pieceBytes' | 'maxDepth'>>,
  ) {
    this.#bytes = bytes;
    this.#parse = parse;
    this.#pieceBytes = pieceBytes;
    this.#maxDepth = maxDepth;
  }

  /** @returns whether there is more */
  readPiece(): boolean {
    const bytes = this.#bytes;
    const enough = this.#at + this.#pieceBytes;
    for (; this.#at < bytes.length && !this.#result; this.#at += 1) {
      const byte = bytes[this.#at] ?? 0;
      if (byte === quote) this.#at = stringEnd(bytes, this.#at);
      else if (byte === openBrace || byte === openBracket) this.#open(byte === openBracket);
      else if (byte === closeBrace || byte === closeBracket) this.#close(byte === closeBracket);
      else if (byte === comma) {
        this.#separate();
        if (this.#at >= enough) {
          this.#at += 1;
          this.#parseComplete();
          return true;
        }
      }
    }
    return false;
  }

  /** @throws SyntaxError */
  value(): JsonValue {
    // A text that is no list or object is one value, or wrong: JSON.parse says so.
    if (!this.#result) return this.#levels.length === 0 ? this.#parse(this.#bytes.toString()) : fail();
    if (!this.#isBlank(this.#result.end, this.#bytes.length)) fail();
    return this.#result.value;
  }

  #open(isList: boolean): void {
    const above = this.#levels.at(-1);
    if (!above && !this.#isBlank(0, this.#at)) fail();
    if (this.#levels.length >= this.#maxDepth) fail();
    const begin = this.#at + 1;
    const places = { open: this.#at, begin, end: begin };
    this.#levels.push({ ...places, isList, isBehindLevel: false, isBehindComma: false });
  }

  #separate(): void {
    const level = this.#levels.at(-1);
    if (!level) return fail();
    if (level.isBehindLevel) this.#passLevel(level, this.#at);
    else level.end = this.#at;
  }

  /** From the end of a level of its own to the comma behind it. */
  #passLevel(level: Level, at: number): void {
    if (!this.#isBlank(level.begin, at)) fail();
    level.isBehindLevel = false;
    level.isBehindComma = true;
    level.begin = level.end = at + 1;
  }

  #close(isList: boolean): void {
    const level = this.#levels.pop();
    if (level?.isList !== isList) return fail();
    const above = this.#levels.at(-1);
    const end = this.#at + 1;
    const { made } = level;
    if (!made) {
      if (!above) this.#result = { value: this.#parse(this.#text(level.open, end)), end };
      return;
    }
    this.#finish(level);
    if (!above) this.#result = { value: made.value, end };
    else {
      put(above, made);
      above.begin = above.end = end;
      above.isBehindLevel = true;
    }
  }

  /** Parses what stands before the closing bracket. */
  #finish(level: Level): void {
    const isEmpty = this.#isBlank(level.begin, this.#at);
    if (isEmpty && level.isBehindComma && !level.isBehindLevel) fail();
    if (!isEmpty && level.isBehindLevel) fail();
    if (!isEmpty) this.#parseMembers(level, this.#at);
  }

  /** Parses the complete members of all levels. */
  #parseComplete(): void {
    for (const [i, level] of this.#levels.entries()) {
      level.made ??= this.#make(level, this.#levels[i - 1]);
      if (level.end <= level.begin && (level.isBehindComma || level.isBehindLevel)) continue;
      if (this.#bytes[level.end] !== comma) continue;
      if (this.#isBlank(level.begin, level.end)) fail();
      this.#parseMembers(level, level.end);
      level.isBehindComma = true;
      level.begin = level.end = level.end + 1;
    }
  }

  /** @param above the level in which it stands, whose complete members are parsed */
  #make({ open, isList }: Level, above: Level | undefined): NonNullable<Level['made']> {
    const value = isList ? [] : {};
    if (!above) return { value, key: '' };
    const before = this.#text(above.begin, open);
    // Its key, with a value that JSON.parse asks for, and that no number before it can go on with.
    if (above.isList) return before.trim() === '' && !above.isBehindLevel ? { value, key: '' } : fail();
    const member = this.#parse(`{${before}{}}`);
    const [key, ...others] = isObject(member) ? Object.keys(member) : [];
    return key === undefined || others.length > 0 || above.isBehindLevel ? fail() : { value, key };
  }

  #parseMembers({ made, isList, begin }: Level, end: number): void {
    const text = this.#text(begin, end);
    const parsed = this.#parse(isList ? `[${text}]` : `{${text}}`);
    if (!made) return;
    const { value } = made;
    if (Array.isArray(value) && Array.isArray(parsed)) for (const item of parsed) value.push(item);
    else if (isObject(value) && isObject(parsed))
      for (const [key, member] of Object.entries(parsed) as [string, JsonValue][]) setOwn(value, key, member);
  }

  #text(begin: number, end: number): string {
    return this.#bytes.toString('utf8', begin, end);
  }

  #isBlank(begin: number, end: number): boolean {
    for (let at = begin; at < end; at += 1) {
      const byte = this.#bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
    }
    return true;
  }
}

function put(level: Level, { key, value }: NonNullable<Level['made']>): void {
  const list = level.made?.value;
  if (Array.isArray(list)) list.push(value);
  else if (isObject(list)) setOwn(list, key, value);
}

/** The text itself may be secret. */
function fail(): never {
  throw new SyntaxError('the text is not JSON');
}
