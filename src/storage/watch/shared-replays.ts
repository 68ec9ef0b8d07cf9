/**
 * Watches that begin before the ring of their collection share replays of etcd's history: there is one at a time of a
 * collection, and what comes meanwhile goes along with it, or with the next. Events of all namespaces are read for a watch of
 * one, so that each for itself would cost as much as a watch of everything.
 *
 *   waiting ──a replay begins──▶ told ──caught up──▶ reached
 *      ▲  └──one is not past it──▶ │ │└──is not ready in time──▶ reached in part
 *      └──history of older ones is lost─┘ └──its history is lost──▶ refused
 */
import type { Semaphore } from '../../base/semaphore.ts';
import type { CollectionId, Revision } from '../types.ts';
import { SharedReplay, type Member, type SharedReplayDependencies } from './shared-replay.ts';
import type { Subscription } from './subscription.ts';

export class SharedReplays {
  readonly #deps: SharedReplayDependencies;
  readonly #slots: Semaphore;
  /** Of collections that have some, or a replay. */
  readonly #waiting = new Map<CollectionId, Set<Member>>();
  readonly #running = new Map<CollectionId, SharedReplay>();
  #count = 0;

  /** @param slots how many collections have one at once */
  constructor(deps: SharedReplayDependencies, slots: Semaphore) {
    this.#deps = deps;
    this.#slots = slots;
  }

  /** How many have begun. */
  get count(): number {
    return this.#count;
  }

  /**
   * Tells a watch what came after a revision.
   * @returns up to where: not to the ring, if it was not ready in time
   * @throws StorageError as `replayHistory`
   */
  reach(subscription: Subscription, position: Revision): Promise<Revision> {
    const { promise, resolve, reject } = Promise.withResolvers<Revision>();
    const { collection } = subscription.options;
    const member: Member = { subscription, position, patienceMs: 0, resolve, reject };
    const running = this.#running.get(collection);
    if (running?.admits(position) === true) running.add(member);
    else this.#wait(collection, member);
    return promise;
  }

  #wait(collection: CollectionId, member: Member): void {
    const waiting = this.#waiting.get(collection);
    if (waiting !== undefined) waiting.add(member);
    else {
      this.#waiting.set(collection, new Set([member]));
      void this.#serve(collection);
    }
  }

  /** One replay after another, while there are watches that wait for one. */
  async #serve(collection: CollectionId): Promise<void> {
    const waiting = this.#waiting.get(collection);
    while (waiting !== undefined && waiting.size > 0)
      await this.#slots.use(() => this.#round(collection, waiting));
    this.#waiting.delete(collection);
  }

  /** Never fails: each watch is told its own error. */
  async #round(collection: CollectionId, waiting: Set<Member>): Promise<void> {
    const replay = new SharedReplay(collection, this.#deps, () => waiting.size > 0);
    const { floor } = this.#deps.recent.ring(collection);
    for (const member of waiting)
      if (member.position >= floor) member.resolve(member.position);
      else replay.add(member);
    waiting.clear();
    if (replay.isOver) return;
    this.#count += 1;
    this.#running.set(collection, replay);
    const again = await replay.run();
    this.#running.delete(collection);
    for (const member of again) waiting.add(member);
  }
}
