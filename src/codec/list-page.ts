/** JSON lists of stored objects: their bytes between a head and a tail, nothing is parsed. */
import { endInMemory, isBehind, Pack, startInMemory } from './pack.ts';
import type { StoredText } from './stored.ts';
import { headOf, itemLength, writeItem } from './stored.ts';

export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  /** Absent where lists have none. */
  readonly selfLink?: string | undefined;
  readonly resourceVersion: string;
  /** '' when this is the last page. */
  readonly continue?: string;
  readonly remainingItemCount?: number | undefined;
  /** The members before `metadata` that items leave out. Absent: they have all. */
  readonly itemHead?: Buffer;
}

/** Items of built-in kinds have neither kind nor apiVersion: those of the list say them. */
export function itemHeadOf({
  kind,
  apiVersion,
}: {
  readonly kind: string;
  readonly apiVersion: string;
}): Buffer {
  return Buffer.from(`${JSON.stringify({ kind, apiVersion }).slice(1, -1)},`);
}

const noItemHead = Buffer.alloc(0);

/** The text of a list up to and with the bracket that opens `items`. */
export function listHead(head: ListHead): string {
  const metadata = {
    ...(head.selfLink !== undefined && { selfLink: head.selfLink }),
    resourceVersion: head.resourceVersion,
    ...(head.continue && { continue: head.continue }),
    ...(head.remainingItemCount !== undefined && { remainingItemCount: head.remainingItemCount }),
  };
  const text = JSON.stringify({ kind: head.kind, apiVersion: head.apiVersion, metadata });
  return `${text.slice(0, -1)},"items":[`;
}

export const listTail = ']}\n';

/**
 * Looking for the places of the resource versions of more entries than this would hold the thread: 3 µs each where their
 * heads come from memory, 33 ms for 10,000.
 */
const maxNew = 1_000;

/** Adding up the lengths of more entries than this would hold the thread: 0.1 µs each. */
const maxMeasured = 20_000;

/** The entries of a list, which may be found while they are taken. */
type Listed<Text> = Iterable<Text> & { readonly length: number };

/** Bytes of a whole list; undefined where finding them out would hold the thread for too long. */
export function listLength(head: ListHead, entries: Listed<StoredText>): number | undefined {
  if (entries.length > maxMeasured || (entries.length > maxNew && !areMeasured(entries))) return undefined;
  const { itemHead = noItemHead } = head;
  const commas = Math.max(0, entries.length - 1);
  let total = Buffer.byteLength(listHead(head)) + listTail.length + commas;
  for (const entry of entries) total += lengthOf(entry, itemHead);
  return total;
}

function lengthOf(entry: StoredText, head: Buffer): number {
  return itemLength(entry, headOf(entry, head));
}

function areMeasured(entries: Iterable<StoredText>): boolean {
  let unknown = 0;
  for (const { versionAt } of entries) if (!versionAt) unknown += 1;
  return unknown <= maxNew;
}

/** An entry that may keep its text where a list has written it. */
export interface ListedText extends StoredText {
  /** A list has held it before. */
  isListed?: boolean;
  /** It is of an earlier state: what keeps it must not keep neighbours alive with it. */
  readonly isPassed?: boolean;
  /** Its text is in memory of several threads, and stays there. */
  readonly isShared?: boolean;
  keepItem?(pack: Pack, index: number): void;
}

/** Where slices are written. */
export interface SliceBuffer {
  /** Bytes of a slice; one object may need more. */
  readonly bytes: number;
  /** Of the whole list, where it is known. */
  readonly length?: number | undefined;
  /** Gives a buffer with at least this size, which is used for nothing else before the slice has left. */
  readonly allocate: (size: number) => Buffer;
}

/** Fewer neighbours than this many bytes are copied: a write of their own costs more. */
const minRunBytes = 256 * 1024;

/**
 * A list in slices, made as the caller takes them: between two slices the caller may yield and wait for the connection
 * to drain.
 *
 * Lists of a collection that rests copy nothing. Objects that a list holds for the second time are written into one
 * buffer, where they stay in place of their single texts: `{…},{…},{…},`. From then on such neighbours are sent as they
 * lie there. Objects that changed since the list before are copied into a slice, together with those between them. A page
 * of 500 (2.9 MB) took 2.3 ms of processor time, bare 2.0; test/bench/README.md has the steps to it.
 */
export function* listSlices(
  head: ListHead,
  entries: Listed<ListedText>,
  buffer: SliceBuffer,
): Generator<Buffer, void, undefined> {
  const opening = Buffer.from(listHead(head));
  const itemHead = head.itemHead ?? noItemHead;
  if (buffer.length !== undefined && buffer.length <= minRunBytes) {
    yield wholeList(opening, entries, itemHead, buffer.allocate(buffer.length));
    return;
  }
  // On its own, for it goes out with the header of the answer, and Node copies what does.
  yield opening;
  const items = new ItemsAhead(entries, itemHead);
  while (items.take(buffer.bytes + minRunBytes)) {
    const run = runAt(items.entries, 0);
    const end = run.isWorthIt ? items.takeRun(run.end) : endOfLoose(items, buffer.bytes);
    const slice = run.isWorthIt ? sliceOfRun(items, end) : sliceOfLoose(items, end, buffer);
    // Before the client is waited for: one that reads nothing would hold them.
    items.drop(end);
    yield slice;
  }
  yield Buffer.from(listTail);
}

/** Entries that are looked at ahead of what was sent: to look for the places of the versions of more takes too long. */
const mostAhead = 4_096;

