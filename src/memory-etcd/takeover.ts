/**
 * Brings keys back to an earlier state by taking over its tree: what has been added since goes at once, however many keys
 * that are. It is a revision like any other, but history begins with it, as after a compaction.
 */
import type { Leases } from './leases.ts';
import { emptyBytes, type Replacement, type StoredKeyValue, type WatchEvent } from './messages.ts';
import { isPossible } from './rewind.ts';
import type { Store } from './store.ts';
import { WriteTxn } from './write-txn.ts';

/** The keys that a member keeps. */
interface Keys {
  readonly store: Store;
  readonly leases: Leases;
}

/** The keys of a database that it is not about, removed ones perhaps, too; `first` gives the first that is not smaller than a text. */
export type OtherKeys = (first: (from: string) => string | undefined) => Iterable<string>;

/** How the keys as they are differ from what they were. */
interface Plan {
  /** To be put again, or removed as their lease has ended. */
  readonly puts: readonly { readonly key: string; readonly was: StoredKeyValue }[];
  readonly removals: readonly { readonly key: string; readonly is: StoredKeyValue }[];
  /** To be left as they are. */
  readonly kept: readonly string[];
  /** Number of keys that change. */
  readonly changed: number;
}

/** It takes time for the keys that there were and for those that it is not about. */
export class Takeover {
  readonly #now: Keys;
  readonly #then: Keys;
  readonly #plan: Plan;

  constructor(now: Keys, then: Keys, others: OtherKeys) {
    this.#now = now;
    this.#then = then;
    this.#plan = planOf(now, then.store, others);
  }

  /** Number of keys that change; without any there is to be no revision. */
  get changed(): number {
    return this.#plan.changed;
  }

  /** Makes it a revision. @returns what differs from the earlier state */
  run(): Replacement['events'] {
    const { store, leases } = this.#now;
    const { puts, removals, kept } = this.#plan;
    const touched = [...kept, ...puts.map(({ key }) => key), ...removals.map(({ key }) => key)];
    store.becomes(this.#then.store, touched);
    leases.takeKeysOf(this.#then.leases);
    for (const key of touched) this.#attach(key);
    const txn = new WriteTxn(store, leases);
    for (const { was } of puts) txn.put({ key: was.key, value: was.value, lease: was.lease });
    for (const { key, is } of removals) txn.deleteKey(key, is);
    if (txn.commit().length === 0) store.commit();
    return touched.flatMap((key) => this.#eventOf(key));
  }

  /** The lease of a key that stays is that which it has now. */
  #attach(key: string): void {
    const { store, leases } = this.#now;
    const was = this.#then.store.get(key, store.revision);
    const is = store.get(key, store.revision);
    if (was !== undefined) leases.detach(was.lease, key);
    if (is !== undefined) leases.attach(is.lease, key);
  }

  #eventOf(key: string): WatchEvent[] {
    const { revision } = this.#now.store;
    const was = this.#then.store.get(key, revision);
    const kv = this.#now.store.get(key, revision);
    if (kv === was) return [];
    if (kv !== undefined) return [{ type: 0, kv, prev_kv: null }];
    const gone = { create_revision: 0, mod_revision: revision, version: 0, value: emptyBytes, lease: 0 };
    return [{ type: 1, kv: { ...gone, key: Buffer.from(key, 'latin1') }, prev_kv: null }];
  }
}

function planOf({ store: now, leases }: Keys, then: Store, others: OtherKeys): Plan {
  const kept = new Set([...others((from) => now.firstKey(from)), ...others((from) => then.firstKey(from))]);
  let othersNow = 0;
  for (const key of kept) if (now.get(key, now.revision) !== undefined) othersNow += 1;
  const puts: Plan['puts'][number][] = [];
  const removals: Plan['removals'][number][] = [];
  let inBoth = 0;
  then.each({ start: '', end: null }, then.revision, (was, key) => {
    if (kept.has(key)) return;
    const is = now.get(key, now.revision);
    if (is !== undefined) inBoth += 1;
    if (is === was) return;
    if (isPossible(was, leases)) {
      if (isSame(is, was)) kept.add(key);
      else puts.push({ key, was });
    } else if (is === undefined) kept.add(key);
    else removals.push({ key, is });
  });
  const added = now.live - othersNow - inBoth;
  return { puts, removals, kept: [...kept], changed: puts.length + removals.length + added };
}

function isSame(is: StoredKeyValue | undefined, was: StoredKeyValue): boolean {
  return is?.lease === was.lease && is.value.equals(was.value);
}
