/** Libraries of lists: what this API adds from its first release with expressions, and the language's own, which later ones have. */
import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import type { CelValue } from '../language/values.ts';
import { CelList, Duration, NativeList, Optional, Uint } from '../language/values.ts';
import { areEqual, compare, noSuchOverload, sizeOf } from '../run/equality.ts';
import type { Run } from '../run/run.ts';
import { durationOf, int64, uint64 } from './arithmetic.ts';
import { placeWithin } from './characters.ts';
import { itemsOf } from './operators.ts';

/** Every item is looked at, texts as a whole. */
const traversal: CallCost = (list: CelList) => {
  let cost = 0;
  for (let i = 0; i < list.size; i += 1) cost += costOfItem(list.at(i));
  return cost;
};

function costOfItem(value: CelValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? Math.floor(value.length * 0.1) : 1;
}

function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int64(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof Uint && b instanceof Uint) return uint64(a.value + b.value);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  throw noSuchOverload();
}

const sum =
  (zero: CelValue) =>
  (run: Run, list: CelList): CelValue => {
    run.work(list.size);
    return itemsOf(list).reduce(add, zero);
  };

/** The smallest item with -1, the largest with 1. */
const extreme =
  (name: string, sign: number) =>
  (run: Run, list: CelList): CelValue => {
    run.work(list.size);
    const [first, ...rest] = itemsOf(list);
    if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
    return rest.reduce((best, item) => ((compare(item, best) ?? 0) * sign > 0 ? item : best), first);
  };

function isSorted(run: Run, list: CelList): boolean {
  for (let i = 1; i < list.size; i += 1) {
    run.work(1);
    if ((compare(list.at(i - 1), list.at(i)) ?? 1) > 0) return false;
  }
  return true;
}

function indexOf(run: Run, list: CelList, value: CelValue): bigint {
  for (let i = 0; i < list.size; i += 1) {
    run.work(1);
    if (areEqual(run, list.at(i), value)) return BigInt(i);
  }
  return -1n;
}

function lastIndexOf(run: Run, list: CelList, value: CelValue): bigint {
  for (let i = list.size - 1; i >= 0; i -= 1) {
    run.work(1);
    if (areEqual(run, list.at(i), value)) return BigInt(i);
  }
  return -1n;
}

const summable: readonly (readonly [type: string, zero: CelValue])[] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];
const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

/** What this API adds. */
export const apiLists: readonly Overload[] = [
  ...comparable.flatMap((type) => [
    member('isSorted', `list_${type}_is_sorted_bool`, `list(${type}) -> bool`, isSorted, traversal),
    member('max', `list_${type}_max_${type}`, `list(${type}) -> ${type}`, extreme('max', 1), traversal),
    member('min', `list_${type}_min_${type}`, `list(${type}) -> ${type}`, extreme('min', -1), traversal),
  ]),
  ...summable.map(([type, zero]) =>
    member('sum', `list_${type}_sum_${type}`, `list(${type}) -> ${type}`, sum(zero), traversal),
  ),
  member('indexOf', 'list_a_index_of_int', 'list(A), A -> int', indexOf, traversal),
  member('lastIndexOf', 'list_a_last_index_of_int', 'list(A), A -> int', lastIndexOf, traversal),
];

const bySize: CallCost = (list: CelValue) => sizeOf(list) + 1;

function slice(run: Run, list: CelList, start: bigint, end: bigint): CelList {
  const [first, last] = [placeWithin(start, list.size), placeWithin(end, list.size)];
  if (last < first)
    throw new EvaluationError(
      `cannot slice(${String(first)}, ${String(last)}), start index must be less than or equal to end index`,
    );
  run.work(last - first);
  return new NativeList(itemsOf(list).slice(first, last));
}

function flatten(run: Run, list: CelList, depth: bigint): CelList {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const flat: CelValue[] = [];
  const visit = (part: CelList, levels: bigint): void => {
    for (const item of itemsOf(part)) {
      run.charge(1);
      if (item instanceof CelList && levels > 0n) visit(item, levels - 1n);
      else flat.push(item);
    }
  };
  visit(list, depth > 100n ? 100n : depth);
  return new NativeList(flat);
}

/** Each item once. */
function distinct(run: Run, list: CelList): CelList {
  const found: CelValue[] = [];
  const scalars = new Set<CelValue>();
  for (const item of itemsOf(list)) {
    if (typeof item === 'string' || typeof item === 'bigint') {
      if (scalars.has(item)) continue;
      scalars.add(item);
    } else if (has(run, found, item)) continue;
    found.push(item);
  }
  return new NativeList(found);
}

function has(run: Run, values: readonly CelValue[], wanted: CelValue): boolean {
  run.charge(values.length);
  return values.some((value) => areEqual(run, value, wanted));
}

function sortBy(run: Run, list: CelList, keys: CelList): CelList {
  if (list.size !== keys.size)
    throw new EvaluationError('lists of different sizes cannot be sorted together');
  const entries = itemsOf(list).map((item, i) => [keys.at(i), item] as const);
  const [first] = entries;
  if (first !== undefined) for (const [key] of entries) compare(first[0], key);
  run.charge(Math.ceil(list.size * Math.log2(list.size + 1)));
  entries.sort(([a], [b]) => compare(a, b) ?? 0);
  return new NativeList(entries.map(([, item]) => item));
}

/** Longer lists are not made out of nothing. */
const maxRange = 100_000n;

function range(run: Run, size: bigint): CelList {
  if (size > maxRange) throw new EvaluationError(`a range may have ${String(maxRange)} items`);
  run.charge(size < 0n ? 0 : Number(size));
  return new NativeList(Array.from({ length: Math.max(0, Number(size)) }, (_, i) => BigInt(i)));
}

function optionalItem(list: CelList, place: number): Optional {
  return list.size === 0 ? Optional.none : new Optional(list.at(place));
}

/** The language's own library, which later releases have. */
export const languageLists: readonly Overload[] = [
  member('slice', 'list_slice', 'list(A), int, int -> list(A)', slice, bySize),
  member(
    'flatten',
    'list_flatten',
    'list(list(A)) -> list(A)',
    (run, list: CelList) => flatten(run, list, 1n),
    bySize,
  ),
  member('flatten', 'list_flatten_int', 'list(dyn), int -> list(dyn)', flatten, bySize),
  member('distinct', 'list_distinct', 'list(A) -> list(A)', distinct, bySize),
  member(
    'reverse',
    'list_reverse',
    'list(A) -> list(A)',
    (_run, list: CelList) => new NativeList(itemsOf(list).toReversed()),
    bySize,
  ),
  member('first', 'list_first', 'list(A) -> optional(A)', (_run, list: CelList) => optionalItem(list, 0)),
  member('last', 'list_last', 'list(A) -> optional(A)', (_run, list: CelList) =>
    optionalItem(list, list.size - 1),
  ),
  global('lists.range', 'lists_range', 'int -> list(int)', range),
  ...comparable.flatMap((type) => [
    member(
      'sort',
      `list_${type}_sort`,
      `list(${type}) -> list(${type})`,
      (run, list: CelList) => sortBy(run, list, list),
      bySize,
    ),
    member(
      '@sortByAssociatedKeys',
      `list_${type}_sortByAssociatedKeys`,
      `list(A), list(${type}) -> list(A)`,
      sortBy,
      bySize,
    ),
  ]),
];
