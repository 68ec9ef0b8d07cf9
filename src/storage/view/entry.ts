/** Stored revisions of objects, as everybody shares them. */
import { numberOf, type KeyValue } from '../etcd/messages.ts';
import type { CollectionId, Entry, ObjectKey, Revision } from '../types.ts';
import { markOf, withoutMark, type WriteMark } from '../write/mark.ts';

type EntryParts = Omit<Entry, 'memo'> & { readonly mark: WriteMark };

/** All fields are set here, so that every entry has one shape. */
export class StoredEntry implements Entry {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  readonly bytes: Buffer;
  /** Which write made this revision; see write/mark.ts. */
  readonly mark: WriteMark;
  memo: Map<unknown, unknown> | undefined = undefined;

  constructor({ collection, key, modRevision, bytes, mark }: EntryParts) {
    this.collection = collection;
    this.key = key;
    this.modRevision = modRevision;
    this.bytes = bytes;
    this.mark = mark;
  }
}

/**
 * An entry with bytes of its own: a view into etcd's message (or into a shared pool) would keep megabytes alive
 * for the sake of one small object.
 */
export function entryFrom(collection: CollectionId, key: ObjectKey, kv: KeyValue): StoredEntry {
  const mark = markOf(kv.value);
  const value = withoutMark(kv.value, mark);
  const bytes = Buffer.allocUnsafeSlow(value.length);
  value.copy(bytes);
  return new StoredEntry({ collection, key, modRevision: numberOf(kv.mod_revision), bytes, mark });
}
