/** Entries of a fed storage, of what it was told. */
import { PackRows } from '../../codec/pack-rows.ts';
import { Pack } from '../../codec/pack.ts';
import type { StoredForm, Transformer } from '../encryption/transformer.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { CollectionId, ObjectKey } from '../types.ts';
import { UnreadableEntry, type EntryReader } from '../view/entry-reader.ts';
import { StoredEntry } from '../view/stored-entry.ts';
import { isInOldForm, type FedEvent, type FedObject, type FedPack } from './feed-messages.ts';

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
    const bytes = bufferOf(text);
    const isShared = bytes.buffer instanceof SharedArrayBuffer;
    return new StoredEntry({ collection, key, modRevision, mark, isRecoded, isShared, form, bytes });
  }

  /** The objects of a pack, whose items they keep. */
  *entriesOf(collection: CollectionId, pack: FedPack): Generator<StoredEntry, void, undefined> {
    const { bits, ends, rowFrom } = pack;
    const forms = pack.forms?.names.map((name) => this.#formNamed(collection, name));
    const rows = new PackRows(bufferOf(pack.rows), pack.rowCount).from(rowFrom);
    const kept = new Pack({ memory: bufferOf(pack.items), head: bufferOf(pack.head), ends, rows });
    for (let i = 0; i < ends.length; i += 1) {
      const entry = new StoredEntry({
        ...{ collection, key: rows.key(i), modRevision: rows.modRevision(i), mark: rows.mark(i) },
        ...{ bytes: kept.memory, size: rows.size(i), isShared: true },
        isRecoded: ((bits[i] ?? 0) & isInOldForm) !== 0,
        form: forms?.[pack.forms?.at[i] ?? 0],
      });
      entry.versionAt = rows.versionAt(i);
      entry.keepItem(kept, i);
      yield entry;
    }
  }

  #formNamed(collection: CollectionId, name: string | undefined): StoredForm | undefined {
    return name ? this.#transformer.formNamed(collection, name) : undefined;
  }
}
