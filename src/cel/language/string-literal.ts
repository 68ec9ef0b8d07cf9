/** String and bytes literals: prefixes `r` and `b`, four kinds of quotes, escapes (language definition, "String and Bytes Values"). */
import { SyntaxIssue } from './errors.ts';

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ['?', 63],
  ['"', 34],
  ["'", 39],
  ['`', 96],
]);

const hexLengths: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
]);

/** A literal without its quotes. */
export interface RawLiteral {
  readonly text: string;
  /** Offset of the text, for messages. */
  readonly at: number;
  readonly isRaw: boolean;
}

/** The string that a literal stands for. @throws SyntaxIssue */
export function stringOf({ text, at, isRaw }: RawLiteral): string {
  if (isRaw || !text.includes('\\')) return text;
  let result = '';
  eachPart(
    { text, at, isRaw },
    {
      plain: (part) => (result += part),
      code: (code, place) => {
        if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
          throw new SyntaxIssue(place, 'invalid unicode code point in a string literal');
        result += String.fromCodePoint(code);
      },
    },
  );
  return result;
}

/** The bytes that a literal stands for: its text in UTF-8, but for escapes of single bytes. @throws SyntaxIssue */
export function bytesOf(literal: RawLiteral): Uint8Array {
  const encoder = new TextEncoder();
  if (literal.isRaw) return encoder.encode(literal.text);
  const parts: Uint8Array[] = [];
  eachPart(literal, {
    plain: (part) => parts.push(encoder.encode(part)),
    code: (code, place, kind) => {
      if (kind === 'u' || kind === 'U' || code > 255)
        throw new SyntaxIssue(place, 'only escapes of single bytes are allowed in a bytes literal');
      parts.push(Uint8Array.of(code));
    },
  });
  return Buffer.concat(parts);
}

interface Parts {
  plain(part: string): void;
  code(code: number, at: number, kind: string): void;
}

function eachPart({ text, at }: RawLiteral, parts: Parts): void {
  let place = 0;
  while (place < text.length) {
    const slash = text.indexOf('\\', place);
    const end = slash < 0 ? text.length : slash;
    if (end > place) parts.plain(text.slice(place, end));
    if (slash < 0) return;
    place = escapeAt(text, slash, { at, parts });
  }
}

/** Reads one escape; gives the place after it. */
function escapeAt(text: string, slash: number, { at, parts }: { at: number; parts: Parts }): number {
  const kind = text.charAt(slash + 1);
  const simple = simpleEscapes.get(kind);
  if (simple !== undefined) {
    parts.code(simple, at + slash, kind);
    return slash + 2;
  }
  const hex = hexLengths.get(kind);
  const [digits, pattern, radix] =
    hex === undefined
      ? [text.slice(slash + 1, slash + 4), /^[0-3][0-7]{2}$/, 8]
      : [text.slice(slash + 2, slash + 2 + hex), /^[0-9a-fA-F]+$/, 16];
  if (!pattern.test(digits) || (hex !== undefined && digits.length < hex))
    throw new SyntaxIssue(at + slash, `invalid escape sequence in a literal: \\${kind}`);
  parts.code(Number.parseInt(digits, radix), at + slash, kind);
  return slash + 1 + digits.length + (hex === undefined ? 0 : 1);
}
