/**
 * Quotas: no write brings what is used in a namespace above what its ResourceQuotas allow. A quota counts from when its
 * status first says so; what was there before, or before its limit was lowered, may exceed it.
 */
import { Violations } from '../violations.ts';
import { usageOf } from './usage.ts';
import { asStored, namespaceOf, walk, type Place, type World } from './walk.ts';
import { parseQuantity } from '../../../../src/meta/quantity.ts';
import type { Change, Commit, Past } from '../types.ts';

const quotas = 'core/resourcequotas';

type Counted = Pick<QuotaLimit, 'key' | 'uid' | 'resource'>;

/** What a quota says of one resource. */
export interface QuotaLimit {
  /** `<namespace>/<name>` */
  readonly key: string;
  readonly uid: string;
  readonly resource: string;
  /** In units of 10^-9. */
  readonly amount: bigint;
  /** The specification limits it, too: the status follows after a moment. */
  readonly isWanted: boolean;
}

export interface QuotaOptions {
  /**
   * What bounds a write. undefined: nothing, since it came from before the quota, or took longer than a charge is kept;
   * what it brought is not held against later ones. Default: the limit itself.
   */
  readonly boundOf?: (change: Change, commit: Commit, limit: QuotaLimit) => bigint | undefined;
}

export function quotasHold(
  past: Past,
  { boundOf = (_change, _commit, { amount }) => amount }: QuotaOptions = {},
): string[] {
  const found = new Violations();
  /** What writes without a bound brought, by `<quota> <resource> <collection>/<key>`; 0 by quota and resource once counted. */
  const excused = new Map<string, bigint>();
  walk(past, {
    before: (commit, world) => {
      for (const change of commit.changes) {
        for (const limit of limitsOf(world, change)) {
          const more = moreOf(world, change, limit.resource);
          const id = `${limit.uid} ${limit.resource} ${change.collection}/${change.key}`;
          if (change.put === undefined) excused.delete(id);
          if (more <= 0n) continue;
          const bound = limit.isWanted ? boundOf(change, commit, limit) : undefined;
          if (bound === undefined) {
            excused.set(id, (excused.get(id) ?? 0n) + more);
            continue;
          }
          const sum = sumOf(world, limit, excused) + more;
          if (sum > bound) found.add(wordsOf(change, commit, { sum, bound, limit }));
        }
      }
    },
    after: ({ revision, changes }, world) => {
      for (const change of changes) if (change.collection === quotas) excuseUncounted(world, change, excused);
      for (const { collection, key, put } of changes) {
        const { hard = {}, used = {} } = (put?.object?.['status'] ?? {}) as QuotaStatus;
        for (const [resource, amount] of collection === quotas ? Object.entries(used) : []) {
          if (nanosOf(amount) < 0n)
            found.add(`${key} has ${amount} of ${hard[resource] ?? '?'} ${resource} at ${revision}`);
        }
      }
    },
  });
  return found.list();
}

/** What the first count of a quota lacks came from before the quota was known: the newest objects. */
function excuseUncounted(world: World, { key, put }: Change, excused: Map<string, bigint>): void {
  const quota = asStored(put?.object);
  const uid = quota.metadata.uid ?? key;
  for (const [resource, text] of Object.entries((quota.status as QuotaStatus | undefined)?.used ?? {})) {
    const first = `${uid} ${resource}`;
    if (excused.has(first)) continue;
    excused.set(first, 0n);
    const limit = { key, uid, resource };
    let missing = sumOf(world, limit, excused) - nanosOf(text);
    for (const [place, object] of world.objects().reverse()) {
      const used = isBeside(place, limit) ? usageOf(place.collection, object, resource) : 0n;
      if (missing <= 0n || used === 0n) continue;
      excused.set(`${first} ${place.collection}/${place.key}`, used);
      missing -= used;
    }
  }
}

function isBeside(place: Place, { key }: Counted): boolean {
  return place.key.startsWith(namespaceOf(key));
}

function wordsOf(
  { collection, key }: Change,
  { revision }: Commit,
  { sum, bound, limit }: { readonly sum: bigint; readonly bound: bigint; readonly limit: QuotaLimit },
): string {
  const text = (nanos: bigint): string => String(Number(nanos) / 1e9);
  return `${collection}/${key} came at ${revision} with ${text(sum)} in all, ${limit.key} (${limit.resource}) allows ${text(bound)}`;
}

interface QuotaStatus {
  readonly hard?: Readonly<Record<string, string>>;
  readonly used?: Readonly<Record<string, string>>;
}

/** What a change adds to what is used of a resource. */
function moreOf(world: World, change: Change, resource: string): bigint {
  const { collection, put } = change;
  const after = put === undefined ? 0n : usageOf(collection, { metadata: {}, ...put.object }, resource);
  const before = world.get(change);
  return after - (before === undefined ? 0n : usageOf(collection, before, resource));
}

/** What is used of a resource in the namespace of a quota, without what was excused. */
function sumOf(
  world: World,
  { key, uid, resource }: Counted,
  excused: ReadonlyMap<string, bigint> = new Map(),
): bigint {
  return world.objects().reduce((sum, [place, object]) => {
    if (!place.key.startsWith(namespaceOf(key))) return sum;
    const more = usageOf(place.collection, object, resource);
    return sum + more - (excused.get(`${uid} ${resource} ${place.collection}/${place.key}`) ?? 0n);
  }, 0n);
}

/** What quotas of the namespace of a change limit, once they count it. A scope would select a part: such are left out. */
function limitsOf(world: World, { collection, key: changed }: Change): QuotaLimit[] {
  const namespace = namespaceOf(changed);
  if (namespace === '' || collection === quotas) return [];
  return [...world.of(quotas)].flatMap(([key, { metadata, spec, status }]) => {
    const isPart = spec?.['scopes'] !== undefined || spec?.['scopeSelector'] !== undefined;
    if (!key.startsWith(namespace) || isPart) return [];
    const { hard = {}, used = {} } = (status ?? {}) as QuotaStatus;
    const { hard: wanted = hard } = (spec ?? {}) as QuotaStatus;
    return Object.entries(hard)
      .filter(([resource]) => used[resource] !== undefined)
      .map(([resource, text]): QuotaLimit => {
        const amount = [text, wanted[resource] ?? text].map(nanosOf).reduce((a, b) => (a > b ? a : b));
        const isWanted = wanted[resource] !== undefined;
        return { key, uid: metadata.uid ?? key, resource, amount, isWanted };
      });
  });
}

/** Quotas whose status is not what is really allowed and used. */
export function wrongCounts(world: World): string[] {
  return [...world.of(quotas)].flatMap(([key, quota]) => {
    const { hard: wanted = {} } = (quota.spec ?? {}) as QuotaStatus;
    const { hard = {}, used = {} } = (quota.status ?? {}) as QuotaStatus;
    const uid = quota.metadata.uid ?? key;
    return [...new Set([...Object.keys(wanted), ...Object.keys(hard)])].flatMap((resource) => {
      const real = sumOf(world, { key, uid, resource });
      const isRight = wanted[resource] === hard[resource] && nanosOf(used[resource] ?? '-1') === real;
      return isRight
        ? []
        : [
            `${key} says ${used[resource] ?? 'nothing'} of ${hard[resource] ?? 'nothing'} ${resource}, ${String(Number(real) / 1e9)} of ${wanted[resource] ?? 'nothing'} are used`,
          ];
    });
  });
}

function nanosOf(text: string): bigint {
  return parseQuantity(text)?.nanos ?? 0n;
}
