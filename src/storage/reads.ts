/** Reads from the view with the requested freshness; exact revisions from cached states or from etcd. */
import type { Clock } from '../base/clock.ts';
import { SharedSlice } from '../base/cooperate.ts';
import type { EtcdClient } from './etcd/client.ts';
import { EtcdError, toEtcdError, toStorageError } from './etcd/etcd-error.ts';
import type { KeyValue } from './etcd/message-types.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import { PagedRange } from './etcd/paged-range.ts';
import { keyCuts } from './view/key-cuts.ts';
import type { ConsistentReads } from './consistent-reads.ts';
import type { KeySpace } from './keys.ts';
import {
  StorageError,
  type CollectionId,
  type CollectionSnapshot,
  type Entry,
  type ExactFreshness,
  type Freshness,
  type Lifetime,
  type ObjectKey,
  type Revision,
} from './types.ts';
import { UnreadableEntry, type EntryReader } from './view/entry-reader.ts';
import type { StoredEntry } from './view/stored-entry.ts';
import { PastStateLoads } from './past-state-loads.ts';
import { StateTree } from './view/state-tree.ts';
import { TreeSnapshot } from './view/tree-snapshot.ts';
import type { View } from './view/view.ts';

export interface ReadsDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly entries: EntryReader;
  readonly view: View;
  readonly freshness: ConsistentReads;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}

/** Entries that are taken into an earlier state between checks of the clock. */
const takenAtOnce = 64;

export class Reads {
  readonly #deps: ReadsDependencies;
  /** The loads of all earlier states share the time of the thread. */
  readonly #slice = new SharedSlice();
  readonly #loading: PastStateLoads<StateTree>;
  #historyReads = 0;

  constructor(deps: ReadsDependencies) {
    this.#deps = deps;
    this.#loading = new PastStateLoads(deps.clock);
  }

  /** Number of states read from the etcd history. */
  get historyReads(): number {
    return this.#historyReads;
  }

  async snapshot(id: CollectionId, freshness: Freshness, lifetime: Lifetime): Promise<CollectionSnapshot> {
    throwIfOver(lifetime);
    await this.#waitFor(freshness);
    throwIfOver(lifetime);
    const { view } = this.#deps;
    const { name } = view.past;
    if (freshness.kind === 'exact') return (await this.#exact(id, freshness, lifetime)).inPast(name);
    return view.collection(id).listed(view.revision).inPast(name);
  }

  async get(
    id: CollectionId,
    key: ObjectKey,
    { freshness, lifetime }: { freshness: Freshness; lifetime: Lifetime },
  ): Promise<Entry | undefined> {
    throwIfOver(lifetime);
    await this.#waitFor(freshness);
    throwIfOver(lifetime);
    if (freshness.kind === 'exact') return this.#exactGet(id, key, freshness.revision);
    return this.#deps.view.collection(id).readable(key);
  }

  #waitFor(freshness: Freshness): Promise<void> {
    const keeper = this.#deps.freshness;
    switch (freshness.kind) {
      case 'mostRecent':
        return keeper.mostRecent();
      case 'any':
        return keeper.loaded();
      case 'notOlderThan':
      case 'exact':
        return keeper.notOlderThan(freshness.revision);
    }
  }

