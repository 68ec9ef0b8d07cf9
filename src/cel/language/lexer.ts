/** Tokens of an expression. */
import { SyntaxIssue } from './errors.ts';
import { bytesOf, stringOf } from './string-literal.ts';
import type { CelValue } from './values.ts';
import { Uint } from './values.ts';

export interface Token {
  readonly kind: 'ident' | 'quoted' | 'literal' | 'sign' | 'end';
  /** As written. */
  readonly text: string;
  readonly at: number;
  /** Of literals; of whole numbers without a check of their range, for a minus may come before. Of a name in backquotes, the name. */
  readonly value: CelValue;
}

const blank = /(?:[ \t\r\n\f]+|\/\/[^\n]*)*/y;
const ident = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const quotedName = /`[-_./ a-zA-Z0-9]+`/y;
const number =
  /0[xX][0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?|[0-9]+[uU]?/y;
const quote = /(?:[rR][bB]?|[bB][rR]?)?("""|'''|"|')/y;
const sign = /==|!=|<=|>=|&&|\|\||[-+*/%!<>.,:?()[\]{}]/y;

/** Splits a text. @throws SyntaxIssue */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let place = 0;
  for (;;) {
    place += matchAt(blank, text, place).length;
    if (place >= text.length) break;
    const token = tokenAt(text, place);
    tokens.push(token);
    place += token.text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: text.length, value: null });
  return tokens;
}

function matchAt(pattern: RegExp, text: string, place: number): string {
  pattern.lastIndex = place;
  return pattern.exec(text)?.[0] ?? '';
}

function tokenAt(text: string, at: number): Token {
  const quotes = matchAt(quote, text, at);
  if (quotes !== '') return quotedAt(text, at, quotes);
  const name = matchAt(ident, text, at);
  if (name !== '') return wordAt(name, at);
  const quotedText = matchAt(quotedName, text, at);
  if (quotedText !== '') return { kind: 'quoted', text: quotedText, at, value: quotedText.slice(1, -1) };
  const digits = matchAt(number, text, at);
  if (digits !== '') return { kind: 'literal', text: digits, at, value: numberOf(digits, at) };
  const mark = matchAt(sign, text, at);
  if (mark !== '') return { kind: 'sign', text: mark, at, value: null };
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  throw new SyntaxIssue(at, `Syntax error: token recognition error at: ${found}`);
}

function wordAt(text: string, at: number): Token {
  if (text === 'true' || text === 'false') return { kind: 'literal', text, at, value: text === 'true' };
  if (text === 'null') return { kind: 'literal', text, at, value: null };
  return { kind: text === 'in' ? 'sign' : 'ident', text, at, value: null };
}

function numberOf(text: string, at: number): CelValue {
  if (/^0[xX]/.test(text) || /^[0-9]+[uU]?$/.test(text)) {
    const isUnsigned = /[uU]$/.test(text);
    // Longer ones are out of range, and slow to read.
    if (text.length > 40) throw new SyntaxIssue(at, 'invalid int literal: it is out of range');
    const value = BigInt(isUnsigned ? text.slice(0, -1) : text);
    return isUnsigned ? unsignedOf(value, at) : value;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxIssue(at, 'invalid double literal: it is out of range');
  return value;
}

function unsignedOf(value: bigint, at: number): Uint {
  if (value !== BigInt.asUintN(64, value))
    throw new SyntaxIssue(at, 'invalid uint literal: it is out of range');
  return new Uint(value);
}

/** @param opening prefix and quotes */
function quotedAt(text: string, at: number, opening: string): Token {
  const prefix = opening.replace(/["']+$/, '').toLowerCase();
  const quotes = opening.slice(prefix.length);
  const start = at + opening.length;
  const end = closingAt(text, start, { quotes, isRaw: prefix.includes('r') });
  if (end < 0) throw new SyntaxIssue(at, 'Syntax error: a literal is not closed');
  const literal = {
    text: normalLines(text.slice(start, end)),
    at: start,
    isRaw: prefix.includes('r'),
  };
  const value = prefix.includes('b') ? bytesOf(literal) : stringOf(literal);
  return { kind: 'literal', text: text.slice(at, end + quotes.length), at, value };
}

function normalLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

function closingAt(
  text: string,
  start: number,
  { quotes, isRaw }: { readonly quotes: string; readonly isRaw: boolean },
): number {
  const isSingle = quotes.length === 1;
  for (let place = start; place < text.length; place += 1) {
    if (text.startsWith(quotes, place)) return place;
    const character = text.charAt(place);
    if (isSingle && (character === '\n' || character === '\r')) return -1;
    if (character === '\\' && !isRaw) place += 1;
  }
  return -1;
}
