/**
 * Pushes changes to the live watches. Watches are grouped by what they select (a whole collection, a prefix, one
 * key), so that an event costs three look-ups and then one call per watch that wants it; all watches of a group
 * get the same array of the same events.
 *
 * Work is queued in revision order and done at once, until it has held the thread for a slice; the rest follows
 * after others had their turn. When too much is queued, the watches that it is for are behind: they leave, and catch
 * up from the recent events at their own pace.
 *
 * A connection encrypts and sends what it was given when the rest of the turn is done, which for large events takes
 * longer than to hand them over: it has to happen within the slice, or nobody would count it.
 */
import { Slice, written } from '../../base/cooperate.ts';
import { sizeOf } from '../size.ts';
import type { CollectionId, ObjectKey, Revision, StoredEvent } from '../types.ts';
import type { Subscription } from './subscription.ts';

/** Pieces of work; each holds its events, which the recent events hold anyway, for as long as these keep them. */
const mostQueued = 256;
/** Handed over before it is sent: sent in about a millisecond, and small events of one turn still leave in one record. */
const sentAtOnce = 256 * 1024;

type Group = Set<Subscription>;

/** The live watches of one collection. */
class Audience {
  readonly byPrefix = new Map<string, Group>();
  readonly byKey = new Map<ObjectKey, Group>();

  groupsFor(subscription: Subscription): Map<string, Group> {
    return subscription.options.exactKey === true ? this.byKey : this.byPrefix;
  }

  /** Events per group that wants any. */
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

/** One piece of work; without changes it only tells how far everybody is. */
interface Work {
  readonly changes: readonly StoredEvent[];
  readonly revision: Revision;
}

export interface FanOutOptions {
  /** Takes a watch that is behind and no longer one of the fan-out's: it has had what it wants up to `from`. */
  readonly onBehind: (subscription: Subscription, from: Revision) => void;
}

/** What one watch is told. */
interface Delivery {
  readonly deliver: () => void;
  readonly bytes: number;
}

export class FanOut {
  readonly #audiences = new Map<CollectionId, Audience>();
  readonly #options: FanOutOptions;
  #queue: Work[] = [];
  /** What is being told now. */
  #current: Work | undefined;
  #isPumping = false;
  /** Bytes handed over that connections may not have sent yet. */
  #unsent = 0;
  #size = 0;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a watch whose prefix is '' or one namespace's, or that wants one key. */
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
    const groups = this.#audiences.get(collection)?.groupsFor(subscription);
    const group = groups?.get(prefix);
    if (group?.delete(subscription) !== true) return;
    this.#size -= 1;
    if (group.size === 0) groups?.delete(prefix);
  }

  *all(): Iterable<Subscription> {
    for (const audience of this.#audiences.values()) {
      for (const group of audience.byPrefix.values()) yield* group;
      for (const group of audience.byKey.values()) yield* group;
    }
  }

  /** Changes of whole revisions, in order; none to tell progress only. */
  publish(changes: readonly StoredEvent[], revision: Revision): void {
    this.#queue.push({ changes, revision });
    if (!this.#isPumping) void this.#pump();
    else if (this.#queue.length >= mostQueued) this.#leaveBehind();
  }

  /** Whoever wants any of what is queued is behind; for the others there is nothing in it. */
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
      await this.#tell(work, slice);
    }
    this.#current = undefined;
    this.#isPumping = false;
  }

  async #tell(work: Work, slice: Slice): Promise<void> {
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
      for (const subscription of [...this.all()]) {
        yield { deliver: () => subscription.progress(revision), bytes: 0 };
      }
      return;
    }
    for (const [collection, events] of byCollection(changes)) {
      const shares = this.#audiences.get(collection)?.split(events) ?? [];
      for (const [group, share] of shares) {
        yield* toEach(group, share, revision);
      }
    }
  }
}

/** Whoever leaves the group before its turn is not told. */
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

/** `<namespace>/` of `<namespace>/<name>`; never '' so that it cannot mean "all". */
function namespacePrefix(key: ObjectKey): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '/' : key.slice(0, slash + 1);
}