  async #exact(id: CollectionId, wanted: ExactFreshness, lifetime: Lifetime): Promise<TreeSnapshot> {
    const { revision, within = '', flow = '' } = wanted;
    this.#assertPast(wanted);
    this.#assertKept(id, revision);
    const { view } = this.#deps;
    const state = view.collection(id).stateAt(revision, view.revision, within);
    if (state !== undefined) return state;
    const name = `${revision} ${id} ${within}`;
    const tree = await this.#loading.load(name, { flow, lifetime }, () =>
      this.#load(id, { revision, within }),
    );
    return new TreeSnapshot({ collection: id, revision }, tree);
  }

  async #exactGet(id: CollectionId, key: ObjectKey, revision: Revision): Promise<Entry | undefined> {
    this.#assertKept(id, revision);
    const { view, client, keys, entries } = this.#deps;
    const state = view.collection(id).stateAt(revision, view.revision);
    if (state !== undefined) return state.readable(key);
    this.#assertFollowed();
    const request = { key: keys.object(id, key), revision };
    const answer = await client
      .range(request, { operation: 'get', collection: id })
      .catch((error: unknown) => {
        throw pastError(error, revision);
      });
    const kv = answer.kvs[0];
    if (kv === undefined) return undefined;
    await entries.prepare([kv]);
    return readable(entries.read(id, key, kv));
  }

  /**
   * What is read from etcd is to belong to the view.
   * @throws StorageError unavailable while the view of another past is loaded
   */
  #assertFollowed(): void {
    const { client, view } = this.#deps;
    if (client.epoch !== view.past.epoch)
      throw toStorageError(new EtcdError('otherPast', 'etcd has another past than the view: ask again'));
  }

  /**
   * A revision of another past is another state, or none. Two replicas may follow different pasts while etcd becomes another one.
   * @throws StorageError compacted
   */
  #assertPast({ revision, past }: ExactFreshness): void {
    const { name } = this.#deps.view.past;
    if (past === undefined || name === undefined || past === name) return;
    throw pastError(new EtcdError('compacted', 'etcd has another past than this revision is of'), revision);
  }

  /**
   * All replicas reject the same revisions, regardless of their caches; one that missed events also rejects those of
   * states that it may have shown without them.
   * @throws StorageError compacted
   */
  #assertKept(id: CollectionId, revision: Revision): void {
    const { view } = this.#deps;
    // In etcd revision 0 means the newest, which was not requested.
    if (revision < 1) throw pastError(new EtcdError('compacted', 'no state has revision 0'), revision);
    const oldest = Math.max(view.compactedAt, view.trustedFrom(id));
    if (revision < oldest)
      throw pastError(new EtcdError('compacted', `history is kept from revision ${oldest} on`), revision);
  }

  async #load(
    id: CollectionId,
    { revision, within }: { readonly revision: Revision; readonly within: string },
  ): Promise<StateTree> {
    const { client, keys, entries, view, clock, stopping } = this.#deps;
    this.#assertFollowed();
    this.#historyReads += 1;
    const purpose = { operation: 'list', collection: id };
    const collection = view.collection(id);
    const cuts = keyCuts([[id, collection.pinned()]], keys, within);
    const range = keys.collection(id, within);
    const pages = new PagedRange({ client, clock }, { range, revision, purpose, cuts });
    const tree = new StateTree();
    let [ownBytes, taken] = [0, 0];
    const add = async (kv: KeyValue): Promise<void> => {
      const key = keys.parse(kv.key)?.key ?? '';
      if (key === '') return;
      const current = collection.get(key);
      const isCurrent = current?.modRevision === numberOf(kv.mod_revision);
      tree.set(isCurrent ? current : readable(entries.read(id, key, kv)));
      if (!isCurrent) ownBytes += kv.value.length;
      taken += 1;
      if (taken % takenAtOnce === 0 && this.#slice.shouldYield()) await this.#slice.yieldNow();
    };
    try {
      for await (const page of pages.pages(stopping)) {
        await entries.prepare(page);
        for (const kv of page) await add(kv);
      }
    } catch (error) {
      throw pastError(error, revision);
    }
    collection.keepRead(revision, { tree, ownBytes, within }, clock.monotonic());
    return tree;
  }
}

/** @throws StorageError `unreadable` */
function readable(entry: StoredEntry | UnreadableEntry): StoredEntry {
  if (entry instanceof UnreadableEntry) throw entry.error;
  return entry;
}

function pastError(error: unknown, revision: Revision): StorageError {
  if (error instanceof StorageError) return error;
  const etcdError = toEtcdError(error, 'range');
  if (etcdError.kind !== 'compacted') return toStorageError(etcdError);
  return new StorageError('compacted', `revision ${revision} is compacted`, { revision, cause: etcdError });
}

function throwIfOver(lifetime: Lifetime): void {
  if (lifetime.aborted) {
    throw new StorageError('timeout', 'the request ended before its answer', { cause: lifetime.reason });
  }
}
