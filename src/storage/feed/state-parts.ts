/** The parts of a state for other threads: large enough neighbours are written once into memory that all threads read. */
import { PackRows } from '../../codec/pack-rows.ts';
import { endInMemory, isBehind, startInMemory, type Pack } from '../../codec/pack.ts';
import { sizeOf } from '../size.ts';
import type { CollectionId, Entry } from '../types.ts';
import type { UnreadableEntry } from '../view/entry-reader.ts';
import { packTexts, rowOf } from '../view/packing.ts';
import { StoredEntry } from '../view/stored-entry.ts';
import {
  isInOldForm,
  isUnreadable,
  type FedForms,
  type FedObject,
  type FedPack,
  type ToFed,
} from './feed-messages.ts';

/** Bytes and objects of a part. */
const partBytes = 1024 * 1024;
const partObjects = 1_000;
/** Texts of fewer bytes are copied: memory of their own costs as much. */
const leastSharedBytes = 1024;

type Part = Extract<ToFed, { kind: 'objects' | 'pack' }>;

/** What a collection has, in parts. @param head what the items of its lists lack; undefined if its values are no objects */
export function* partsOf(
  collection: CollectionId,
  entries: Iterable<Entry>,
  head: Buffer | undefined,
): Generator<Part, void, undefined> {
  let part: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (part.length > 0 && (bytes >= partBytes || part.length >= partObjects || !isNeighbour(part, entry))) {
      yield partOf(collection, part, head);
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += sizeOf(entry);
  }
  if (part.length > 0) yield partOf(collection, part, head);
}

/** Objects that cannot be read. */
export function unreadablePart(collection: CollectionId, entries: readonly UnreadableEntry[]): Part {
  const objects = entries.map(({ key, modRevision, problem }): FedObject => [
    key,
    modRevision,
    0,
    isUnreadable,
    problem,
  ]);
  return { kind: 'objects', collection, objects };
}

/** The text in a form that can be sent: shared, or small and alone in its memory. */
function sentText(entry: Entry): Uint8Array {
  if (sizeOf(entry) >= leastSharedBytes && entry instanceof StoredEntry) return entry.share();
  const { bytes } = entry;
  return bytes.buffer.byteLength === bytes.length ? bytes : Uint8Array.from(bytes);
}

/** What is told of an object behind its key and revision. */
export function toldParts(
  entry: Entry,
): [mark: number, bits: number, text: Uint8Array | string, form?: string] {
  const form = formOf(entry);
  const parts = [entry.mark ?? 0, bitsOf(entry), sentText(entry)] as const;
  return form === undefined ? [...parts] : [...parts, form];
}

/** Whether the form of the encryption is an old one is seen by each thread, as that changes with the configuration. */
function bitsOf(entry: Entry): number {
  const isOld = entry instanceof StoredEntry ? entry.wasRecoded : entry.isRecoded === true;
  return isOld ? isInOldForm : 0;
}

function formOf(entry: Entry): string | undefined {
  return entry instanceof StoredEntry ? entry.form?.name : undefined;
}

/** Entries that lie behind each other in shared memory stay together, and so do loose ones. */
function isNeighbour(part: readonly Entry[], entry: Entry): boolean {
  const last = part.at(-1);
  const [before, pack] = [sharedPack(last), sharedPack(entry)];
  if (last === undefined || before === undefined || pack === undefined) return before === pack;
  return isBehind(entry, last) && before.head === pack.head;
}

function sharedPack(entry: Entry | undefined): Pack | undefined {
  const pack = entry?.pack;
  return pack?.memory.buffer instanceof SharedArrayBuffer ? pack : undefined;
}

function partOf(collection: CollectionId, part: readonly Entry[], head: Buffer | undefined): Part {
  if (head !== undefined && sharedPack(part[0]) === undefined) share(part, head);
  const pack = packOf(part);
  if (pack !== undefined) return { kind: 'pack', collection, pack };
  const objects = part.map((entry): FedObject => [entry.key, entry.modRevision, ...toldParts(entry)]);
  return { kind: 'objects', collection, objects };
}

/** Writes the texts behind each other, where they stay; those of earlier states stay where they are. */
function share(part: readonly Entry[], head: Buffer): void {
  if (part.some((entry) => entry.isPassed === true || entry.keepItem === undefined)) return;
  packTexts(part, head);
}

/** The part as it lies in shared memory; undefined if it does not. */
function packOf(part: readonly Entry[]): FedPack | undefined {
  const [first] = part;
  const pack = sharedPack(first);
  if (first === undefined || pack === undefined) return undefined;
  const rows = rowsIn(pack, part) ?? PackRows.of(part.map(rowOf));
  if (rows === undefined) return undefined;
  const from = startInMemory(first);
  const ends = endsIn(pack, part) ?? Uint32Array.from(part, (entry) => endInMemory(entry) - from);
  const forms = formsOf(part);
  return {
    ...(forms && { forms }),
    ...{ rows: rows.memory, rowCount: rows.count, rowFrom: rows.first },
    bits: Uint8Array.from(part, bitsOf),
    ends,
    head: Uint8Array.from(pack.head),
    items: new Uint8Array(pack.memory.buffer, from, ends.at(-1)),
  };
}

/** What the pack knows of these entries; undefined if they lie in several. */
function rowsIn(pack: Pack, part: readonly Entry[]): PackRows | undefined {
  return part.at(-1)?.pack === pack ? pack.rows?.from(part[0]?.packedAt ?? 0) : undefined;
}

/** Where they end, if they are all of the pack. */
function endsIn(pack: Pack, part: readonly Entry[]): Uint32Array | undefined {
  return part.at(-1)?.pack === pack && part.length === pack.ends.length ? pack.ends : undefined;
}

/** undefined if values are not encrypted: then none of them has a form. */
function formsOf(part: readonly Entry[]): FedForms | undefined {
  if (part.every((entry) => formOf(entry) === undefined)) return undefined;
  const names = new Map<string, number>();
  const at = Uint16Array.from(part, (entry) => {
    const name = formOf(entry) ?? '';
    const index = names.get(name) ?? names.size;
    names.set(name, index);
    return index;
  });
  return { names: [...names.keys()], at };
}
