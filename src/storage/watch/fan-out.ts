/**
 * Pushes changes to live watches. Watches are grouped by scope (a collection, a prefix, a key), so that an event
 * costs three look-ups and one call per interested watch; all watches of a group share the same array of events. Work
 * is queued in revision order and processed in slices that yield to other work. If the queue is full, its watches are
 * behind: they leave the fan-out and catch up from the recent events at their own pace. A connection encrypts and
 * sends written data at the end of the turn, which for large events takes longer than the writes: it must happen
 * within the slice to be accounted.
 */
import { Slice, written } from '../../base/cooperate.ts';
import { sizeOf } from '../size.ts';
import type { CollectionId, ObjectKey, Revision, StoredEvent } from '../types.ts';
import type { Subscription } from './subscription.ts';

/** Maximum queue length; the events are mostly retained by the recent events anyway. */
const mostQueued = 256;
/**
 * Bytes written before they are flushed: about a millisecond, and small events of a turn still share a TLS record.
 */
const sentAtOnce = 256 * 1024;

/** Watches that are notified of progress in one tick, or their share of all: a hundred thousand took a tenth of the thread. */
const leastNotified = 5_000;
const notifiedShare = 1 / 20;

type Group = Set<Subscription>;

/** The live watches of a collection. */
class Audience {
  readonly byPrefix = new Map<string, Group>();
  readonly byKey = new Map<ObjectKey, Group>();

  groupsFor(subscription: Subscription): Map<string, Group> {
    return subscription.options.exactKey === true ? this.byKey : this.byPrefix;
  }

  get isEmpty(): boolean {
    return this.byPrefix.size === 0 && this.byKey.size === 0;
  }

  /** Events by interested group. */
  split(events: readonly StoredEvent[]): Map<Group, StoredEvent[]> {
    const shares = new Map<Group, StoredEvent[]>();
    const give = (group: Group | undefined, event: StoredEvent): void => {
      if (group === undefined) return;
      const share = shares.get(group);
      if (share === undefined) shares.set(group, [event]);
      else share.push(event);
    };
    for (const event of events) {
      give(this.byKey.get(event.key), event);
      give(this.byPrefix.get(''), event);
      give(this.byPrefix.get(namespacePrefix(event.key)), event);
    }
    return shares;
  }
}

/** A unit of work; without changes it only reports progress, to the watches whose turn it is. */
interface Work {
  readonly changes: readonly StoredEvent[];
  readonly revision: Revision;
}

export interface FanOutOptions {
  /** Receives a watch that has fallen behind and left the fan-out; it has all its events up to `from`. */
  readonly onBehind: (subscription: Subscription, from: Revision) => void;
}

/** The delivery to a watch. */
interface Delivery {
  readonly deliver: () => void;
  readonly bytes: number;
}

export class FanOut {
  readonly #audiences = new Map<CollectionId, Audience>();
  readonly #options: FanOutOptions;
  #queue: Work[] = [];
  /** The work in progress. */
  #current: Work | undefined;
  #isPumping = false;
  /** Written bytes that connections may not have sent yet. */
  #unsent = 0;
  #size = 0;
  /** Watches not yet notified of progress in this round; one that joins meanwhile may be notified in the next. */
  #notNotified: Iterator<Subscription> | undefined;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Revisions that live watches do not all have yet. */
  get undelivered(): number {
    return this.#queue.length + (this.#current === undefined ? 0 : 1);
  }

