/**
 * ResourceQuota: no more in a namespace than its quotas allow. What is used stands in each quota's status; a write adds
 * what it needs there by a guarded transaction before it is stored, so that writers at all replicas together stay within
 * the quota. A write that is not stored after all leaves its part there until the quota controller recounts.
 */
import { quantityOf, sumAmounts } from '../api/core/pod/amounts.ts';
import { difference, limitedBy, ScopedObject, usageOf, type Amounts } from '../api/core/quota-usage.ts';
import type {
  Pod as PodFields,
  ResourceQuota as QuotaFields,
  ResourceQuotaStatus,
} from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { steadyOf, type Clock } from '../base/clock.ts';
import { SharedSlice } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { pause } from '../base/pause.ts';
import { timeLimit } from '../base/time-limit.ts';
import { GrownWrite } from '../meta/grown-write.ts';
import type { ApiObject } from '../meta/object.ts';
import { addQuantities } from '../meta/quantity.ts';
import { isObjectNotFound } from '../meta/object-errors.ts';
import { forbidden, serviceUnavailable, type StatusError } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAbout, isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { ChargingPace } from './charging-pace.ts';
import type { ObjectReader } from './object-reader.ts';

export type ResourceQuota = Stored<QuotaFields>;

export interface QuotaAccessor {
  /** Writes the status that `change` makes of the newest quota; runs it again where another writer was first. */
  update(
    namespace: string,
    name: string,
    change: (quota: ResourceQuota) => ResourceQuotaStatus,
    signal: AbortSignal,
  ): Promise<void>;
}

const collection = 'core/resourcequotas';
/** Changes of these may need more; other kinds are counted once, when they are made. */
const growing = ['services', 'persistentvolumeclaims'];
/** A new quota is counted by the controller within a moment: so often, and so far apart, it is looked at again. */
const backoff = 10;
const pauseMs = 100;
/** To read more quotas takes tens of milliseconds, for the first of the writes that need them: they are read in slices. */
const smallBytes = 64 * 1024;
/** A larger quota, or more in all, are charged where large writes are carried out: each is a step of milliseconds. */
const largestQuota = 16 * 1024;
const mostBytes = 8 * 1024 * 1024;
/** Quotas that a write charges at once: etcd stores so many together as fast as a few. */
const atOnce = 32;
/** Time to charge all quotas, as in the reference. */
const chargeMs = 10_000;

export function createResourceQuotaPlugin(
  reader: ObjectReader,
  quotaAccessor: QuotaAccessor,
  clock: Clock,
): AdmissionPlugin {
  // With a slice each, twenty writes into a namespace of many quotas would hold the thread for twenty slices.
  const looking = new SharedSlice();
  return {
    name: 'ResourceQuota',
    validate(attributes): MaybePromise<void> {
      if (!isCounted(attributes)) return;
      const where = [collection, `${attributes.scope.namespace}/`] as const;
      const bytes = reader.bytesOf?.(...where) ?? 0;
      const isHeavy = bytes > mostBytes || (reader.largestOf?.(...where) ?? 0) > largestQuota;
      if (attributes.scope.growth === 'moves' && isHeavy) throw new GrownWrite();
      const chargeThese = (quotas: readonly ResourceQuota[]): MaybePromise<void> =>
        quotas.length > 0
          ? chargeAll({ reader, quotaAccessor, clock, looking, attributes }, [...quotas].sort(byName))
          : undefined;
      if (bytes <= smallBytes || !reader.listInSlices) return chargeThese(reader.list(...where));
      return reader.listInSlices(...where).then(chargeThese);
    },
  };
}

/**
 * A namespace may have thousands of quotas, and many writers: some are charged at once, and for a bounded time. Those
 * that seem to have no room are asked first, so that a write that is refused took nothing of the others.
 * @throws StatusError 403 of the first quota by name that has no room, 503 when time is up, or would be
 */
async function chargeAll(
  write: Omit<QuotaCharge, 'signal' | 'usage'>,
  quotas: readonly ResourceQuota[],
): Promise<void> {
  using limit = timeLimit(write.clock, chargeMs, write.attributes.scope.signal);
  const usage = new WantedUsage(write.attributes, write.clock);
  const charging = { ...write, usage, signal: limit.signal };
  const { full, others } = await sortedOut(charging, quotas);
  await chargeThese(charging, full);
  await chargeThese(charging, others);
}

/** A quota that a write takes something of. */
interface Wanting {
  readonly quota: ResourceQuota;
  readonly wanted: Amounts;
}

/** To look at one takes some 20 µs: a write that looks at few does not wait for a turn. */
const fewQuotas = 8;