/** The next entries of a list. Those of a folded collection are made for it: 90 bytes each. */
class ItemsAhead implements Items {
  readonly head: Buffer;
  readonly entries: ListedText[] = [];
  readonly lengths: number[] = [];
  readonly #rest: Iterator<ListedText>;
  /** Known before the slice that ends in front of it: behind the last entry stands no comma. */
  #next: IteratorResult<ListedText>;

  constructor(entries: Iterable<ListedText>, head: Buffer) {
    this.head = head;
    this.#rest = entries[Symbol.iterator]();
    this.#next = this.#rest.next();
  }

  get isEnd(): boolean {
    return this.#next.done === true;
  }

  /** Takes entries until those ahead have so many bytes. Returns whether there are any. */
  take(bytes: number): boolean {
    let ahead = 0;
    for (const length of this.lengths) ahead += length;
    while (ahead < bytes && this.entries.length < mostAhead && this.#next.done !== true)
      ahead += this.#push(this.#next.value);
    return this.entries.length > 0;
  }

  /** Takes what lies in memory behind a run that ends at `end`, too: its rest would be copied. Returns where it ends. */
  takeRun(end: number): number {
    let last = this.entries[end - 1];
    if (end < this.entries.length || last === undefined) return end;
    while (this.entries.length < mostAhead && this.#next.done !== true && isBehind(this.#next.value, last)) {
      last = this.#next.value;
      this.#push(last);
    }
    return this.entries.length;
  }

  /** Takes the next entry. Returns its length. */
  #push(entry: ListedText): number {
    const length = lengthOf(entry, this.head);
    this.entries.push(entry);
    this.lengths.push(length);
    this.#next = this.#rest.next();
    return length;
  }

  /** The first entries are written. */
  drop(count: number): void {
    this.entries.splice(0, count);
    this.lengths.splice(0, count);
  }
}

/** A short list in one slice. */
function wholeList(opening: Buffer, entries: Listed<ListedText>, head: Buffer, target: Buffer): Buffer {
  let at = opening.copy(target);
  for (const entry of entries) {
    at = writeItem(target, at, entry, headOf(entry, head));
    target[at++] = comma;
  }
  if (entries.length > 0) at -= 1;
  at += target.write(listTail, at, 'latin1');
  return target.subarray(0, at);
}

interface Items {
  readonly entries: readonly ListedText[];
  /** Their bytes as items, without commas. */
  readonly lengths: readonly number[];
  readonly head: Buffer;
  /** No entry follows these. */
  readonly isEnd: boolean;
}

interface Run {
  /** Index behind its last entry. */
  readonly end: number;
  readonly isWorthIt: boolean;
}

/** The neighbours that lie behind each other in memory from the entry at `start` on. */
function runAt(entries: readonly ListedText[], start: number): Run {
  let last = entries[start];
  let end = start + 1;
  if (last?.pack === undefined) return { end, isWorthIt: false };
  const first = startInMemory(last);
  for (; end < entries.length; end += 1) {
    const next = entries[end];
    if (next === undefined || !isBehind(next, last)) break;
    last = next;
  }
  return { end, isWorthIt: endInMemory(last) - first >= minRunBytes };
}

/** The text of the run before `end` as it lies in memory: with the comma behind its last entry unless the list ends there. */
function sliceOfRun({ entries, isEnd }: Items, end: number): Buffer {
  const [first, last] = [entries[0], entries[end - 1]];
  if (first?.pack === undefined || last === undefined) return nothing;
  const comma = isEnd && end === entries.length ? 0 : 1;
  const from = startInMemory(first);
  return Buffer.from(first.pack.memory.buffer, from, endInMemory(last) + comma - from);
}

const nothing = Buffer.alloc(0);

/** Index behind the first entries that fit into a slice and do not begin a run that is worth it. */
function endOfLoose({ entries, lengths }: Items, roomBytes: number): number {
  let bytes = 0;
  let end = 0;
  while (end < entries.length) {
    const entry = entries[end];
    if (entry === undefined) break;
    bytes += (lengths[end] ?? 0) + 1;
    if (end > 0 && (bytes > roomBytes || (entry.pack !== undefined && runAt(entries, end).isWorthIt))) break;
    end += 1;
  }
  return end;
}

/** Copies the entries before `end` into one slice, which is kept where all of them have been listed before. */
function sliceOfLoose({ entries, head, isEnd }: Items, end: number, buffer: SliceBuffer): Buffer {
  const loose = entries.slice(0, end);
  let bytes = 0;
  for (const entry of loose) bytes += lengthOf(entry, head) + 1;
  const kept = bytes >= minRunBytes && loose.every(mayBeKept) ? oneHead(loose, head) : undefined;
  const memory = kept ? Buffer.allocUnsafeSlow(bytes) : buffer.allocate(bytes);
  const ends = new Uint32Array(kept ? loose.length : 0);
  const pack = kept && new Pack({ memory, head: kept, ends });
  let at = 0;
  let i = 0;
  for (const entry of loose) {
    at = writeItem(memory, at, entry, headOf(entry, head));
    ends[i] = at;
    if (pack !== undefined) entry.keepItem?.(pack, i);
    entry.isListed = true;
    memory[at++] = comma;
    i += 1;
  }
  return memory.subarray(0, isEnd && end === entries.length ? at - 1 : at);
}

/** What all of them leave out; undefined if they do not agree. */
function oneHead(entries: readonly ListedText[], head: Buffer): Buffer | undefined {
  const [first] = entries;
  const left = first && headOf(first, head);
  return left && entries.every((entry) => headOf(entry, head).equals(left)) ? left : undefined;
}

function mayBeKept(entry: ListedText): boolean {
  return entry.isListed === true && entry.isPassed !== true && entry.isShared !== true && 'keepItem' in entry;
}

const comma = 0x2c;
