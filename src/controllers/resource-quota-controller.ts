/**
 * Keeps the statuses of ResourceQuotas: what is allowed, and what is really used. Admission adds to the use before it
 * writes; this controller counts a new quota, and gives back what was deleted, has ended or was never stored.
 *
 *   quota new or changed ──▶ recount ──▶ more is used ──▶ written at once
 *   object gone or changed ──soon──▶        └─ less is ──▶ counted again a moment later, then written
 *
 * All quotas of a namespace that are due are counted together (`quota-count.ts`).
 */
import { countName, difference, type Amounts } from '../api/core/quota-usage.ts';
import { SharedSlice, Slice } from '../base/cooperate.ts';
import { pauseAwake, unlessAborted } from '../base/pause.ts';
import { deepEqual } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { quantityOf } from '../api/core/pod/amounts.ts';
import { StatusError } from '../meta/status.ts';
import { coreResource, configMaps, secrets } from './core-resources.ts';
import { ignoreTerminating } from './per-namespace.ts';
import { countQuotas, type Quota } from './quota-count.ts';
import { reflect } from './reflector.ts';
import {
  IncompleteDiscovery,
  type Controller,
  type ControllerContext,
  type MetadataEvent,
  type ResourceRef,
} from './types.ts';
import { hasStopped, WorkQueue } from './work-queue.ts';

export interface ResourceQuotaControllerOptions extends ControllerContext {
  readonly naming: NamingProfile;
}

const quotas = coreResource('ResourceQuota', 'resourcequotas');
const pods = coreResource('Pod', 'pods');
/** What quotas know by more names than `count/…`; their changes are followed. */
const followed = [
  ...[pods, quotas, configMaps, secrets],
  coreResource('Service', 'services'),
  coreResource('ReplicationController', 'replicationcontrollers'),
  coreResource('PersistentVolumeClaim', 'persistentvolumeclaims'),
];
/** Pods that ended count no more, claims and services may shrink; others are counted, whatever they are. */
const changing: readonly ResourceRef[] = followed.filter(({ resource }) =>
  ['pods', 'services', 'persistentvolumeclaims'].includes(resource),
);
/** Writes of a namespace under way. */
const writesAtOnce = 4;
/** Several changes in a row are counted together. */
const soonMs = 500;
/** Longer than it takes from the admission of a write to its storage: what was admitted before shows by then. */
const settleMs = 500;
/** Objects of other kinds are not followed: what they gave back is found this often. */
const recountMs = 30_000;

export function createResourceQuotaController(options: ResourceQuotaControllerOptions): Controller {
  return { name: 'resourcequota', run: (signal) => new QuotaController(options).run(signal) };
}

/** The quotas of a namespace that are due: their names, or all that there are. */
type Due = Set<string> | 'all';

class QuotaController {
  private readonly options: ResourceQuotaControllerOptions;
  /** Of namespaces. */
  private readonly queue: WorkQueue<string>;
  /** Names of quotas by namespace. */
  private readonly known = new Map<string, Set<string>>();
  private readonly due = new Map<string, Due>();
  private readonly slice = new SharedSlice();

  constructor(options: ResourceQuotaControllerOptions) {
    this.options = options;
    const { clock, log, metrics } = options;
    this.queue = new WorkQueue({
      ...{ name: 'resourcequota', workers: 4, clock, log, metrics },
      handle: async (namespace, signal) => {
        await ignoreTerminating(() => this.recountDue(namespace, signal));
        return undefined;
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log } = this.options;
    const onSynced = (): void => undefined;
    // What a list has or lacks changes counts only: it is counted again.
    const onListed = (): void => void this.addAll(signal);
    const follow = (resource: ResourceRef): Promise<void> =>
      reflect(
        {
          ...{ client, clock, log, onSynced, resource, onEvent: (event) => this.note(resource, event) },
          ...(resource !== quotas && { onListed }),
        },
        signal,
      );
    await Promise.all([...followed.map(follow), this.recountAll(signal), this.queue.run(signal)]);
  }

  private async recountAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pauseAwake(this.options.clock, recountMs, signal);
      await this.addAll(signal);
    }
  }

  private async addAll(signal: AbortSignal): Promise<void> {
    const slice = new Slice();
    for (const namespace of this.known.keys()) {
      if (hasStopped(signal)) return;
      this.addAllSoon(namespace);
      await slice.breathe();
    }
  }

  private note(resource: ResourceRef, { type, object: { metadata } }: MetadataEvent): void {
    const { namespace = '', name = '' } = metadata;
    if (resource === quotas) this.noteQuota(type, namespace, name);
    if (type === 'DELETED' || (type === 'MODIFIED' && changing.includes(resource)))
      this.addAllSoon(namespace);
  }

  private noteQuota(type: MetadataEvent['type'], namespace: string, name: string): void {
    const names = this.known.get(namespace) ?? new Set();
    if (type === 'DELETED') names.delete(name);
    else names.add(name);
    if (names.size > 0) this.known.set(namespace, names);
    else this.known.delete(namespace);
    if (type !== 'DELETED') this.addDue(namespace, name);
    if (type === 'ADDED') this.queue.add(namespace);
    // What it limits may be other things by now.
    else if (type === 'MODIFIED') this.queue.addAfter(namespace, soonMs);
  }

  private addDue(namespace: string, name: string): void {
    const due = this.due.get(namespace) ?? new Set();
    if (due !== 'all') this.due.set(namespace, due.add(name));
  }

  private addAllSoon(namespace: string): void {
    if (!this.known.has(namespace)) return;
    this.due.set(namespace, 'all');
    this.queue.addAfter(namespace, soonMs);
  }

