/**
 * Compares the view with etcd at a revision of the view. Only keys and revisions are read, page by page and with
 * pauses; of each page remain sums. Keys are only looked at one by one in a collection whose digest differs.
 */
import type { Clock } from '../../base/clock.ts';
import { Slice } from '../../base/cooperate.ts';
import { pause } from '../../base/pause.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { toEtcdError } from '../etcd/etcd-error.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import { PagedRange } from '../etcd/paged-range.ts';
import type { KeyRange, KeySpace } from '../keys.ts';
import type { CollectionId, ObjectKey, Revision } from '../types.ts';
import type { PinnedCollection } from '../view/collection.ts';
import { Digest } from '../view/digest.ts';
import { keyCuts, keysInOrder } from '../view/key-cuts.ts';
import { StateTree } from '../view/state-tree.ts';
import { UnreadableObjects } from '../view/unreadable-objects.ts';
import type { PinnedView } from '../view/view.ts';
import { Pace } from './pace.ts';
import { UnmetKeys } from './unmet-keys.ts';

/** Requests for a page that may fail in succession, and the pause after the first, in milliseconds. */
const mostFailures = 5;
const retryMs = 500;
/** Keys of each kind that are named. */
const mostNamed = 20;

export interface ComparisonDependencies {
  readonly client: Pick<EtcdClient, 'page' | 'epoch'>;
  readonly keys: KeySpace;
  readonly clock: Clock;
}

/** Where it is read, and until when. */
export interface ComparisonOptions {
  /** The past of etcd that the view belongs to. */
  readonly epoch: number;
  readonly signal: AbortSignal;
}

/** Some keys, and how many there are. */
export interface NamedKeys {
  readonly count: number;
  readonly first: readonly ObjectKey[];
}

/** How a collection of the view differs from etcd. */
export interface Difference {
  readonly collection: CollectionId;
  /** Keys that only etcd has. */
  readonly missing: NamedKeys;
  /** Keys that only the view has. */
  readonly surplus: NamedKeys;
  /** Keys that both have, at different revisions. */
  readonly otherRevision: NamedKeys;
}

/** What is read, and what becomes of it. */
interface Reading {
  readonly range: KeyRange;
  readonly cuts: Iterable<Buffer>;
  readonly onKey: (collection: CollectionId, key: ObjectKey, revision: Revision) => void;
  /** Behind the keys of a page. */
  readonly onPage?: (lastKey: ObjectKey) => Promise<void>;
}

class KeyList implements NamedKeys {
  count = 0;
  readonly first: ObjectKey[] = [];

  add(key: ObjectKey): void {
    this.count += 1;
    if (this.first.length < mostNamed) this.first.push(key);
  }
}

export class Comparison {
  readonly #deps: ComparisonDependencies;
  readonly #options: ComparisonOptions;
  readonly #pinned: PinnedView;

  constructor(deps: ComparisonDependencies, pinned: PinnedView, options: ComparisonOptions) {
    this.#deps = deps;
    this.#pinned = pinned;
    this.#options = options;
  }

  /**
   * Collections whose digest is not that of etcd.
   * @throws EtcdError, `compacted` if the revision is gone, `otherPast` if etcd has another past than the view
   */
  async unequal(): Promise<CollectionId[]> {
    const { keys } = this.#deps;
    const digests = new Map<CollectionId, Digest>();
    const known = this.#pinned.collections;
    await this.#read({
      range: keys.everything(),
      cuts: keyCuts(known, keys),
      onKey: (collection, key, revision) => {
        let digest = digests.get(collection);
        if (digest === undefined) digests.set(collection, (digest = new Digest()));
        digest.add(key, revision);
      },
    });
    const empty = new Digest();
    return [...new Set([...known.keys(), ...digests.keys()])].filter(
      (id) => !(known.get(id)?.digest ?? empty).equals(digests.get(id) ?? empty),
    );
  }

  /** How a collection differs; undefined if it does not. @throws EtcdError, as `unequal` */
  async differenceOf(id: CollectionId): Promise<Difference | undefined> {
    const known = this.#pinned.collections.get(id) ?? emptyCollection(id);
    const [missing, surplus, otherRevision] = [new KeyList(), new KeyList(), new KeyList()];
    const { keys } = this.#deps;
    const unmet = new UnmetKeys(keysInOrder(known));
    await this.#read({
      range: keys.collection(id),
      cuts: keyCuts([[id, known]], keys),
      onKey: (_collection, key, revision) => {
        const entry = known.tree.get(key);
        const here = entry?.modRevision ?? known.unreadable.revisionOf(key);
        if (here === 0) missing.add(key);
        else if (here !== revision) otherRevision.add(key);
        // The key of the entry is in memory anyway.
        if (here !== 0) unmet.meet(entry?.key ?? key);
      },
      onPage: (lastKey) => unmet.passTo(lastKey),
    });
    for (const key of await unmet.rest()) surplus.add(key);
    if (missing.count + surplus.count + otherRevision.count === 0) return undefined;
    return { collection: id, missing, surplus, otherRevision };
  }

  /** Keys of objects in a range at the revision. */
  async #read({ range, cuts, onKey, onPage }: Reading): Promise<void> {
    const { client, keys, clock } = this.#deps;
    const { signal, epoch } = this.#options;
    const purpose = { operation: 'check' };
    const how = { keysOnly: true, isUnhurried: true, epoch, purpose };
    const { revision } = this.#pinned;
    const pages = new PagedRange({ client, clock }, { range, cuts, revision, ...how });
    const pace = new Pace(clock, signal);
    const slice = new Slice();
    let lastKey = '';
    const take = ({ key: bytes, mod_revision: revision }: KeyValue): void => {
      const address = keys.parse(bytes);
      if (address === undefined || address.key === '') return;
      lastKey = address.key;
      onKey(address.collection, address.key, numberOf(revision));
    };
    let failures = 0;
    const rest = async (): Promise<void> => {
      for await (const page of pages.pages(signal)) {
        failures = 0;
        for (const kv of page) {
          take(kv);
          await slice.breathe();
        }
        await onPage?.(lastKey);
        await pace.rest();
      }
    };
    for (;;) {
      try {
        await rest();
        return;
      } catch (error) {
        const { kind } = toEtcdError(error, 'check');
        const isOver = signal.aborted || kind === 'compacted' || kind === 'otherPast';
        failures += 1;
        if (isOver || failures > mostFailures) throw error;
        // Goes on behind the last page.
        await pause(clock, failures * retryMs, signal);
      }
    }
  }
}

function emptyCollection(id: CollectionId): PinnedCollection {
  return { id, digest: new Digest(), tree: new StateTree(), unreadable: new UnreadableObjects() };
}