/** Most quotas may be about something else: all are looked at once, in slices that writes share, before anything is waited for. */
async function sortedOut(
  { usage, looking }: QuotaCharge,
  quotas: readonly ResourceQuota[],
): Promise<{ full: readonly Wanting[]; others: readonly Wanting[] }> {
  const full: Wanting[] = [];
  const others: Wanting[] = [];
  for (const quota of quotas) {
    if (quotas.length > fewQuotas && looking.shouldYield()) await looking.yieldNow();
    const wanted = usage.of(quota);
    if (Object.keys(wanted).length === 0) continue;
    const seemsFull = exceededBy(quota, wanted).length > 0;
    (seemsFull ? full : others).push({ quota, wanted });
  }
  return { full, others };
}

/** @throws as `chargeAll` */
async function chargeThese(charging: QuotaCharge, all: readonly Wanting[]): Promise<void> {
  const pace = new ChargingPace(steadyOf(charging.clock), all.length, chargeMs);
  const failures = new Map<number, unknown>();
  const left = all.entries();
  const chargeNext = async (): Promise<void> => {
    for (const [index, { quota, wanted }] of left) {
      if (failures.size > 0) return;
      try {
        if (pace.isHopeless) throw late(all.length);
        pace.begin();
        await charge(charging, quota, wanted);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, chargeNext));
  const [first] = [...failures].sort(([a], [b]) => a - b);
  if (!first) return;
  const { signal, attributes } = charging;
  throw signal.aborted && !attributes.scope.signal.aborted ? late(all.length) : first[1];
}

function late(count: number): StatusError {
  const problem = `the write cannot be counted in the ${String(count)} quotas that limit it within ${String(chargeMs / 1_000)} s`;
  return serviceUnavailable(`${problem}: try again later, or join quotas of the namespace into fewer`, 5);
}

function byName(a: ResourceQuota, b: ResourceQuota): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

function isCounted(attributes: AdmissionAttributes): boolean {
  const { operation, scope } = attributes;
  const { namespaced, definition, gvr } = scope.resource;
  if (isAbout(attributes, 'pods', 'resize')) return operation === 'UPDATE';
  if (!namespaced || definition.virtual === true || scope.subresource !== '') return false;
  if (gvr.resource === 'events') return false;
  return (
    operation === 'CREATE' || (operation === 'UPDATE' && growing.some((name) => isAbout(attributes, name)))
  );
}

/** What a write takes of any quota: counted once, however many quotas there are. */
class WantedUsage {
  readonly #attributes: AdmissionAttributes;
  readonly #scoped: ScopedObject | undefined;
  readonly #silence: SilentContainers | undefined;
  readonly #more: Amounts;

  constructor(attributes: AdmissionAttributes, clock: Clock) {
    const { scope, object, oldObject } = attributes;
    const { gvr, naming } = scope.resource;
    const used = (o: ApiObject): Amounts => usageOf(gvr, o, { naming, now: clock.now() });
    this.#attributes = attributes;
    this.#scoped = object && new ScopedObject(gvr, object);
    this.#silence = object && isCreationOf(attributes, 'pods') ? new SilentContainers(object) : undefined;
    this.#more = object ? increase(used(object), oldObject === undefined ? {} : used(oldObject)) : {};
  }

  /**
   * What the write adds to what is used of the quota. What an update gives back is not yet free: it may still fail, and
   * the controller counts what was stored.
   * @throws StatusError 403 for a pod that must say more
   */
  of({ metadata, spec = {} }: ResourceQuota): Amounts {
    if (this.#scoped?.isInScope(spec) !== true) return {};
    const { hard = {} } = spec;
    const silent = this.#silence?.about(hard) ?? [];
    if (silent.length === 0) return limitedBy(hard, this.#more);
    const { scope, name } = this.#attributes;
    const problem = `failed quota: ${metadata.name ?? ''}: must specify ${silent.join(',')}`;
    throw forbidden(scope.resource.gvr, name, problem);
  }
}

function increase(now: Amounts, before: Amounts): Amounts {
  const changes = Object.entries(difference(now, before));
  return Object.fromEntries(changes.filter(([, amount]) => quantityOf(amount).nanos > 0n));
}

const quotas = { group: '', resource: 'resourcequotas' };
const compute = ['cpu', 'memory'];

/** The resources that a container of a pod says nothing of: what it takes would be unknown. */
class SilentContainers {
  readonly #pod: Stored<PodFields>;
  readonly #known = new Map<string, boolean>();

  constructor(pod: Stored<PodFields>) {
    this.#pod = pod;
  }

  /** Those of them that are limited. */
  about(hard: Amounts): string[] {
    return Object.keys(hard)
      .filter((limited) => this.#isSilent(limited))
      .sort();
  }

  #isSilent(limited: string): boolean {
    const [kind = '', name = kind] = limited.split('.');
    if (!compute.includes(name)) return false;
    const list = kind === 'limits' ? 'limits' : 'requests';
    const key = `${list} ${name}`;
    const known = this.#known.get(key) ?? !this.#sets(list, name);
    this.#known.set(key, known);
    return known;
  }

  #sets(list: 'requests' | 'limits', name: string): boolean {
    const { spec } = this.#pod;
    const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    return containers.every(({ resources }) => Object.hasOwn(resources?.[list] ?? {}, name));
  }
}

interface QuotaCharge {
  readonly usage: WantedUsage;
  readonly clock: Clock;
  readonly reader: ObjectReader;
  readonly quotaAccessor: QuotaAccessor;
  readonly attributes: AdmissionAttributes;
  readonly looking: SharedSlice;
  readonly signal: AbortSignal;
}

/** @throws StatusError 403 */
async function charge(charging: QuotaCharge, quota: ResourceQuota, wanted: Amounts): Promise<void> {
  const { namespace } = charging.attributes.scope;
  const address = { resource: quotas, namespace, name: quota.metadata.name ?? '' };
  for (let look = 1; ; look += 1) {
    try {
      await chargeOnce(charging, quota, wanted);
      return;
    } catch (error) {
      // A quota that was deleted meanwhile limits nothing.
      if (isObjectNotFound(error, address)) return;
      if (!(error instanceof UncountedError)) throw error;
      if (look === backoff) throw error.rejection;
    }
    const { signal } = charging;
    await pause(charging.clock, pauseMs, signal);
    signal.throwIfAborted();
  }
}

async function chargeOnce(
  { reader, quotaAccessor, attributes, signal }: QuotaCharge,
  quota: ResourceQuota,
  wanted: Amounts,
): Promise<void> {
  const { namespace, dryRun } = attributes.scope;
  const { name = '' } = quota.metadata;
  const change = (newest: ResourceQuota): ResourceQuotaStatus => withMore(newest, wanted, attributes);
  if (!dryRun) {
    await quotaAccessor.update(namespace, name, change, signal);
    return;
  }
  const newest = await reader.read(collection, `${namespace}/${name}`, signal);
  if (newest) change(newest);
}

/** The quota controller has not counted yet. */
class UncountedError extends Error {
  readonly rejection: StatusError;

  constructor(rejection: StatusError) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

/** @throws StatusError 403; UncountedError */
function withMore(
  { metadata, spec, status = {} }: ResourceQuota,
  wanted: Amounts,
  { scope, name }: AdmissionAttributes,
): ResourceQuotaStatus {
  const { hard = {} } = spec ?? {};
  const { used = {} } = status;
  const quotaName = metadata.name ?? '';
  // The quota may limit something else by now.
  const more = limitedBy(hard, wanted);
  const forbid = (problem: string): StatusError => forbidden(scope.resource.gvr, name, problem);
  const uncounted = Object.keys(more).filter((n) => !Object.hasOwn(used, n));
  if (uncounted.length > 0) {
    const resources = uncounted.sort().join(',');
    throw new UncountedError(forbid(`status unknown for quota: ${quotaName}, resources: ${resources}`));
  }
  const exceeded = exceededBy({ spec, status }, more);
  // What the write takes nothing of stays as it is: hundreds of writes may be counted in one step.
  if (exceeded.length === 0)
    return { ...status, used: { ...used, ...sumAmounts(limitedBy(more, used), more) } };
  const of = (amounts: Amounts): string => exceeded.map((n) => `${n}=${amounts[n] ?? '0'}`).join(',');
  throw forbid(
    `exceeded quota: ${quotaName}, requested: ${of(more)}, used: ${of(used)}, limited: ${of(hard)}`,
  );
}

/** The names of which more would be used than the quota allows, sorted; what is not counted yet is not among them. */
function exceededBy({ spec, status }: Pick<ResourceQuota, 'spec' | 'status'>, more: Amounts): string[] {
  const { hard = {} } = spec ?? {};
  const { used = {} } = status ?? {};
  return Object.keys(more)
    .filter((name) => {
      const wanted = quantityOf(more[name]);
      if (wanted.nanos <= 0n || !Object.hasOwn(used, name)) return false;
      return addQuantities(quantityOf(used[name]), wanted).nanos > quantityOf(hard[name]).nanos;
    })
    .sort();
}
