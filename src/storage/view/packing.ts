/** Texts of neighbours behind each other in one buffer, as lists send them: one piece of memory for hundreds of objects, and lists copy nothing. */
import { sharedMemory } from '../../base/own-memory.ts';
import { leastPackBytes, Pack } from '../../codec/pack.ts';
import { PackRows, type Row } from '../../codec/pack-rows.ts';
import { headOf, itemLength, versionAt, writeItem } from '../../codec/stored.ts';
import { sizeOf } from '../size.ts';
import type { CollectionId, Entry } from '../types.ts';
import { leastRestingBytes } from './resting-texts.ts';
import type { StoredEntry } from './stored-entry.ts';

/** What the items of lists of a collection lack behind their opening brace; undefined if its values are no objects. */
export type ItemHead = (collection: CollectionId) => Buffer | undefined;

const comma = 0x2c;

/**
 * Writes the texts behind each other into memory that other threads can read, where they stay. V8 counts such memory to no heap: of
 * what it counts, each 64 MB that are loaded bring a full collection of a heap that grows. Few bytes, and texts that begin in
 * different ways, stay where they are.
 * @param head of their collection
 * @param allocate gives the memory; default: such that other threads can read
 */
export function packTexts(entries: readonly Entry[], head: Buffer, allocate = sharedMemory): boolean {
  const [first] = entries;
  if (first === undefined) return false;
  const left = headOf(first, head);
  if (entries.some((entry) => headOf(entry, head) !== left)) return false;
  let bytes = 0;
  for (const entry of entries) bytes += itemLength(entry, left) + 1;
  if (bytes < leastPackBytes) return false;
  const memory = allocate(bytes);
  const ends = new Uint32Array(allocate(4 * entries.length).buffer);
  // Objects that events bring come in no order.
  const rows = allocate === sharedMemory ? PackRows.of(entries.map(rowOf)) : undefined;
  const pack = new Pack({ memory, head: left, ends, rows });
  let at = 0;
  for (const [i, entry] of entries.entries()) {
    at = writeItem(memory, at, entry, left);
    ends[i] = at;
    entry.keepItem?.(pack, i);
    memory[at++] = comma;
  }
  return true;
}

/** What is kept of an entry that is folded. */
export function rowOf(entry: Entry): Row {
  const { key, modRevision, mark = 0 } = entry;
  return { key, modRevision, mark, size: sizeOf(entry), versionAt: versionAt(entry) };
}

/** Packs the objects of a page, or of events, of etcd, whose texts still lie in the message. */
export class MessagePacks {
  readonly #itemHead: ItemHead;
  readonly #allocate: (bytes: number) => Buffer;
  #part: StoredEntry[] = [];
  #head: Buffer | undefined;

  /** @param allocate as that of `packTexts` */
  constructor(itemHead: ItemHead, allocate = sharedMemory) {
    this.#itemHead = itemHead;
    this.#allocate = allocate;
  }

  /** Those that come in the order of their keys lie as lists send them. */
  add(entry: StoredEntry): void {
    const head = this.#itemHead(entry.collection);
    // Large texts may rest, which they do alone.
    if (head === undefined || entry.size >= leastRestingBytes || !hasPlace(entry)) {
      entry.settle();
      return;
    }
    const left = headOf(entry, head);
    if (left !== this.#head || entry.collection !== this.#part[0]?.collection) this.end();
    this.#head = left;
    this.#part.push(entry);
  }

  /** No text lies in the message any more. */
  end(): void {
    const [part, head] = [this.#part.filter(({ isPassed }) => !isPassed), this.#head];
    for (const entry of this.#part) if (entry.isPassed) entry.settle();
    this.#part = [];
    if (head !== undefined && packTexts(part, head, this.#allocate)) return;
    for (const entry of part) entry.settle();
  }
}

/** Finds where the resource version is spliced in; false for what has no metadata. */
function hasPlace(entry: StoredEntry): boolean {
  try {
    return versionAt(entry) > 0;
  } catch {
    return false;
  }
}
