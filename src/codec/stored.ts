/**
 * The stored form of an object and its use in responses. An object is kept as JSON text:
 *
 *   {"kind":K,"apiVersion":V,"metadata":{ ^ "labels":{…}, …, "managedFields":[…]}, the rest in given order}
 *
 * `resourceVersion` is never stored; it is spliced in at ^. Labels come first so that a selector reads the head
 * of the text and parses nothing else.
 */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject, setOwn } from '../base/json.ts';
import { DecodeError } from './decode-error.ts';
import { quote, stringEnd } from './json-bytes.ts';

/** What a list or an answer needs of a stored entry. */
export interface StoredText {
  readonly bytes: Buffer;
  readonly modRevision: number;
  /** Where the resource version is spliced in, once that was looked for; 0 or absent before. */
  versionAt?: number;
  /** The bytes with the resource version in place, where a list has packed them with its neighbours; see list-page.ts. */
  readonly whole?: Buffer | undefined;
}

/** Writes the stored text of an object. `metadata.resourceVersion` and `metadata.selfLink` are left out. */
export function encodeStored(object: JsonObject): Buffer {
  const { kind, apiVersion, metadata, ...rest } = object;
  const meta = isObject(metadata) ? metadataText(metadata) : '';
  const head = `{"kind":${JSON.stringify(kind ?? '')},"apiVersion":${JSON.stringify(apiVersion ?? '')}`;
  return Buffer.from(`${joined(`${head},"metadata":{${meta}}`, members(rest))}}`);
}

/** The members of metadata in stored order, without the braces. */
function metadataText(metadata: JsonObject): string {
  const { labels, managedFields, resourceVersion: _r, selfLink: _s, ...others } = metadata;
  const text = joined(member('labels', labels), members(others));
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
  const text = bytes.toString('utf8');
  const value = parsed(text, longDigits.test(text) ? keepRaw : undefined);
  if (!isObject(value)) throw new DecodeError('the stored text is not an object');
  return value;
}

/** Errors of JSON.parse quote the text, which may be secret. @throws DecodeError */
function parsed(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return reviver === undefined ? JSON.parse(text) : JSON.parse(text, reviver);
  } catch {
    throw new DecodeError('the stored text is not JSON');
  }
}

/** Stored objects with their resource version, as they are answered. */
export function decodeStoredAt(bytes: Buffer, revision: number): JsonObject {
  const object = decodeStored(bytes);
  const { metadata } = object;
  if (isObject(metadata)) setOwn(metadata, 'resourceVersion', String(revision));
  return object;
}

