/** JSON lists of stored objects: copied bytes between a head and a tail, nothing is parsed. */
import { splicedLength, writeSpliced } from './stored.ts';

/** What a list needs of a stored entry. */
export interface StoredText {
  readonly bytes: Buffer;
  readonly modRevision: number;
}

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

/** A whole list in one buffer, for pages of moderate size. */
export function encodeList(head: ListHead, entries: readonly StoredText[]): Buffer {
  const [first, ...rest] = listSlices(head, entries, Number.MAX_SAFE_INTEGER);
  return first && rest.length === 0 ? first : Buffer.concat([...(first ? [first] : []), ...rest]);
}

/**
 * A list in slices of about `sliceBytes`, each its own buffer, made as the caller takes them: between two slices
 * the caller may yield and wait for the connection to drain.
 */
export function* listSlices(
  head: ListHead,
  entries: Iterable<StoredText>,
  sliceBytes: number,
): Generator<Buffer, void, undefined> {
  let before = listHead(head);
  let batch: StoredText[] = [];
  let size = 0;
  for (const entry of entries) {
    batch.push(entry);
    size += splicedLength(entry.bytes, entry.modRevision) + 1;
    if (size < sliceBytes) continue;
    yield slice({ before, batch, size, after: '' });
    before = ',';
    batch = [];
    size = 0;
  }
  // A slice may have ended exactly with the last entry: then only the tail is left, without a comma.
  yield slice({ before: batch.length === 0 && before === ',' ? '' : before, batch, size, after: listTail });
}

interface Slice {
  readonly before: string;
  readonly batch: readonly StoredText[];
  readonly size: number;
  readonly after: string;
}

/** `size` counts each entry with one byte for the comma behind it. */
function slice({ before, batch, size, after }: Slice): Buffer {
  const commas = batch.length === 0 ? 0 : 1;
  const target = Buffer.allocUnsafe(Buffer.byteLength(before) + size - commas + after.length);
  let at = target.write(before, 0);
  batch.forEach((entry, index) => {
    if (index > 0) at += target.write(',', at, 'latin1');
    at = writeSpliced(target, at, entry.bytes, entry.modRevision);
  });
  target.write(after, at, 'latin1');
  return target;
}
