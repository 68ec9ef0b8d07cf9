/** A state that is being loaded. */
import type { Slice } from '../../base/cooperate.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { KeySpace } from '../keys.ts';
import type { StorageLimits } from '../options.ts';
import type { CollectionId, Entry, Revision } from '../types.ts';
import { CollectionView } from './collection.ts';
import { sizeOf } from '../size.ts';
import { UnreadableEntry, type EntryReader } from './entry-reader.ts';
import { MessagePacks, type ItemHead } from './packing.ts';
import { RowEntry } from './row-entry.ts';
import { StoredEntry } from './stored-entry.ts';

export interface DraftDependencies {
  readonly keys: KeySpace;
  readonly entries: Pick<EntryReader, 'prepare' | 'read' | 'readLoose'>;
  readonly limits: StorageLimits;
  /** Absent: each text has memory of its own. */
  readonly itemHead?: ItemHead | undefined;
}

export class ViewDraft {
  readonly revision: Revision;
  readonly collections = new Map<CollectionId, CollectionView>();
  /** Revisions before this one are compacted, as agreed between replicas. */
  compactedAt: Revision = 0;
  /** The name of its past, which etcd keeps; undefined if it has none yet. */
  past: string | undefined;
  readonly #deps: DraftDependencies;
  /** Since `fold`. */
  readonly #grown = new Set<CollectionView>();
  #objects = 0;
  #bytes = 0;

  constructor(revision: Revision, deps: DraftDependencies) {
    this.revision = revision;
    this.#deps = deps;
  }

  /** Size of the loaded part. */
  get size(): { readonly objects: number; readonly bytes: number } {
    return { objects: this.#objects, bytes: this.#bytes };
  }

  /** Adds the key-value pairs of a page, in slices; keys that are not objects are skipped. */
  async addAll(page: readonly KeyValue[], slice: Slice): Promise<void> {
    const { entries, itemHead } = this.#deps;
    await entries.prepare(page);
    const packs = itemHead && new MessagePacks(itemHead);
    for (const kv of page) {
      this.#add(kv, packs);
      await slice.breathe();
    }
    packs?.end();
    this.fold();
  }

  /** Objects of entries of large collections are not kept; to be called as more was added. */
  fold(): void {
    for (const collection of this.#grown) collection.foldLoaded();
    this.#grown.clear();
  }

  #add(kv: KeyValue, packs: MessagePacks | undefined): void {
    const address = this.#deps.keys.parse(kv.key);
    if (address === undefined) {
      this.compactedAt = Math.max(this.compactedAt, compactionIn(kv, this.#deps.keys));
      this.past = pastNameIn(kv, this.#deps.keys) ?? this.past;
    }
    if (address === undefined || address.key === '') return;
    const { entries } = this.#deps;
    const { collection, key } = address;
    const entry = packs ? entries.readLoose(collection, key, kv) : entries.read(collection, key, kv);
    this.adopt(entry);
    if (entry instanceof StoredEntry) packs?.add(entry);
  }

  /** Adds an entry, perhaps of another draft. */
  adopt(entry: Entry | UnreadableEntry): void {
    const collection = this.collection(entry.collection);
    if (entry instanceof UnreadableEntry) {
      collection.loadUnreadable(entry);
      return;
    }
    if (entry instanceof RowEntry) entry.stay();
    collection.load(entry);
    this.#grown.add(collection);
    this.#objects += 1;
    this.#bytes += sizeOf(entry);
  }

  /** A collection of it, created at first use. */
  collection(id: CollectionId): CollectionView {
    let collection = this.collections.get(id);
    if (collection === undefined) {
      collection = new CollectionView(id, this.revision, this.#deps.limits);
      this.collections.set(id, collection);
    }
    return collection;
  }

  /** The entry under a key, readable or not, if it is of this revision of its object. */
  find({ key, mod_revision: revision }: KeyValue): Entry | UnreadableEntry | undefined {
    const address = this.#deps.keys.parse(key);
    if (address === undefined) return undefined;
    const collection = this.collections.get(address.collection);
    const entries = [collection?.get(address.key), collection?.unreadable.get(address.key)];
    return entries.find((entry) => entry?.modRevision === numberOf(revision));
  }
}

/** The name of the past that is written to its key; undefined for other keys. */
export function pastNameIn({ key, value }: KeyValue, keys: KeySpace): string | undefined {
  return keys.pastName().equals(key) ? value.toString() : undefined;
}

/** The compaction revision announced by a write to the compaction key; 0 for other keys. */
export function compactionIn({ key, value, mod_revision }: KeyValue, keys: KeySpace): Revision {
  if (!keys.compaction().equals(key)) return 0;
  const revision = Number(value.toString());
  return revision <= numberOf(mod_revision) ? revision : 0;
}
