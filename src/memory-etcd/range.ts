/** Range: a part of the keys at a revision, filtered, sorted and cut. */
import { rangeOf, type KeyRange } from './key-range.ts';
import { emptyBytes, int, type RangeRequest, type RangeResponse, type StoredKeyValue } from './messages.ts';
import { serverError } from './server-error.ts';
import type { Store } from './store.ts';

/** A request with its numbers. */
interface RangeQuery {
  readonly range: KeyRange;
  readonly limit: number;
  readonly isKept: ((kv: StoredKeyValue) => boolean) | undefined;
  readonly order: ((a: StoredKeyValue, b: StoredKeyValue) => number) | undefined;
}

/**
 * Answers a request from a store.
 * @param current the newest revision that the reader sees: that of the store, or of the transaction it is part of
 * @throws GrpcError if the revision cannot be read
 */
export function readRange(
  store: Store,
  request: RangeRequest,
  current: number,
): Omit<RangeResponse, 'header'> {
  const revision = revisionToRead(store, int(request.revision), current);
  const query = queryOf(request);
  if (request.count_only === true)
    return { kvs: [], more: false, count: countKeys(store, query.range, revision) };
  const { kvs, count } = collect(store, query, revision);
  const all = query.isKept === undefined ? kvs : kvs.filter(query.isKept);
  // Stable, unlike in etcd: what is equal stays in the order of the keys.
  if (query.order !== undefined) all.sort(query.order);
  const more = query.limit > 0 && all.length > query.limit;
  if (more) all.length = query.limit;
  return { kvs: request.keys_only === true ? all.map(withoutValue) : all, more, count };
}

function revisionToRead(store: Store, asked: number, current: number): number {
  if (asked > current) throw serverError('futureRevision');
  const revision = asked <= 0 ? current : asked;
  if (revision < store.compactRevision) throw serverError('compacted');
  return revision;
}

function queryOf(request: RangeRequest): RangeQuery {
  return {
    range: rangeOf(request.key, request.range_end),
    limit: int(request.limit),
    isKept: filterOf(request),
    order: orderOf(request),
  };
}

function countKeys(store: Store, range: KeyRange, revision: number): number {
  let count = 0;
  store.each(range, revision, () => (count += 1));
  return count;
}

/** The keys of a range; one more than the limit at most, if nothing is filtered or sorted. */
function collect(
  store: Store,
  { range, limit, isKept, order }: RangeQuery,
  revision: number,
): { kvs: StoredKeyValue[]; count: number } {
  const kvs: StoredKeyValue[] = [];
  const most = limit > 0 && isKept === undefined && order === undefined ? limit + 1 : Infinity;
  let count = 0;
  store.each(range, revision, (kv) => {
    count += 1;
    if (kvs.length < most) kvs.push(kv);
  });
  return { kvs, count };
}

/** undefined if nothing is filtered. */
function filterOf(request: RangeRequest): RangeQuery['isKept'] {
  const [minMod, maxMod] = [int(request.min_mod_revision), int(request.max_mod_revision)];
  const [minCreate, maxCreate] = [int(request.min_create_revision), int(request.max_create_revision)];
  if (minMod === 0 && maxMod === 0 && minCreate === 0 && maxCreate === 0) return undefined;
  return ({ mod_revision: mod, create_revision: create }) =>
    (maxMod === 0 || mod <= maxMod) &&
    (minMod === 0 || mod >= minMod) &&
    (maxCreate === 0 || create <= maxCreate) &&
    (minCreate === 0 || create >= minCreate);
}

const byTarget: readonly ((a: StoredKeyValue, b: StoredKeyValue) => number)[] = [
  (a, b) => Buffer.compare(a.key, b.key),
  (a, b) => a.version - b.version,
  (a, b) => a.create_revision - b.create_revision,
  (a, b) => a.mod_revision - b.mod_revision,
  (a, b) => Buffer.compare(a.value, b.value),
];

/** undefined if the order of the keys is asked for; other targets are sorted upwards without being asked. */
function orderOf({ sort_order: order = 0, sort_target: target = 0 }: RangeRequest): RangeQuery['order'] {
  const compare = byTarget[target];
  if (order === 2 && compare !== undefined) return (a, b) => compare(b, a);
  return target === 0 ? undefined : compare;
}

function withoutValue(kv: StoredKeyValue): StoredKeyValue {
  return { ...kv, value: emptyBytes };
}
