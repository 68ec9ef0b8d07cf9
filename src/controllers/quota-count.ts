/** What is used of the quotas of a namespace: each object is looked at once, however many quotas there are. */
import { quantityOf } from '../api/core/pod/amounts.ts';
import {
  dependsOnObject,
  hasScopes,
  namesOfOne,
  ScopedObject,
  usageOf,
  type Amounts,
} from '../api/core/quota-usage.ts';
import type { ResourceQuota as QuotaFields, ResourceQuotaSpec } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { PassiveClock } from '../base/clock.ts';
import type { SharedSlice } from '../base/cooperate.ts';
import { unlessAborted } from '../base/pause.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import { addQuantities, formatQuantity, type Quantity } from '../meta/quantity.ts';
import type { ApiClient, ResourceRef } from './types.ts';

export type Quota = Stored<QuotaFields>;

export interface CountParts {
  readonly client: Pick<ApiClient, 'count' | 'eachObject'>;
  readonly clock: PassiveClock;
  readonly naming: NamingProfile;
  readonly namespace: string;
  /** All counts share it. */
  readonly slice: SharedSlice;
}

/**
 * What is used of each name that a quota limits, nothing included.
 * @param about the resources that the names of each quota are about; the others are not read
 */
export async function countQuotas(
  parts: CountParts,
  about: ReadonlyMap<Quota, readonly ResourceRef[]>,
  signal: AbortSignal,
): Promise<Map<Quota, Amounts>> {
  const sums = new Map(Array.from(about.keys(), (quota) => [quota, new Map<string, Quantity>()]));
  for (const [resource, quotas] of quotasByResource(about)) {
    const scopes = scopesOf(quotas);
    await countResource(parts, { resource, scopes }, signal);
    for (const scope of scopes) for (const quota of scope.quotas) addTotals(sums.get(quota), quota, scope);
  }
  return new Map(Array.from(sums, ([quota, sum]) => [quota, amountsOf(quota, sum)]));
}

interface Counted {
  readonly resource: ResourceRef;
  readonly scopes: readonly Scope[];
}

/** Objects of which each counts as one are not looked at: they may have a megabyte each. */
async function countResource(parts: CountParts, counted: Counted, signal: AbortSignal): Promise<void> {
  const { client, namespace } = parts;
  const { resource, scopes } = counted;
  if (dependsOnObject(resource)) {
    const onItem = (object: ApiObject): Promise<void> => countObject(parts, { ...counted, object }, signal);
    return client.eachObject(resource, { namespace, onItem }, signal);
  }
  const all = String(await client.count(resource, namespace, signal));
  const used = Object.fromEntries(namesOfOne(resource).map((name) => [name, all]));
  for (const { spec, total } of scopes) if (!hasScopes(spec)) addTo(total, used);
}

async function countObject(
  { slice, naming, clock }: CountParts,
  { resource, object, scopes }: Counted & { readonly object: ApiObject },
  signal: AbortSignal,
): Promise<void> {
  const scoped = new ScopedObject(resource, object);
  const used = usageOf(resource, object, { naming, now: clock.now() });
  for (const { spec, total } of scopes) {
    if (scoped.isInScope(spec)) addTo(total, used);
    if (slice.shouldYield()) await unlessAborted(slice.yieldNow(), signal);
  }
}

/** Quotas of the same scopes count the same objects. */
interface Scope {
  readonly spec: ResourceQuotaSpec;
  readonly quotas: Quota[];
  /** Of all names. */
  readonly total: Map<string, Quantity>;
}

/** Each resource once, whatever its reference is. */
function quotasByResource(
  about: ReadonlyMap<Quota, readonly ResourceRef[]>,
): Iterable<readonly [ResourceRef, readonly Quota[]]> {
  const found = new Map<string, readonly [ResourceRef, Quota[]]>();
  for (const [quota, resources] of about) {
    for (const resource of resources) {
      const key = `${resource.group}/${resource.resource}`;
      const known = found.get(key);
      if (known) known[1].push(quota);
      else found.set(key, [resource, [quota]]);
    }
  }
  return found.values();
}

function scopesOf(quotas: readonly Quota[]): Scope[] {
  const found = new Map<string, Scope>();
  for (const quota of quotas) {
    const spec = quota.spec ?? {};
    const key = JSON.stringify([spec.scopes ?? [], spec.scopeSelector ?? {}]);
    const known = found.get(key);
    if (known) known.quotas.push(quota);
    else found.set(key, { spec, quotas: [quota], total: new Map() });
  }
  return [...found.values()];
}

function addTo(total: Map<string, Quantity>, used: Amounts): void {
  for (const [name, amount] of Object.entries(used)) add(total, name, quantityOf(amount));
}

function addTotals(sum: Map<string, Quantity> | undefined, { spec }: Quota, { total }: Scope): void {
  for (const name of Object.keys(spec?.hard ?? {})) {
    const amount = total.get(name);
    if (amount && sum) add(sum, name, amount);
  }
}

function add(total: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = total.get(name);
  total.set(name, before ? addQuantities(before, amount) : amount);
}

function amountsOf({ spec }: Quota, sum: ReadonlyMap<string, Quantity>): Amounts {
  const amount = (name: string): string => {
    const found = sum.get(name);
    return found ? formatQuantity(found) : '0';
  };
  return Object.fromEntries(Object.keys(spec?.hard ?? {}).map((name) => [name, amount(name)]));
}
