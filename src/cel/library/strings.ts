/** The library of texts. Characters are code points. */
import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import type { CelList } from '../language/values.ts';
import { NativeList } from '../language/values.ts';
import type { Run } from '../run/run.ts';
import { charactersOf, placeWithin } from './characters.ts';
import { formatText } from './format-text.ts';
import { itemsOf } from './operators.ts';
import { checkParts, checkSearch } from './text-search.ts';

const oneLook: CallCost = (text: string) => Math.ceil(text.length * 0.1);
const twoLooks: CallCost = (text: string) => Math.ceil(text.length * 0.2);

function charAt(run: Run, text: string, place: bigint): string {
  const characters = charactersOf(run, text);
  const at = placeWithin(place, characters.length);
  return characters.slice(at, at + 1);
}

function indexOf(run: Run, text: string, part: string, from = 0n): bigint {
  checkSearch(run, text, part);
  const characters = charactersOf(run, text);
  const start = placeWithin(from, characters.length);
  const found = text.indexOf(part, characters.offsetOf(start));
  return BigInt(found < 0 ? -1 : characters.numberAt(found));
}

function lastIndexOf(run: Run, text: string, part: string, from?: bigint): bigint {
  checkSearch(run, text, part);
  const characters = charactersOf(run, text);
  const start = from === undefined ? characters.length : placeWithin(from, characters.length);
  const found = text.lastIndexOf(part, characters.offsetOf(start));
  return BigInt(found < 0 ? -1 : characters.numberAt(found));
}

function substring(run: Run, text: string, start: bigint, end?: bigint): string {
  const characters = charactersOf(run, text);
  const first = placeWithin(start, characters.length);
  const last = end === undefined ? characters.length : placeWithin(end, characters.length);
  if (last < first)
    throw new EvaluationError(`invalid substring range. start: ${String(first)}, end: ${String(last)}`);
  return characters.slice(first, last);
}

/** Parts of a text: at most so many; with a negative number all. */
function splitText(run: Run, text: string, separator: string, limit = -1n): NativeList {
  checkParts(run, text, separator);
  if (limit === 0n) return new NativeList([]);
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  run.work(parts.length);
  const most = limit < 0n ? parts.length : Number(limit);
  if (parts.length <= most) return new NativeList(parts);
  return new NativeList([...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
}

/** Longer texts are not made. */
const maxMadeText = 10_000_000;

function replaceText(
  run: Run,
  ...[text, old, replacement, limit = -1n]: [string, string, string, bigint?]
): string {
  checkParts(run, text, old);
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old);
  const count = limit < 0n ? parts.length - 1 : Math.min(parts.length - 1, Number(limit));
  chargeText(run, text.length + count * replacement.length);
  const [head, rest] = [parts.slice(0, count + 1), parts.slice(count + 1)];
  return [head.join(replacement), ...rest].join(old);
}

/** A text of this length is about to be made. */
function chargeText(run: Run, length: number): void {
  if (length > maxMadeText) throw new EvaluationError('the text is too long');
  run.charge(Math.ceil(length * 0.1));
}

function join(run: Run, list: CelList, separator = ''): string {
  const texts: string[] = [];
  let length = 0;
  for (const item of itemsOf(list)) {
    if (typeof item !== 'string') throw new EvaluationError('no such overload');
    texts.push(item);
    length += item.length + separator.length;
  }
  chargeText(run, length * 2);
  return texts.join(separator);
}

const space = /[\s\u0085]/;

/** White space by Unicode. A zero-width no-break space is none. */
function isSpace(character: string): boolean {
  return character === ' ' || (character !== '\ufeff' && space.test(character));
}

/** Character by character: an expression looks for the end behind each space of a row, 0.9 s for 30,000 within a text. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const casing = (change: (letter: string) => string, letters: RegExp) => (_run: Run, text: string) =>
  text.replace(letters, change);

/** The library as first releases have it. */
export const strings: readonly Overload[] = [
  member('charAt', 'string_char_at_int', 'string, int -> string', charAt),
  member(
    'indexOf',
    'string_index_of_string',
    'string, string -> int',
    (run, text: string, part: string) => indexOf(run, text, part),
    oneLook,
  ),
  member('indexOf', 'string_index_of_string_int', 'string, string, int -> int', indexOf, oneLook),
  member(
    'lastIndexOf',
    'string_last_index_of_string',
    'string, string -> int',
    (run, text: string, part: string) => lastIndexOf(run, text, part),
    oneLook,
  ),
  member(
    'lastIndexOf',
    'string_last_index_of_string_int',
    'string, string, int -> int',
    lastIndexOf,
    oneLook,
  ),
  member(
    'lowerAscii',
    'string_lower_ascii',
    'string -> string',
    casing((l) => l.toLowerCase(), /[A-Z]+/g),
    oneLook,
  ),
  member(
    'upperAscii',
    'string_upper_ascii',
    'string -> string',
    casing((l) => l.toUpperCase(), /[a-z]+/g),
    oneLook,
  ),
  member(
    'substring',
    'string_substring_int',
    'string, int -> string',
    (run, text: string, start: bigint) => substring(run, text, start),
    oneLook,
  ),
  member('substring', 'string_substring_int_int', 'string, int, int -> string', substring, oneLook),
  member('trim', 'string_trim', 'string -> string', (_run, text: string) => trim(text), oneLook),
  member(
    'split',
    'string_split_string',
    'string, string -> list(string)',
    (run, text: string, separator: string) => splitText(run, text, separator),
    twoLooks,
  ),
  member('split', 'string_split_string_int', 'string, string, int -> list(string)', splitText, twoLooks),
  member(
    'replace',
    'string_replace_string_string',
    'string, string, string -> string',
    (run, text: string, old: string, replacement: string) => replaceText(run, text, old, replacement),
    twoLooks,
  ),
  member(
    'replace',
    'string_replace_string_string_int',
    'string, string, string, int -> string',
    replaceText,
    twoLooks,
  ),
  member('join', 'list_join', 'list(string) -> string', (run, list: CelList) => join(run, list)),
  member('join', 'list_join_string', 'list(string), string -> string', join),
];

const quotedCharacters: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

function quote(text: string): string {
  return `"${text.toWellFormed().replace(/["\\\u0007-\u000d]/g, (character) => quotedCharacters.get(character) ?? character)}"`;
}

/** What later releases add. */
export const laterStrings: readonly Overload[] = [
  member(
    'format',
    'string_format',
    'string, list(dyn) -> string',
    (run, text: string, args: CelList) => {
      const made = formatText(run, text, args);
      run.work(made.length / 16);
      return made;
    },
    oneLook,
  ),
  global('strings.quote', 'strings_quote', 'string -> string', (_run, text: string) => quote(text), oneLook),
];
