/**
 * The stored form of an object and its use in responses. An object is kept as JSON text:
 *
 *   {"kind":K,"apiVersion":V,"metadata":{"name":…,"namespace":…,"uid":…, ^ …,"labels":{…},…,"managedFields":[…]},…,"status":…}
 *
 * Metadata stand in the order of their type (metadata-order.ts), the rest as given, the status last. `resourceVersion` is
 * never stored; it is spliced in at ^. Only short members stand before the labels, so that a selector reads the head of
 * the text and parses nothing else. Text of earlier versions, in which labels come first and nothing else has an order, is
 * read as well.
 */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject, setOwn } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { resultOf } from '../base/sliced-work.ts';
import { DecodeError } from './decode-error.ts';
import { quote, stringEnd } from './json-bytes.ts';
import type { Pack } from './pack.ts';
import { parseExactly } from './parse-exactly.ts';
import { parseInSteps } from './sliced-json.ts';
import { isBeforeLabels, isBeforeVersion, metadataParts } from './metadata-order.ts';

/** What a list or an answer needs of a stored entry. */
export interface StoredText {
  readonly bytes: Buffer;
  /** Length of the bytes, where it is known without making them. */
  readonly size?: number;
  /** They begin like this, up to and with the byte at `versionAt`, where they have to be made first. */
  readonly opening?: Buffer | undefined;
  readonly modRevision: number;
  /** Where the resource version is spliced in, once that was looked for; 0 or absent before. */
  versionAt?: number;
  /** Where the text lies as an item, with the resource version in place, once it was packed with its neighbours; see list-page.ts. */
  readonly pack?: Pack | undefined;
  /** Its index there. */
  readonly packedAt?: number;
}

const noHead = Buffer.alloc(0);

/** Writes the stored text of an object. `metadata.resourceVersion` and `metadata.selfLink` are left out. */
export function encodeStored(object: JsonObject): Buffer {
  return Buffer.from(storedText(object));
}

/** The same as a string, for callers that first look how long it is. */
export function storedText(object: JsonObject): string {
  const { kind, apiVersion, metadata, status, ...rest } = object;
  const meta = isObject(metadata) ? metadataText(metadata) : '';
  const head = `{"kind":${JSON.stringify(kind ?? '')},"apiVersion":${JSON.stringify(apiVersion ?? '')}`;
  const text = joined(`${head},"metadata":{${meta}}`, members(rest));
  return `${joined(text, member('status', status))}}`;
}

/** The members of metadata in stored order, without the braces. */
function metadataText(metadata: JsonObject): string {
  const { ordered, others, managedFields } = metadataParts(metadata);
  const text = joined(members(ordered), members(others));
  return joined(text, member('managedFields', managedFields));
}

/** One call of JSON.stringify for all; integer-like keys come first, the rest in given order. */
function members(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1);
}

function member(name: string, value: JsonValue | undefined): string {
  return value === undefined ? '' : `"${name}":${JSON.stringify(value)}`;
}

/** With a comma between them. (To take one away in front of all would copy the whole text.) */
function joined(a: string, b: string): string {
  if (a === '') return b;
  return b === '' ? a : `${a},${b}`;
}

/** Parses stored text. The caller keeps the result with the entry if it wants it again. @throws DecodeError */
export function decodeStored(bytes: Buffer): JsonObject {
  const value = parsed(bytes.toString('utf8'));
  if (!isObject(value)) throw new DecodeError('the stored text is not an object');
  return value;
}

/** The same in slices, for large objects. @param breathe awaited between two of them @throws DecodeError */
export async function decodeStoredInSlices(
  bytes: Buffer,
  breathe: () => MaybePromise<void>,
): Promise<JsonObject> {
  return resultOf(decodeStoredInSteps(bytes), breathe);
}

/** The same in steps, of about a millisecond at most. @throws DecodeError */
export function* decodeStoredInSteps(bytes: Buffer): Generator<void, JsonObject, void> {
  let value: JsonValue;
  try {
    value = yield* parseInSteps(bytes, { parse: parsed });
  } catch (error) {
    throw error instanceof DecodeError ? error : new DecodeError('the stored text is not JSON');
  }
  if (!isObject(value)) throw new DecodeError('the stored text is not an object');
  return value;
}

/**
 * What was written from a raw number is read as one: the text was checked when it came in. Errors of JSON.parse quote the text,
 * which may be secret. @throws DecodeError
 */
function parsed(text: string): JsonValue {
  try {
    return longDigits.test(text) ? parseExactly(text) : (JSON.parse(text) as JsonValue);
  } catch {
    throw new DecodeError('the stored text is not JSON');
  }
}

/** Stored objects with their resource version, as they are answered. */
export function decodeStoredAt(bytes: Buffer, revision: number): JsonObject {
  return decodeStored(withResourceVersion({ bytes, modRevision: revision }));
}

