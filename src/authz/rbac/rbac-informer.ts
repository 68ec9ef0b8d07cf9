/**
 * Informer of RBAC objects: keeps the policy index in step with the replica's watch cache, one watch per resource.
 * While a watch restarts, the last known state still counts.
 */
import { Slice } from '../../base/cooperate.ts';
import { messageOf } from '../../base/errors.ts';
import { followCollection, type CollectionListener } from '../../storage/follow-collection.ts';
import type {
  CollectionSnapshot,
  Entry,
  Lifetime,
  Storage,
  StorageError,
  StoredEvent,
} from '../../storage/types.ts';
import { PolicyIndex } from './policy-index.ts';
import { policyPlurals, type PolicyPlural } from './policy-objects.ts';

export interface RbacInformerOptions {
  readonly storage: Pick<Storage, 'watch' | 'snapshot'>;
  /** The API group of roles and bindings. */
  readonly group: string;
  readonly warn: (details: object, message: string) => void;
}

export interface RbacInformer {
  readonly index: PolicyIndex;
  /** Resolves when the index holds the state of all resources for the first time. */
  readonly loaded: Promise<void>;
  /** Resolves when the index holds what was written anywhere before the call. @throws StorageError */
  catchUp(lifetime: Lifetime): Promise<void>;
  /** Ends the watches. */
  close(): void;
}

/** Starts the informer; the caller closes it. */
export function startRbacInformer(options: RbacInformerOptions): RbacInformer {
  const index = new PolicyIndex();
  const stopping = new AbortController();
  const followers = policyPlurals.map((plural) => {
    const follower = new Follower({ ...options, plural, index });
    followCollection(options.storage, `${options.group}/${plural}`, follower, stopping.signal);
    return follower;
  });
  const loaded = Promise.all(followers.map((follower) => follower.loaded)).then(() => undefined);
  return {
    index,
    loaded,
    // Watches hear of a change before those who wait for the view to reach it.
    catchUp: async (lifetime) => {
      await options.storage.snapshot(`${options.group}/roles`, { kind: 'mostRecent' }, lifetime);
    },
    close: () => {
      stopping.abort();
    },
  };
}

interface FollowerOptions extends RbacInformerOptions {
  readonly plural: PolicyPlural;
  readonly index: PolicyIndex;
}

/** What the index holds of one resource. */
class Follower implements CollectionListener {
  private readonly options: FollowerOptions;
  private readonly whenLoaded = Promise.withResolvers<undefined>();

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  get loaded(): Promise<undefined> {
    return this.whenLoaded.promise;
  }

  async onState(snapshot: CollectionSnapshot): Promise<void> {
    const { index, plural } = this.options;
    const slice = new Slice();
    for (const key of [...index.keys(plural)]) if (!snapshot.get(key)) index.remove(plural, key);
    for (const entry of snapshot.entries('', '')) {
      this.put(entry);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    this.whenLoaded.resolve(undefined);
  }

  onEvents(events: readonly StoredEvent[]): void {
    const { index, plural } = this.options;
    for (const { type, entry, key } of events) {
      if (type === 'put') this.put(entry);
      else index.remove(plural, key);
    }
  }

  onBreak(reason: StorageError): void {
    const { plural, warn } = this.options;
    warn({ resource: plural, problem: messageOf(reason) }, 'the watch of RBAC objects ended and restarts');
  }

  /** An object that cannot be read (another writer stored it) grants nothing and does not affect the others. */
  private put(entry: Entry): void {
    const { index, plural, warn } = this.options;
    try {
      index.put(plural, entry);
    } catch (error) {
      index.remove(plural, entry.key);
      warn({ resource: plural, key: entry.key, problem: messageOf(error) }, 'an RBAC object cannot be read');
    }
  }
}