  private async recountDue(namespace: string, signal: AbortSignal): Promise<void> {
    const due = this.due.get(namespace);
    this.due.delete(namespace);
    if (due === undefined) return;
    try {
      await this.recount(namespace, await this.read(namespace, due, signal), signal);
    } catch (error) {
      if (due === 'all') this.due.set(namespace, due);
      else for (const name of due) this.addDue(namespace, name);
      throw error;
    }
  }

  private async read(namespace: string, due: Due, signal: AbortSignal): Promise<readonly Quota[]> {
    const { client } = this.options;
    const found: Quota[] = [];
    const onItem = (quota: Quota): void => {
      const { name = '', deletionTimestamp } = quota.metadata;
      if (deletionTimestamp == null && (due === 'all' || due.has(name))) found.push(quota);
    };
    const [name = ''] = due;
    const isOne = due !== 'all' && due.size === 1;
    const one = isOne && (await client.get({ resource: quotas, namespace, name }, signal));
    if (one) onItem(one);
    if (!isOne) await client.eachObject(quotas, { namespace, onItem }, signal);
    return found;
  }

  /** A write that was admitted after a quota was read makes this a conflict, and that one is counted again. */
  private async recount(namespace: string, found: readonly Quota[], signal: AbortSignal): Promise<void> {
    const { counts, failure } = await this.countsOf(namespace, found, signal);
    const fewer = Array.from(counts).filter(([quota, used]) => isLess(used, quota.status?.used ?? {}));
    if (fewer.length > 0) {
      await pauseAwake(this.options.clock, settleMs, signal);
      const again = await this.countsOf(
        namespace,
        fewer.map(([quota]) => quota),
        signal,
      );
      for (const [quota, used] of again.counts) counts.set(quota, used);
    }
    const left = counts.entries();
    const writeNext = async (): Promise<void> => {
      for (const [quota, used] of left) await this.writeChanged(quota, used, signal);
    };
    await Promise.all(Array.from({ length: Math.min(writesAtOnce, counts.size) }, writeNext));
    if (failure) throw failure.error;
  }

  /** Counts of those quotas whose resources are known; others fail, and do not keep these. */
  private async countsOf(
    namespace: string,
    found: readonly Quota[],
    signal: AbortSignal,
  ): Promise<{ counts: Map<Quota, Amounts>; failure: { readonly error: unknown } | undefined }> {
    const about = new Map<Quota, readonly ResourceRef[]>();
    let failure: { readonly error: unknown } | undefined;
    for (const quota of found) {
      try {
        about.set(quota, await this.resourcesOf(quota.spec?.hard ?? {}, signal));
      } catch (error) {
        failure = { error };
      }
      if (this.slice.shouldYield()) await unlessAborted(this.slice.yieldNow(), signal);
    }
    const counts = await countQuotas({ ...this.options, namespace, slice: this.slice }, about, signal);
    return { counts, failure };
  }

  private async writeChanged(quota: Quota, used: Amounts, signal: AbortSignal): Promise<void> {
    const before = quota.status?.used ?? {};
    const hard = quota.spec?.hard ?? {};
    const isSame = Object.keys(difference(used, before)).length === 0 && hasSameNames(used, before);
    if (signal.aborted || (isSame && deepEqual(hard, quota.status?.hard ?? {}))) return;
    await this.write({ ...quota, status: { hard: { ...hard }, used: { ...used } } }, signal);
  }

  private async write(quota: Quota, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '' } = quota.metadata;
    try {
      await ignoreTerminating(async () => {
        await this.options.client.update({ resource: quotas, namespace, name }, quota, 'status', signal);
      });
    } catch (error) {
      // Whatever the conflict is, the count is made again, in a moment and not at once.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
      this.addDue(namespace, name);
      this.queue.addAfter(namespace, soonMs);
    }
  }

  /** The resources that something of the quota's names is about; the others are not read. */
  private async resourcesOf(hard: Amounts, signal: AbortSignal): Promise<readonly ResourceRef[]> {
    const names = Object.keys(hard);
    const isNamed = (resource: ResourceRef): boolean =>
      names.some(
        (name) => name === countName(resource) || (resource.group === '' && isAbout(name, resource.resource)),
      );
    if (!names.some((name) => name.startsWith('count/'))) return followed.filter(isNamed);
    return (await this.discovered(names, signal)).filter(isNamed);
  }

  /** @throws IncompleteDiscovery if a group that the names are about does not answer */
  private async discovered(names: readonly string[], signal: AbortSignal): Promise<readonly ResourceRef[]> {
    try {
      return await this.options.client.discover(signal);
    } catch (error) {
      if (!(error instanceof IncompleteDiscovery)) throw error;
      const known = new Set(error.resources.map(countName));
      const isUnknown = (name: string): boolean =>
        !known.has(name) && [...error.groups].some((group) => name.endsWith(`.${group}`));
      if (names.some(isUnknown)) throw error;
      return error.resources;
    }
  }
}

/** Whether a plain name limits objects of a core resource. */
function isAbout(name: string, resource: string): boolean {
  if (name.startsWith('count/')) return false;
  const plain = name.split('.storageclass.').length > 1 ? 'persistentvolumeclaims' : name;
  if (followed.some((f) => f.resource === plain)) return resource === plain;
  if (plain === 'services.nodeports' || plain === 'services.loadbalancers') return resource === 'services';
  return resource === (plain === 'requests.storage' ? 'persistentvolumeclaims' : 'pods');
}

function isLess(used: Amounts, before: Amounts): boolean {
  return Object.entries(before).some(
    ([name, amount]) => quantityOf(used[name]).nanos < quantityOf(amount).nanos,
  );
}

function hasSameNames(a: Amounts, b: Amounts): boolean {
  return deepEqual(Object.keys(a).sort(), Object.keys(b).sort());
}