const longDigits = /[:,[]-?[0-9]{16}/;

const labelsOpening = Buffer.from('"labels":{');

const openingBrace = 0x7b;
const openingBracket = 0x5b;
const closingBrace = 0x7d;

/** Where the resource version is spliced in: behind the members of the metadata that stand before it. */
export function spliceOffset(bytes: Buffer): number {
  return memberAfter(bytes, metadataStart(bytes), isBeforeVersion);
}

/**
 * The offset of the first member of an object, from the one at `at` on, that is not passed over: the names are, and their
 * values are texts, numbers, true, false or null; else the end of the object.
 */
function memberAfter(bytes: Buffer, at: number, isPassed: (name: string) => boolean): number {
  let next = at;
  while (bytes[next] === quote) {
    const nameEnd = stringEnd(bytes, next);
    const value = nameEnd + 2;
    if (!isPassed(bytes.toString('latin1', next + 1, nameEnd)) || !isScalar(bytes[value])) return next;
    const end = scalarEnd(bytes, value);
    if (bytes[end] !== comma) return Math.min(end, bytes.length);
    next = end + 1;
  }
  return next;
}

function isScalar(first: number | undefined): boolean {
  return first !== openingBrace && first !== openingBracket;
}

function scalarEnd(bytes: Buffer, start: number): number {
  if (bytes[start] === quote) return stringEnd(bytes, start) + 1;
  let end = start;
  while (end < bytes.length && bytes[end] !== comma && bytes[end] !== closingBrace) end += 1;
  return end;
}

/**
 * The offset behind `"metadata":{`, the first brace after the outermost one that is not inside a string. (Ten times as
 * fast as a search for the text.)
 */
export function metadataStart(bytes: Buffer): number {
  for (let i = 1; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === openingBrace) return i + 1;
    if (byte === quote) i = stringEnd(bytes, i);
  }
  throw new Error('stored text without metadata');
}

/** The same, looked for once: lists would read the head of every object from memory for it. */
export function versionAt(text: StoredText): number {
  return text.versionAt || (text.versionAt = spliceOffset(text.bytes));
}

const versionOpening = Buffer.from('"resourceVersion":"');

/** The comma that the inserted version needs: before it at the end of the metadata, else behind it; none alone. */
function commaAt(bytes: Buffer, offset: number): 'before' | 'behind' | 'none' {
  if (bytes[offset] !== closingBrace) return 'behind';
  return bytes[offset - 1] === openingBrace ? 'none' : 'before';
}

/** Length of what is inserted at the splice offset. */
function versionLength(bytes: Buffer, offset: number, revision: number): number {
  return versionOpening.length + digitsOf(revision) + (commaAt(bytes, offset) === 'none' ? 1 : 2);
}

function digitsOf(revision: number): number {
  let digits = 1;
  for (let bound = 10; revision >= bound; bound *= 10) digits += 1;
  return digits;
}

/** What stands at the splice offset of an object with its resource version. ASCII. */
export function versionText(bytes: Buffer, offset: number, revision: number): string {
  const at = commaAt(bytes, offset);
  return `${at === 'before' ? ',' : ''}"resourceVersion":"${String(revision)}"${at === 'behind' ? ',' : ''}`;
}

const kindOpening = Buffer.from('"kind":"');
const metadataOpening = Buffer.from(',"metadata":');

/** Whether text begins as `encodeStored` writes it: with texts, and then the metadata. */
export function hasStoredHead(bytes: Buffer): boolean {
  if (!beginsWith(bytes, kindOpening)) return false;
  for (let i = 1; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === openingBrace) return hasAt(bytes, i - metadataOpening.length, metadataOpening);
    if (byte === quote) i = stringEnd(bytes, i);
  }
  return false;
}

/** The offsets behind the braces that open and close the metadata of stored text. */
export interface MetadataRange {
  readonly start: number;
  readonly end: number;
}

export function metadataRange(bytes: Buffer): MetadataRange {
  const start = metadataStart(bytes);
  return { start, end: closingOf(bytes, start - 1) };
}

/** Length of an object with its resource version. */
export function splicedLength(text: StoredText): number {
  const { pack, packedAt = 0 } = text;
  if (pack !== undefined) return pack.lengthOf(packedAt) + pack.head.length;
  const length = text.size ?? text.bytes.length;
  return length + versionLength(openingOf(text), versionAt(text), text.modRevision);
}

/** The text, or enough of it for what stands in front of the labels. */
function openingOf(text: StoredText): Buffer {
  return text.opening ?? text.bytes;
}

/** Length of an object as an item without the members of `head`, which it has. */
export function itemLength(text: StoredText, head: Buffer): number {
  return text.pack?.lengthOf(text.packedAt ?? 0) ?? splicedLength(text) - head.length;
}

/** Whether the text of an object begins with these members. */
export function beginsWith(bytes: Buffer, head: Buffer): boolean {
  return hasAt(bytes, 1, head);
}

/** `head` if the object begins with these members; else nothing, which every object begins with. */
export function headOf(text: StoredText, head: Buffer): Buffer {
  if (text.pack !== undefined) return text.pack.head;
  return beginsWith(openingOf(text), head) ? head : noHead;
}

