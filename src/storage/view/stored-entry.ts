/** Stored revisions of objects, shared by all readers. */
import { messageOf } from '../../base/errors.ts';
import type { Pack, PackedText } from '../../codec/pack.ts';
import { withoutResourceVersion } from '../../codec/stored.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { CollectionId, Entry, ObjectKey, Revision } from '../types.ts';
import type { Recode, StorageLogger } from '../options.ts';
import { markOf, withoutMark, type WriteMark } from '../write/mark.ts';

type EntryParts = Pick<Entry, 'collection' | 'key' | 'modRevision' | 'bytes' | 'isRecoded'> & {
  readonly mark: WriteMark;
};

/** All fields are set here, so that all entries have the same hidden class. */
export class StoredEntry implements Entry, PackedText {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  readonly size: number;
  readonly isRecoded: boolean;
  /** Mark of the write that made this revision; see write/mark.ts. */
  readonly mark: WriteMark;
  versionAt = 0;
  isListed = false;
  isPassed = false;
  memo: Map<unknown, unknown> | undefined = undefined;
  /** The stored text, or that with its version in place: one of them is enough. */
  #text: Buffer;
  #isWhole = false;
  #pack: Pack | undefined = undefined;

  constructor({ collection, key, modRevision, bytes, mark, isRecoded = false }: EntryParts) {
    this.collection = collection;
    this.key = key;
    this.modRevision = modRevision;
    this.#text = bytes;
    this.size = bytes.length;
    this.isRecoded = isRecoded;
    this.mark = mark;
  }

  get bytes(): Buffer {
    return this.#isWhole ? withoutResourceVersion(this.#text, this.versionAt, this.size) : this.#text;
  }

  get whole(): Buffer | undefined {
    return this.#isWhole ? this.#text : undefined;
  }

  keepWhole(whole: Buffer, pack: Pack): void {
    this.#leavePack();
    this.#text = whole;
    this.#isWhole = true;
    this.#pack = pack;
    pack.join(this, whole.length);
  }

  unpack(): void {
    if (this.#isWhole) this.#text = ownCopy(this.bytes);
    this.#isWhole = false;
    this.#pack = undefined;
  }

  pass(): void {
    this.isPassed = true;
    this.#leavePack();
    this.unpack();
  }

  #leavePack(): void {
    this.#pack?.leave(this, this.#text.length);
  }
}

/** Creates entries from etcd values. */
export class EntryReader {
  readonly #recode: Recode;
  readonly #logger: StorageLogger;

  constructor(recode: Recode, logger: StorageLogger) {
    this.#recode = recode;
    this.#logger = logger;
  }

  /**
   * An entry with its own copy of the bytes: a view into the message (or a shared pool) would retain megabytes for
   * one small object.
   */
  read(collection: CollectionId, key: ObjectKey, kv: KeyValue): StoredEntry {
    const mark = markOf(kv.value);
    const value = withoutMark(kv.value, mark);
    const recoded = this.#recoded(collection, key, value);
    const bytes = ownCopy(recoded ?? value);
    const modRevision = numberOf(kv.mod_revision);
    return new StoredEntry({ collection, key, modRevision, bytes, mark, isRecoded: recoded !== undefined });
  }

  /** An invalid value must not fail the others: it is kept unchanged, so that its owner can see it. */
  #recoded(collection: CollectionId, key: ObjectKey, value: Buffer): Buffer | undefined {
    try {
      return this.#recode(collection, value);
    } catch (error) {
      const message = messageOf(error);
      this.#logger.error({ collection, key, error: message }, 'a stored value cannot be decoded');
      return undefined;
    }
  }
}

function ownCopy(value: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(value.length);
  value.copy(bytes);
  return bytes;
}
