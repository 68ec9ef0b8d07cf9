/**
 * Compares the values that objects have with the keys by which they hold them. Both change in one transaction, so that
 * a difference comes from outside: objects stored before keys were, a restore of a part, an operator in etcd. A key
 * without its object is removed, a value that nobody holds is taken for its object; what two objects have is reported,
 * as one of them has to be created again.
 */
import type { AddressRange, ServiceRanges } from '../../api/core/service/value-range.ts';
import type { Allocation, HeldValue, ValuePool } from '../../api/types.ts';
import { Slice } from '../../base/cooperate.ts';
import { asError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import {
  StorageError,
  type CollectionId,
  type CollectionSnapshot,
  type Entry,
  type Storage,
} from '../../storage/types.ts';
import { readObject } from '../object-memo.ts';
import { claimKey, holderText, poolCollections, type Holder } from './claims.ts';

/** `leak`: held by no object; `repair`: was not held; `duplicate`: held by another object. */
export type AllocationProblem = 'leak' | 'repair' | 'duplicate' | 'outOfRange';

export interface AllocationFinding {
  readonly problem: AllocationProblem;
  readonly pool: ValuePool;
  readonly value: string;
  /** `<namespace>/<name>` of the object that has the value; of a leak, of the one that had it. */
  readonly object: string;
  /** For `duplicate`: the object that holds it. */
  readonly holder?: string;
}

export interface RepairParts {
  readonly storage: Pick<Storage, 'view' | 'create' | 'delete'>;
  readonly allocation: Allocation<ApiObject>;
  /** Of the objects that hold values. */
  readonly collection: CollectionId;
  readonly ranges: ServiceRanges;
  /** Ranges of addresses that were added while the service runs. */
  readonly addedRanges: readonly AddressRange[];
  /** Of objects that keep addresses from services (IPAddress): each is named after its own. */
  readonly reservations: CollectionId;
  readonly report: (finding: AllocationFinding) => void;
  /** An object whose values cannot be read out of it, `<namespace>/<name>`. */
  readonly reportDamaged: (object: string, error: unknown) => void;
}

const pools = Object.keys(poolCollections) as ValuePool[];

/**
 * One round. Replicas may run it concurrently: every change is guarded by what was read. While an object cannot be read,
 * nothing is taken from anyone: what looks like a leak may be its.
 * @throws StorageError if etcd is unavailable
 */
export async function repairAllocations(parts: RepairParts, signal: AbortSignal): Promise<void> {
  const { storage, collection } = parts;
  // Taken in one turn: states of one revision.
  const objects = storage.view(collection);
  const keys = new Map(pools.map((pool) => [pool, storage.view(poolCollections[pool])]));
  const isComplete = objects.unreadableIn?.('') === undefined;
  const round: Round = { objects, keys, held: new Set(), unheld: [], holders: new Map(), isComplete };
  const breathe = breathing(signal);
  for (const entry of objects.entries('', '')) {
    await compare(parts, entry, round);
    await breathe();
  }
  for (const [pool, snapshot] of keys) {
    for (const entry of snapshot.entries('', '')) {
      if (round.isComplete && !round.held.has(entry) && !(await isReserved(parts, pool, entry)))
        await removeLeak(parts, pool, entry);
      await breathe();
    }
  }
  for (const value of round.unheld) await take(parts, value);
}

function breathing(signal: AbortSignal): () => Promise<void> {
  const slice = new Slice();
  return async () => {
    await slice.breathe();
    signal.throwIfAborted();
  };
}

interface Round {
  readonly objects: CollectionSnapshot;
  readonly keys: ReadonlyMap<ValuePool, CollectionSnapshot>;
  /** Keys whose objects have the values. */
  readonly held: Set<Entry>;
  /** Values that their objects do not hold, and no other object has. */
  readonly unheld: Unheld[];
  /** Objects that keys name, each read once: two of them may share thousands of values. */
  readonly holders: Map<Entry, NamedObject>;
  /** The values of all objects are known. */
  isComplete: boolean;
}

interface NamedObject {
  readonly uid: string | undefined;
  /** As `textOf` gives them; undefined for one that cannot be read. */
  readonly values: ReadonlySet<string> | undefined;
}

interface Unheld {
  readonly entry: Entry;
  readonly holder: string;
  readonly value: HeldValue;
}

async function compare(parts: RepairParts, entry: Entry, round: Round): Promise<void> {
  const { keys, held, unheld } = round;
  const object = await readObject(entry);
  const values = heldBy(parts, object);
  if (values instanceof Error) {
    round.isComplete = false;
    parts.reportDamaged(entry.key, values);
    return;
  }
  for (const value of values) {
    const found = { pool: value.pool, value: value.value, object: entry.key };
    if (!isInRange(value, parts)) parts.report({ problem: 'outOfRange', ...found });
    const key = keys.get(value.pool)?.get(value.value);
    if (key && holderOf(key).uid === object.metadata.uid) held.add(key);
    else if (key && (await hasValue(parts, round, { key, value }))) {
      const { namespace, name } = holderOf(key);
      parts.report({ problem: 'duplicate', ...found, holder: `${namespace}/${name}` });
    } else unheld.push({ entry, holder: holderText(object), value });
  }
}

/** An error for an object that has not the shape of its kind, which only another program can have stored. */
function heldBy({ allocation }: RepairParts, object: ApiObject): readonly HeldValue[] | Error {
  try {
    return allocation.held(object);
  } catch (error) {
    return asError(error);
  }
}

function isInRange({ pool, value }: HeldValue, { ranges, addedRanges }: RepairParts): boolean {
  if (pool === 'nodePorts') return ranges.nodePorts.has(value);
  return [...ranges.addresses, ...addedRanges].some((range) => range.has(value));
}

/** Whether an object that is no service keeps the address. */
async function isReserved(
  { storage, reservations }: RepairParts,
  pool: ValuePool,
  key: Entry,
): Promise<boolean> {
  const reservation = pool === 'addresses' ? storage.view(reservations).get(key.key) : undefined;
  if (!reservation) return false;
  return (await readObject(reservation)).metadata.uid === holderOf(key).uid;
}

/** Whether the object that holds a key has the value. */
async function hasValue(
  parts: RepairParts,
  { objects, holders }: Round,
  { key, value }: { readonly key: Entry; readonly value: HeldValue },
): Promise<boolean> {
  const { namespace, name, uid } = holderOf(key);
  const entry = objects.get(`${namespace}/${name}`);
  if (!entry) return false;
  const holder = holders.get(entry) ?? (await readNamed(parts, entry));
  holders.set(entry, holder);
  // What a damaged object holds stays its own.
  return holder.uid === uid && (holder.values?.has(textOf(value)) ?? true);
}

async function readNamed(parts: RepairParts, entry: Entry): Promise<NamedObject> {
  const object = await readObject(entry);
  const values = heldBy(parts, object);
  const { uid } = object.metadata;
  return { uid, values: values instanceof Error ? undefined : new Set(values.map(textOf)) };
}

function textOf({ pool, value }: HeldValue): string {
  return `${pool} ${value}`;
}

/** For an object that is still as it was read. */
async function take({ storage, report }: RepairParts, { entry, holder, value }: Unheld): Promise<void> {
  const { collection, key } = claimKey(value);
  const condition = { collection: entry.collection, key: entry.key, revision: entry.modRevision };
  const isTaken = await unlessChanged(() => storage.create(collection, key, Buffer.from(holder), condition));
  if (isTaken) report({ problem: 'repair', pool: value.pool, value: value.value, object: entry.key });
}

async function removeLeak({ storage, report }: RepairParts, pool: ValuePool, key: Entry): Promise<void> {
  const isRemoved = await unlessChanged(() => storage.delete(key.collection, key.key, key.modRevision));
  const { namespace, name } = holderOf(key);
  if (isRemoved) report({ problem: 'leak', pool, value: key.key, object: `${namespace}/${name}` });
}

/** False if another write, or the repair of another replica, was first. */
async function unlessChanged(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    const isChanged =
      error instanceof StorageError &&
      ['exists', 'notFound', 'conflict', 'conditionFailed'].includes(error.code);
    if (isChanged) return false;
    throw error;
  }
}

const unknownHolder: Holder = { namespace: '', name: '', uid: '' };

/** Text that another program wrote names no holder. */
function holderOf({ bytes }: Entry): Holder {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? { ...unknownHolder, ...value } : unknownHolder;
  } catch {
    return unknownHolder;
  }
}
