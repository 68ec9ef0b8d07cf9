/** Metadata of stored objects; the rest of the text is not parsed. */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { DecodeError } from './decode-error.ts';
import { parseInSlices } from './sliced-json.ts';
import { metadataRange, metadataStart, spliceOffset } from './stored.ts';

const comma = 0x2c;
const end = Buffer.from('}');
const managedFieldsOpening = Buffer.from('"managedFields":');

/** Text that is parsed in one step. */
const atOnce = 32 * 1024;

/** The metadata of a stored object, without resourceVersion. @throws DecodeError */
export function readMetadata(bytes: Buffer): JsonObject {
  return asMetadata(parsed(wholeText(bytes).toString()));
}

/**
 * The same without `managedFields`, which stand last and are most of the text: nothing behind them is looked at.
 * For readers who follow every change of every object. @throws DecodeError
 */
export function readMetadataHead(bytes: Buffer): JsonObject {
  for (const members of beforeManagedFields(bytes)) {
    const head = parsedMembers(members);
    if (head) return head;
  }
  return withoutManagedFields(readMetadata(bytes));
}

/**
 * The same, in slices where it is long: 30,000 labels take 12 ms. @param breathe awaited between two of them
 * @throws DecodeError (or the promise rejects)
 */
export function metadataHead(bytes: Buffer, breathe: () => MaybePromise<void>): MaybePromise<JsonObject> {
  if (bytes.length <= atOnce) return readMetadataHead(bytes);
  for (const members of beforeManagedFields(bytes)) {
    const head = members.length <= atOnce ? parsedMembers(members) : headInSlices(bytes, breathe);
    if (head) return head;
  }
  return wholeText(bytes).length <= atOnce
    ? withoutManagedFields(readMetadata(bytes))
    : headInSlices(bytes, breathe);
}

async function headInSlices(bytes: Buffer, breathe: () => MaybePromise<void>): Promise<JsonObject> {
  const read = (text: Buffer): Promise<unknown> => parseInSlices(text, { breathe }).catch(() => undefined);
  for (const members of beforeManagedFields(bytes)) {
    const head = (await read(Buffer.concat([members, end]))) as JsonObject | undefined;
    if (head) return head;
  }
  return withoutManagedFields(asMetadata(await read(wholeText(bytes))));
}

/** The UID of a stored object, which stands in front of all that may be long; '' where it has none. @throws DecodeError */
export function readUid(bytes: Buffer): string {
  const start = metadataStart(bytes);
  const members = bytes.toString('utf8', start, spliceOffset(bytes)).replace(/,$/, '');
  const { uid = readMetadataHead(bytes)['uid'] } = asMetadata(parsed(`{${members}}`));
  return typeof uid === 'string' ? uid : '';
}

function wholeText(bytes: Buffer): Buffer {
  const range = metadataRange(bytes);
  return bytes.subarray(range.start - 1, range.end);
}

/** A label and an annotation may have that name. */
const mostPlaces = 3;

/**
 * The metadata up to where that member begins, without a brace at the end; none where there is no such member. It may be another
 * object's: then the next one may be theirs. These bytes can be nothing but a member's name, for quotes within texts are
 * escaped; and what ends within another object, or behind the first, lacks a brace or has too much, so that it is no JSON.
 * (Looking for the member's depth byte by byte took three times as long as all of this.)
 */
function* beforeManagedFields(bytes: Buffer): Generator<Buffer, void, undefined> {
  const open = metadataStart(bytes) - 1;
  let at = bytes.indexOf(managedFieldsOpening, open);
  for (let places = 0; at >= 0 && places < mostPlaces; places += 1) {
    yield bytes.subarray(open, bytes[at - 1] === comma ? at - 1 : at);
    at = bytes.indexOf(managedFieldsOpening, at + 1);
  }
}

function parsedMembers(members: Buffer): JsonObject | undefined {
  return parsed(`${members.toString()}}`) as JsonObject | undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws DecodeError */
function asMetadata(value: unknown): JsonObject {
  if (!isObject(value)) throw new DecodeError('stored metadata is not an object');
  return value;
}

function withoutManagedFields(metadata: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...head } = metadata;
  return head;
}
