/**
 * Keeps a policy index in step with the replica's view: one watch of storage per resource, begun again with the whole
 * state when history is lost. While it begins again, what was known last still counts.
 */
import { messageOf } from '../../base/errors.ts';
import { Backoff } from '../../base/backoff.ts';
import { Slice } from '../../base/cooperate.ts';
import { pause } from '../../base/pause.ts';
import type {
  CollectionSnapshot,
  Lifetime,
  Storage,
  StorageError,
  StoredEvent,
} from '../../storage/types.ts';
import { PolicyIndex } from './policy-index.ts';
import { policyPlurals, type PolicyPlural } from './policy-objects.ts';

export interface PolicyFeedOptions {
  readonly storage: Pick<Storage, 'watch' | 'snapshot'>;
  /** The API group of roles and bindings. */
  readonly group: string;
  readonly warn: (details: object, message: string) => void;
}

export interface PolicyFeed {
  readonly index: PolicyIndex;
  /** Resolves when the index holds the state of all resources for the first time. */
  readonly loaded: Promise<void>;
  /** Resolves when the index holds what was written anywhere before the call. @throws StorageError */
  catchUp(lifetime: Lifetime): Promise<void>;
  /** Ends the watches. */
  close(): void;
}

const betweenWatches = { firstMs: 20, maxMs: 2_000 };

/** Starts following; whoever starts it closes it. */
export function followPolicy(options: PolicyFeedOptions): PolicyFeed {
  const index = new PolicyIndex();
  const stopping = new AbortController();
  const followers = policyPlurals.map((plural) => new Follower({ ...options, plural, index }));
  for (const follower of followers) void follower.run(stopping.signal);
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

interface FollowerOptions extends PolicyFeedOptions {
  readonly plural: PolicyPlural;
  readonly index: PolicyIndex;
}

/** The watch of one resource. */
class Follower {
  private readonly options: FollowerOptions;
  private readonly backoff = new Backoff(betweenWatches);
  private readonly whenLoaded = Promise.withResolvers<undefined>();

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  get loaded(): Promise<undefined> {
    return this.whenLoaded.promise;
  }

  /** Watches until the signal, or until the storage stops. */
  async run(signal: AbortSignal): Promise<void> {
    const { plural, warn } = this.options;
    while (!signal.aborted) {
      const reason = await this.watch(signal);
      if (reason === undefined || reason.code === 'stopped') return;
      warn(
        { resource: plural, problem: messageOf(reason) },
        'the watch of the policy ended and begins again',
      );
      await pause(this.backoff.nextMs(), signal);
    }
  }

  /** One watch to its end; undefined: the signal ended it. */
  private watch(signal: AbortSignal): Promise<StorageError | undefined> {
    const { storage, group, plural } = this.options;
    const { promise, resolve } = Promise.withResolvers<StorageError | undefined>();
    let state: Promise<void> = Promise.resolve();
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    storage.watch(
      {
        collection: `${group}/${plural}`,
        prefix: '',
        start: { kind: 'stateThenChanges', freshness: { kind: 'any' } },
        signal,
      },
      {
        onEstablished: () => undefined,
        onInitial: (snapshot) => {
          state = this.load(snapshot);
        },
        onEvents: (events) => this.apply(events),
        onProgress: () => undefined,
        onEnd: resolve,
        // No event comes before the state is in the index.
        ready: () => state,
      },
    );
    return promise;
  }

  private async load(snapshot: CollectionSnapshot): Promise<void> {
    const { index, plural } = this.options;
    const slice = new Slice();
    for (const key of [...index.keys(plural)]) if (!snapshot.get(key)) index.remove(plural, key);
    for (const entry of snapshot.entries('', '')) {
      index.put(plural, entry);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    this.backoff.reset();
    this.whenLoaded.resolve(undefined);
  }

  private apply(events: readonly StoredEvent[]): void {
    const { index, plural } = this.options;
    for (const { type, entry, key } of events) {
      if (type === 'put') index.put(plural, entry);
      else index.remove(plural, key);
    }
  }
}
