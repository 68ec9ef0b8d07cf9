/** Entries of a fed storage, of what it was told. */
import { Pack } from '../../codec/pack.ts';
import type { StoredForm, Transformer } from '../encryption/transformer.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { CollectionId, ObjectKey } from '../types.ts';
import { UnreadableEntry, type EntryReader } from '../view/entry-reader.ts';
import { StoredEntry, type EntryParts } from '../view/stored-entry.ts';
import { isInOldForm, type FedEvent, type FedObject, type FedPack } from './feed-messages.ts';

/** An entry whose text several threads have; lists leave it where it is. */
class FedEntry extends StoredEntry {
  isShared: boolean;

  constructor(parts: EntryParts) {
    super(parts);
    this.isShared = parts.bytes.buffer instanceof SharedArrayBuffer;
  }

  override keepItem(pack: Pack, index: number): void {
    // It moves into memory of this thread.
    if (this.pack !== undefined) this.isShared = false;
    super.keepItem(pack, index);
  }

  override unpack(): void {
    super.unpack();
    this.isShared = false;
  }
}

/** A key and value of etcd as it was told. */
export interface FedKeyValue extends KeyValue {
  readonly told: FedEvent;
}

/** As an event of etcd brings it. */
export function keyValueOf(told: FedEvent): FedKeyValue {
  const [key, revision, , , text] = told;
  const value = typeof text === 'string' ? noValue : bufferOf(text);
  return { key: Buffer.from(key), mod_revision: revision, create_revision: 0, version: 0, value, told };
}

const noValue = Buffer.alloc(0);

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Makes entries of what was told: texts are decrypted and in the current form. */
export class FedEntries implements Pick<EntryReader, 'prepare' | 'read' | 'readLoose'> {
  readonly #transformer: Pick<Transformer, 'formNamed'>;

  /** @param transformer of this thread: it knows which forms of values a write would renew */
  constructor(transformer: Pick<Transformer, 'formNamed'>) {
    this.#transformer = transformer;
  }

  prepare(): undefined {
    return undefined;
  }

  /** @param kv that `keyValueOf` made */
  read(collection: CollectionId, key: ObjectKey, kv: KeyValue): StoredEntry | UnreadableEntry {
    const [, , ...parts] = (kv as FedKeyValue).told;
    return this.entryOf(collection, [key, numberOf(kv.mod_revision), ...parts]);
  }

  readLoose(collection: CollectionId, key: ObjectKey, kv: KeyValue): StoredEntry | UnreadableEntry {
    return this.read(collection, key, kv);
  }

  /** An object as it was told. */
  entryOf(
    collection: CollectionId,
    [key, modRevision, mark, bits, text, name]: FedObject,
  ): StoredEntry | UnreadableEntry {
    if (typeof text === 'string') return new UnreadableEntry({ collection, key }, modRevision, text);
    const isRecoded = (bits & isInOldForm) !== 0;
    const form = this.#formNamed(collection, name);
    return new FedEntry({ collection, key, modRevision, mark, isRecoded, form, bytes: bufferOf(text) });
  }

  /** The objects of a pack, whose items they keep. */
  *entriesOf(collection: CollectionId, pack: FedPack): Generator<StoredEntry, void, undefined> {
    const { keys, revisions, marks, bits, sizes, versionAts, ends } = pack;
    const forms = pack.forms?.names.map((name) => this.#formNamed(collection, name));
    const kept = new Pack({ memory: bufferOf(pack.items), head: bufferOf(pack.head), ends });
    for (const [i, key] of keys.entries()) {
      const entry = new FedEntry({
        ...{ collection, key, modRevision: revisions[i] ?? 0, mark: marks[i] ?? 0, bytes: kept.memory },
        ...{ size: sizes[i] ?? 0, isRecoded: ((bits[i] ?? 0) & isInOldForm) !== 0 },
        form: forms?.[pack.forms?.at[i] ?? 0],
      });
      entry.versionAt = versionAts[i] ?? 0;
      entry.keepItem(kept, i);
      yield entry;
    }
  }

  #formNamed(collection: CollectionId, name: string | undefined): StoredForm | undefined {
    return name ? this.#transformer.formNamed(collection, name) : undefined;
  }
}
