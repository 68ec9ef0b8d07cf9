/** Brings keys back to what they were, as a change like any other: versions go on, and watches are told. */
import type { Leases } from './leases.ts';
import { leaseText } from './leases.ts';
import type { StoredKeyValue } from './messages.ts';
import type { Store } from './store.ts';
import type { WriteTxn } from './write-txn.ts';

/** What is compared: the database as it is, and as it was. */
export interface Rewound {
  readonly now: Store;
  readonly then: Store;
  readonly leases: Leases;
  /** The keys that changed after this revision may differ, no others; undefined if all may. */
  readonly equalAt: number | undefined;
  readonly includes: (key: string) => boolean;
}

/**
 * Adds to a transaction what makes the keys those of `then`. A key whose lease has ended since is not put again, as it
 * would never expire.
 * @returns how many keys changed
 */
export function rewind(txn: WriteTxn, rewound: Rewound): number {
  const { now, then, leases, includes } = rewound;
  const { revision } = now;
  let [puts, removals] = [0, 0];
  for (const key of candidates(rewound)) {
    if (!includes(key)) continue;
    const was = then.get(key, then.revision);
    const is = now.get(key, revision);
    if (was === undefined || !isPossible(was, leases)) {
      if (is === undefined) continue;
      txn.deleteKey(key, is);
      removals += 1;
    } else if (is === undefined || is.lease !== was.lease || !is.value.equals(was.value)) {
      txn.put({ key: was.key, value: was.value, lease: was.lease });
      puts += 1;
    }
  }
  return puts + removals;
}

/** A key as it can be kept elsewhere. */
export interface KeptKey {
  readonly key: Buffer;
  readonly value: Buffer;
  /** In how many milliseconds its lease ends; absent if it has none. */
  readonly leftMs?: number | undefined;
}

/** A key with what it was and is; undefined where it did not or does not exist. */
export interface KeyDifference {
  readonly key: Buffer;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

/** The keys that differ from what they were in `then`; not in order. */
export function* differences(compared: Omit<Rewound, 'leases'>): Generator<KeyDifference, void> {
  const { now, then, includes } = compared;
  for (const key of candidates(compared)) {
    const was = then.get(key, then.revision);
    const is = now.get(key, now.revision);
    const isSame = was === undefined || is === undefined ? was === is : is.value.equals(was.value);
    if (isSame || !includes(key)) continue;
    yield { key: (is ?? was)?.key ?? Buffer.alloc(0), before: was?.value, after: is?.value };
  }
}

/** It has no lease, or one that goes on. */
export function isPossible({ lease }: StoredKeyValue, leases: Leases): boolean {
  return leaseText(lease) === undefined || leases.get(lease) !== undefined;
}

/** The keys that may differ. */
function candidates({ now, then, equalAt = -1 }: Omit<Rewound, 'leases'>): Set<string> {
  const keys = new Set<string>();
  if (equalAt >= Math.max(0, now.compactRevision)) {
    for (const { key } of now.changesFrom(equalAt + 1)) keys.add(key);
    return keys;
  }
  for (const store of [now, then])
    store.each({ start: '', end: null }, store.revision, (_kv, key) => keys.add(key));
  return keys;
}