const longDigits = /[:,[]-?[0-9]{16}/;

/** What was written from a raw number is read as one: the text was checked when it came in. */
function keepRaw(_key: string, value: JsonValue, context?: { source?: string }): JsonValue {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?[0-9]{16,20}$/.test(source) ? JSON.rawJSON(source) : value;
}

const labelsOpening = Buffer.from('"labels":{');

const openingBrace = 0x7b;
const closingBrace = 0x7d;

/**
 * Where the resource version is spliced in: right behind `"metadata":{`, the first brace after the outermost one
 * that is not inside a string. (Ten times as fast as a search for the text.)
 */
export function spliceOffset(bytes: Buffer): number {
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

/** Length of what is inserted at the splice offset. */
function versionLength(bytes: Buffer, offset: number, revision: number): number {
  return versionOpening.length + digitsOf(revision) + (bytes[offset] === closingBrace ? 1 : 2);
}

function digitsOf(revision: number): number {
  let digits = 1;
  for (let bound = 10; revision >= bound; bound *= 10) digits += 1;
  return digits;
}

/** What stands at the splice offset of an object with its resource version. ASCII. */
export function versionText(bytes: Buffer, offset: number, revision: number): string {
  return `"resourceVersion":"${String(revision)}"${bytes[offset] === closingBrace ? '' : ','}`;
}

/** The offset behind the brace that closes the metadata. */
export function metadataEnd(bytes: Buffer): number {
  return closingOf(bytes, spliceOffset(bytes) - 1);
}

/** Length of an object with its resource version. */
export function splicedLength(text: StoredText): number {
  if (text.whole !== undefined) return text.whole.length;
  return text.bytes.length + versionLength(text.bytes, versionAt(text), text.modRevision);
}

/**
 * Writes an object with its resource version into `target` at `at`; gives the offset behind it. One copy for the
 * bulk; head and version are short enough that a loop beats a call.
 */
export function writeSpliced(target: Buffer, at: number, text: StoredText): number {
  if (text.whole !== undefined) return at + text.whole.copy(target, at);
  const { bytes, modRevision } = text;
  const offset = versionAt(text);
  const length = versionLength(bytes, offset, modRevision);
  bytes.copy(target, at + offset + length, offset);
  for (let i = 0; i < offset; i += 1) target[at + i] = bytes[i] ?? 0;
  writeVersion(target, at + offset, length, {
    revision: modRevision,
    isLast: bytes[offset] === closingBrace,
  });
  return at + bytes.length + length;
}

const zero = 0x30;
const comma = 0x2c;

function writeVersion(
  target: Buffer,
  at: number,
  length: number,
  { revision, isLast }: { readonly revision: number; readonly isLast: boolean },
): void {
  for (let i = 0; i < versionOpening.length; i += 1) target[at + i] = versionOpening[i] ?? 0;
  let end = at + length - 1;
  if (!isLast) target[end--] = comma;
  target[end--] = quote;
  let rest = revision;
  for (; end >= at + versionOpening.length; end -= 1) {
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

/** The stored text again, of one with its resource version, which begins at `offset`. */
export function withoutResourceVersion(whole: Buffer, offset: number, storedLength: number): Buffer {
  const bytes = Buffer.allocUnsafe(storedLength);
  whole.copy(bytes, 0, 0, offset);
  whole.copy(bytes, offset, offset + whole.length - storedLength);
  return bytes;
}

/** The labels of a stored object, read from the head of its text. Members that are not strings are left out. */
export function readLabels(bytes: Buffer): Record<string, string> {
  const start = spliceOffset(bytes);
  const open = start + labelsOpening.length - 1;
  if (!hasAt(bytes, start, labelsOpening)) return {};
  const stored = parsed(bytes.toString('utf8', open, closingOf(bytes, open)));
  const labels: Record<string, string> = {};
  if (!isObject(stored)) return labels;
  for (const [key, value] of Object.entries(stored)) {
    if (typeof value === 'string') setOwn(labels, key, value);
  }
  return labels;
}

/** The metadata of a stored object, without resourceVersion; the rest of the text is not parsed. */
export function readMetadata(bytes: Buffer): JsonObject {
  const open = spliceOffset(bytes) - 1;
  const metadata = parsed(bytes.toString('utf8', open, closingOf(bytes, open)));
  if (!isObject(metadata)) throw new DecodeError('stored metadata is not an object');
  return metadata;
}

/**
 * The same without `managedFields`, which stand last and are most of the text: nothing behind them is looked at.
 * For readers who follow every change of every object.
 */
export function readMetadataHead(bytes: Buffer): JsonObject {
  const open = spliceOffset(bytes) - 1;
  const end = bytes.indexOf(managedFieldsOpening, open);
  return (end < 0 ? undefined : closedAt(bytes, open, end)) ?? withoutManagedFields(readMetadata(bytes));
}

const managedFieldsOpening = Buffer.from('"managedFields":');

/**
 * The object opened at `open`, as if it ended where that member begins; undefined when the member is another object's. These
 * bytes can be nothing but a member's name, for quotes within texts are escaped; and what ends within another object, or
 * behind the first, lacks a brace or has too much, so that it is no JSON. (Looking for the member's depth byte by byte
 * took three times as long as all of this.)
 */
function closedAt(bytes: Buffer, open: number, end: number): JsonObject | undefined {
  const members = bytes.toString('utf8', open, bytes[end - 1] === comma ? end - 1 : end);
  try {
    return JSON.parse(`${members}}`) as JsonObject;
  } catch {
    return undefined;
  }
}

function withoutManagedFields(metadata: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...head } = metadata;
  return head;
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
