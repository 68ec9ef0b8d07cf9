/** One replay of etcd's history for all watches of a collection that need it at the same time. */
import type { SharedSlice } from '../../base/cooperate.ts';
import type { StorageLimits } from '../options.ts';
import { StorageError, type CollectionId, type Revision, type StoredEvent } from '../types.ts';
import { replayHistory, type ReplayDependencies } from './history-replay.ts';
import type { RecentEvents } from './recent-events.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import type { Subscription } from './subscription.ts';

/** How long a watch that shares a replay may hold up the others in all, and one by itself at a time. */
const patienceMs = 250;

/** A watch that needs a replay. */
export interface Member {
  readonly subscription: Subscription;
  /** It has what came until then. */
  readonly position: Revision;
  /** What it has left of the patience of others. */
  patienceMs: number;
  /** Told how far it got. */
  readonly resolve: (reached: Revision) => void;
  readonly reject: (error: unknown) => void;
}

export interface SharedReplayDependencies {
  readonly replay: ReplayDependencies;
  readonly recent: RecentEvents;
  readonly limits: StorageLimits;
  /** Of all starts of watches. */
  readonly slice: SharedSlice;
  /** The past of etcd that the state is of. */
  readonly epoch: () => number;
}

export class SharedReplay {
  readonly #collection: CollectionId;
  readonly #deps: SharedReplayDependencies;
  readonly #isAwaited: () => boolean;
  /** Those that are told, and how each lets go of its signal. */
  readonly #members = new Map<Member, () => void>();
  readonly #ending = new AbortController();
  /** What is told, for the ring: others that reconnect are served from it. */
  readonly #past: ReplayBuffer;
  /** Events up to its position that members were not told yet. */
  #untold: readonly StoredEvent[] = [];
  /** How far it is. */
  #position: Revision = 0;

  /** @param isAwaited whether watches wait for the next one */
  constructor(collection: CollectionId, deps: SharedReplayDependencies, isAwaited: () => boolean) {
    this.#collection = collection;
    this.#deps = deps;
    this.#isAwaited = isAwaited;
    this.#past = new ReplayBuffer(deps.limits);
  }

  /** No watch needs it any more. */
  get isOver(): boolean {
    return this.#members.size === 0;
  }

  /** Whether a watch that has what came until then can go along. */
  admits(position: Revision): boolean {
    return !this.isOver && position >= this.#position;
  }

  add(member: Member): void {
    const { signal, state } = member.subscription;
    if (state === 'over') {
      member.resolve(member.position);
      return;
    }
    member.patienceMs = patienceMs;
    const onOver = (): void => this.#leave(member);
    signal.addEventListener('abort', onOver);
    this.#members.set(member, () => signal.removeEventListener('abort', onOver));
  }

  /** Never fails: each watch is told how far it got, or its error. @returns those that need another one, for history is lost that others need */
  async run(): Promise<readonly Member[]> {
    const after = this.#oldest();
    this.#position = after;
    try {
      const reached = await this.#replay(after);
      this.#extendRing(after, reached);
      for (const member of [...this.#members.keys()]) {
        member.subscription.deliver([], reached);
        this.#leave(member);
      }
      return [];
    } catch (error) {
      return this.#fail(error);
    }
  }

  #replay(after: Revision): Promise<Revision> {
    return replayHistory(this.#deps.replay, {
      collection: this.#collection,
      after,
      epoch: this.#deps.epoch(),
      signal: this.#ending.signal,
      isCaughtUp: (position) => this.#isCaughtUp(position),
      onUnreadable: ({ key }, error, revision) => {
        this.#past.spoil();
        for (const member of [...this.#members.keys()])
          if (member.subscription.matches(key) && reachedBy(member) < revision) this.#refuse(member, error);
        if (this.isOver) throw error;
      },
      onEvents: (events, until) => {
        this.#past.add(events);
        this.#position = until;
        this.#untold = events;
      },
      ready: () => this.#tell(),
    });
  }

  #isCaughtUp(position: Revision): boolean {
    return position >= this.#deps.recent.ring(this.#collection).floor;
  }

  #extendRing(after: Revision, reached: Revision): void {
    const events = this.#past.whole();
    if (events !== undefined && this.#isCaughtUp(reached))
      this.#deps.recent.extendBack(this.#collection, after, events);
  }

  /** In slices: thousands may come back at once. @returns whether any is ready for more; the others have left */
  async #tell(): Promise<boolean> {
    const { slice } = this.#deps;
    for (const member of [...this.#members.keys()]) {
      if (slice.shouldYield()) await slice.yieldNow();
      if (!this.#members.has(member)) continue;
      member.subscription.establish(undefined, member.position);
      member.subscription.deliverMatching(this.#untold, this.#position);
    }
    await Promise.all(Array.from(this.#members.keys(), (member) => this.#untilReady(member)));
    return !this.isOver;
  }

  async #untilReady(member: Member): Promise<void> {
    const { clock } = this.#deps.replay;
    const isAlone = this.#members.size === 1 && !this.#isAwaited();
    const began = clock.monotonic();
    const isReady = await member.subscription.readyWithin(isAlone ? patienceMs : member.patienceMs);
    if (!isAlone) member.patienceMs -= clock.monotonic() - began;
    if (!isReady) this.#leave(member);
  }

  #oldest(): Revision {
    let oldest = Infinity;
    for (const member of this.#members.keys()) oldest = Math.min(oldest, reachedBy(member));
    return oldest;
  }

  #fail(error: unknown): readonly Member[] {
    const isCompacted = error instanceof StorageError && error.code === 'compacted';
    const lostBefore = isCompacted ? error.revision : Infinity;
    const oldest = this.#oldest();
    const again: Member[] = [];
    for (const member of [...this.#members.keys()]) {
      const position = reachedBy(member);
      if (position < lostBefore || position === oldest) this.#refuse(member, error);
      else {
        this.#forget(member);
        again.push({ ...member, position });
      }
    }
    return again;
  }

  #refuse(member: Member, error: unknown): void {
    this.#forget(member);
    member.reject(error);
  }

  #leave(member: Member): void {
    this.#forget(member);
    member.resolve(reachedBy(member));
  }

  #forget(member: Member): void {
    this.#members.get(member)?.();
    this.#members.delete(member);
    if (this.isOver) this.#ending.abort();
  }
}

/** It is told no more of what came until then. */
function reachedBy({ subscription, position }: Member): Revision {
  return Math.max(position, subscription.position);
}