  /** Adds a watch of a collection, a namespace or a key. */
  add(subscription: Subscription): void {
    const { collection, prefix } = subscription.options;
    let audience = this.#audiences.get(collection);
    if (audience === undefined) this.#audiences.set(collection, (audience = new Audience()));
    const groups = audience.groupsFor(subscription);
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, new Set([subscription]));
    else group.add(subscription);
    this.#size += 1;
  }

  remove(subscription: Subscription): void {
    const { collection, prefix } = subscription.options;
    const audience = this.#audiences.get(collection);
    const groups = audience?.groupsFor(subscription);
    const group = groups?.get(prefix);
    if (group?.delete(subscription) !== true) return;
    this.#size -= 1;
    if (group.size === 0) groups?.delete(prefix);
    if (audience?.isEmpty === true) this.#audiences.delete(collection);
  }

  *all(): Iterable<Subscription> {
    for (const audience of this.#audiences.values()) {
      for (const group of audience.byPrefix.values()) yield* group;
      for (const group of audience.byKey.values()) yield* group;
    }
  }

  /** Publishes changes of complete revisions, in order; an empty list only reports progress, of very many watches to a part in turn. */
  publish(changes: readonly StoredEvent[], revision: Revision): void {
    this.#queue.push({ changes, revision });
    if (!this.#isPumping) void this.#pump();
    else if (this.#queue.length >= mostQueued) this.#leaveBehind();
  }

  /** Watches with queued events are behind; the others are unaffected. */
  #leaveBehind(): void {
    const works = [...(this.#current ? [this.#current] : []), ...this.#queue];
    const changes = works.flatMap((work) => work.changes);
    this.#queue = [];
    const from = (changes[0]?.revision ?? 1) - 1;
    for (const subscription of this.#wanting(changes)) {
      this.remove(subscription);
      this.#options.onBehind(subscription, Math.max(from, subscription.position));
    }
  }

  #wanting(changes: readonly StoredEvent[]): Subscription[] {
    return [...byCollection(changes)].flatMap(([collection, events]) => {
      const groups = this.#audiences.get(collection)?.split(events).keys() ?? [];
      return [...groups].flatMap((group) => [...group]);
    });
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    const slice = new Slice();
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
      this.#current = work;
      await this.#deliver(work, slice);
    }
    this.#current = undefined;
    this.#isPumping = false;
  }

  async #deliver(work: Work, slice: Slice): Promise<void> {
    for (const { deliver, bytes } of this.#deliveries(work)) {
      deliver();
      this.#unsent += bytes;
      if (this.#unsent > sentAtOnce) {
        await written();
        this.#unsent = 0;
      }
      if (slice.shouldYield()) await slice.yieldNow();
    }
  }

  *#deliveries({ changes, revision }: Work): Iterable<Delivery> {
    if (changes.length === 0) {
      for (const subscription of this.#nextToNotify())
        yield { deliver: () => subscription.progress(revision), bytes: 0 };
      return;
    }
    for (const [collection, events] of byCollection(changes)) {
      const shares = this.#audiences.get(collection)?.split(events) ?? [];
      for (const [group, share] of shares) {
        yield* toEach(group, share, revision);
      }
    }
  }

  #nextToNotify(): readonly Subscription[] {
    const next: Subscription[] = [];
    const most = Math.max(leastNotified, this.#size * notifiedShare);
    this.#notNotified ??= this.all()[Symbol.iterator]();
    while (next.length < most) {
      const one: IteratorResult<Subscription, unknown> = this.#notNotified.next();
      if (one.done === true) {
        this.#notNotified = undefined;
        break;
      }
      next.push(one.value);
    }
    return next;
  }
}

/** Skips watches that leave the group before their turn. */
function* toEach(group: Group, events: readonly StoredEvent[], revision: Revision): Iterable<Delivery> {
  const bytes = bytesOf(events);
  for (const subscription of [...group]) {
    if (group.has(subscription)) yield { deliver: () => subscription.deliver(events, revision), bytes };
  }
}

function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, { entry }) => sum + sizeOf(entry), 0);
}

function byCollection(changes: readonly StoredEvent[]): Map<CollectionId, readonly StoredEvent[]> {
  return Map.groupBy(changes, (change) => change.collection);
}

/** `<namespace>/` of `<namespace>/<name>`; never '', which means all. */
function namespacePrefix(key: ObjectKey): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '/' : key.slice(0, slash + 1);
}
