/** JSON lists of stored objects: copied bytes between a head and a tail, nothing is parsed. */
import type { StoredText } from './stored.ts';
import { maxVersionBytes, spliceOffset, splicedLength, writeSpliced } from './stored.ts';

export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  /** '' when this is the last page. */
  readonly continue?: string;
  readonly remainingItemCount?: number | undefined;
}

/** The text of a list up to and with the bracket that opens `items`. */
export function listHead(head: ListHead): string {
  const metadata = {
    resourceVersion: head.resourceVersion,
    ...(head.continue && { continue: head.continue }),
    ...(head.remainingItemCount !== undefined && { remainingItemCount: head.remainingItemCount }),
  };
  const text = JSON.stringify({ kind: head.kind, apiVersion: head.apiVersion, metadata });
  return `${text.slice(0, -1)},"items":[`;
}

export const listTail = ']}\n';

/** What is known of a list before it is written. */
export interface ListMeasures {
  /** Bytes of the whole list: what is left may fit into less than a slice. */
  readonly total: number;
  /** Splice offset of each entry, so that the heads are read once. */
  readonly offsets: Uint32Array;
}

export function measureList(head: ListHead, entries: readonly StoredText[]): ListMeasures {
  const offsets = new Uint32Array(entries.length);
  let total = Buffer.byteLength(listHead(head)) + listTail.length + Math.max(0, entries.length - 1);
  let index = 0;
  for (const { bytes, modRevision } of entries) {
    const offset = spliceOffset(bytes);
    offsets[index++] = offset;
    total += splicedLength(bytes, modRevision, offset);
  }
  return { total, offsets };
}

/** Where slices are written. */
export interface SliceRoom {
  /** Bytes of a slice; one object may need more. */
  readonly bytes: number;
  readonly measures?: ListMeasures | undefined;
  /** Gives a buffer with at least this size. */
  readonly allocate: (size: number) => Buffer;
}

/**
 * A list in slices, each its own buffer, made as the caller takes them: between two slices the caller may yield and
 * wait for the connection to drain. Each object is copied once and looked at nowhere else.
 */
export function* listSlices(
  head: ListHead,
  entries: Iterable<StoredText>,
  room: SliceRoom,
): Generator<Buffer, void, undefined> {
  const opening = listHead(head);
  let left = room.measures?.total ?? Infinity;
  let index = 0;
  const next = (needed: number): Buffer =>
    room.allocate(Math.max(needed, Math.min(room.bytes, left + maxVersionBytes)));
  let target = next(Buffer.byteLength(opening) + listTail.length);
  let at = target.write(opening, 0);
  let isFirst = true;
  for (const entry of entries) {
    const needed = entry.bytes.length + maxVersionBytes + listTail.length;
    if (at + needed > target.length) {
      yield target.subarray(0, at);
      left -= at;
      target = next(needed);
      at = 0;
    }
    if (isFirst) isFirst = false;
    else target[at++] = comma;
    at = writeSpliced(target, at, entry, room.measures?.offsets[index++]);
  }
  at += target.write(listTail, at, 'latin1');
  yield target.subarray(0, at);
}

const comma = 0x2c;
