/**
 * Pushes changes to the live watches. Watches are grouped by what they select (a whole collection, a prefix, one
 * key), so that an event costs three look-ups and then one call per watch that wants it; all watches of a group
 * get the same array of the same events.
 *
 * Work is queued in revision order and done at once, until it has held the thread for a slice; the rest follows
 * after others had their turn. When too much is queued, all of it is done without a break: memory matters more.
 */
import { Slice } from '../../base/cooperate.ts';
import type { CollectionId, ObjectKey, Revision, StoredEvent } from '../types.ts';
import type { Subscription } from './subscription.ts';

const mostQueued = 256;

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

export class FanOut {
  readonly #audiences = new Map<CollectionId, Audience>();
  #queue: Work[] = [];
  #isPumping = false;
  #size = 0;

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
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    const slice = new Slice();
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
      for (const deliver of this.#deliveries(work)) {
        deliver();
        if (slice.shouldYield() && this.#queue.length < mostQueued) await slice.yieldNow();
      }
    }
    this.#isPumping = false;
  }

  *#deliveries({ changes, revision }: Work): Iterable<() => void> {
    if (changes.length === 0) {
      for (const subscription of [...this.all()]) yield () => subscription.progress(revision);
      return;
    }
    for (const [collection, events] of byCollection(changes)) {
      const shares = this.#audiences.get(collection)?.split(events) ?? [];
      for (const [group, share] of shares) {
        for (const subscription of [...group]) yield () => subscription.deliver(share, revision);
      }
    }
  }
}

function byCollection(changes: readonly StoredEvent[]): Map<CollectionId, readonly StoredEvent[]> {
  return Map.groupBy(changes, (change) => change.collection);
}

/** `<namespace>/` of `<namespace>/<name>`; never '' so that it cannot mean "all". */
function namespacePrefix(key: ObjectKey): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '/' : key.slice(0, slash + 1);
}