/** Writes an object with its resource version into `target` at `at`; gives the offset behind it. */
export function writeSpliced(target: Buffer, at: number, text: StoredText): number {
  const { pack, packedAt = 0 } = text;
  if (pack === undefined) return writeStored(target, at, text, 0);
  target[at] = openingBrace;
  const rest = at + 1 + pack.head.copy(target, at + 1);
  return rest + pack.memory.copy(target, rest, pack.startOf(packedAt) + 1, pack.endOf(packedAt));
}

/** Writes an object as an item: with its resource version, without the members of `head`, which it has. */
export function writeItem(target: Buffer, at: number, text: StoredText, head: Buffer): number {
  const { pack, packedAt = 0 } = text;
  if (pack !== undefined)
    return at + pack.memory.copy(target, at, pack.startOf(packedAt), pack.endOf(packedAt));
  return writeStored(target, at, text, head.length);
}

/** Leaves out `skipped` bytes behind the opening brace. */
function writeStored(target: Buffer, at: number, text: StoredText, skipped: number): number {
  const { bytes, modRevision } = text;
  const offset = versionAt(text);
  const length = versionLength(bytes, offset, modRevision);
  const origin = at - skipped;
  bytes.copy(target, origin + offset + length, offset);
  bytes.copy(target, at + 1, 1 + skipped, offset);
  target[at] = openingBrace;
  writeVersion(target, origin + offset, length, { revision: modRevision, comma: commaAt(bytes, offset) });
  return origin + bytes.length + length;
}

const zero = 0x30;
const comma = 0x2c;

function writeVersion(
  target: Buffer,
  at: number,
  length: number,
  version: { readonly revision: number; readonly comma: 'before' | 'behind' | 'none' },
): void {
  let start = at;
  if (version.comma === 'before') target[start++] = comma;
  for (let i = 0; i < versionOpening.length; i += 1) target[start + i] = versionOpening[i] ?? 0;
  let end = at + length - 1;
  if (version.comma === 'behind') target[end--] = comma;
  target[end--] = quote;
  let rest = version.revision;
  for (; end >= start + versionOpening.length; end -= 1) {
    target[end] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** The object's JSON with its resource version in a new buffer from `allocate`; `suffix` (ASCII) follows it. */
export function withResourceVersion(
  text: StoredText,
  suffix = '',
  allocate: (size: number) => Buffer = (size) => Buffer.allocUnsafe(size),
): Buffer {
  const target = allocate(splicedLength(text) + suffix.length);
  const end = writeSpliced(target, 0, text);
  if (suffix !== '') target.write(suffix, end, 'latin1');
  return target;
}

/** The offset of the brace that opens the labels of a stored object; undefined if it has none. */
export function labelsOpen(bytes: Buffer): number | undefined {
  const start = memberAfter(bytes, metadataStart(bytes), isBeforeLabels);
  return hasAt(bytes, start, labelsOpening) ? start + labelsOpening.length - 1 : undefined;
}

/** A text for `readLabels`: that of the item, where it lies as one, for to make the stored text takes a copy of it. */
export function textWithLabels(text: StoredText): Buffer {
  return text.pack?.item(text.packedAt ?? 0) ?? text.bytes;
}

/** The labels of a stored object, read from the head of its text. Members that are not strings are left out. */
export function readLabels(bytes: Buffer): Record<string, string> {
  const open = labelsOpen(bytes);
  if (open === undefined) return {};
  return textsAmong(parsed(bytes.toString('utf8', open, closingOf(bytes, open))));
}

/** The same in steps, for very many: to parse 40,000 takes 30 ms. */
export function* readLabelsInSteps(bytes: Buffer): Generator<void, Record<string, string>, void> {
  const open = labelsOpen(bytes);
  if (open === undefined) return {};
  return textsAmong(yield* parseInSteps(bytes.subarray(open, closingOf(bytes, open)), { parse: parsed }));
}

function textsAmong(stored: JsonValue): Record<string, string> {
  if (!isObject(stored)) return {};
  // A copy of 30,000 labels takes 15 ms; others than texts are in no object that was validated.
  return areTexts(stored) ? stored : textsOf(stored);
}

function areTexts(members: JsonObject): members is Record<string, string> {
  for (const key in members) if (typeof members[key] !== 'string') return false;
  return true;
}

function textsOf(members: JsonObject): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(members))
    if (typeof value === 'string') setOwn(texts, key, value);
  return texts;
}

function hasAt(bytes: Buffer, at: number, part: Buffer): boolean {
  const end = at + part.length;
  return end <= bytes.length && bytes.compare(part, 0, part.length, at, end) === 0;
}

/** The offset behind the brace that closes the object opened at `open`. */
function closingOf(bytes: Buffer, open: number): number {
  let depth = 0;
  for (let i = open; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === quote) i = stringEnd(bytes, i);
    else if (byte === openingBrace) depth += 1;
    else if (byte === closingBrace) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  throw new Error('stored text ends inside an object');
}
