/**
 * Keeps the statuses of ResourceQuotas: what is allowed, and what is really used. Admission adds to the use before it
 * writes; this controller counts a new quota, and gives back what was deleted, has ended or was never stored.
 *
 *   quota new or changed ──▶ recount ──▶ more is used ──▶ written at once
 *   object gone or changed ──soon──▶        └─ less is ──▶ counted again a moment later, then written
 */
import { sumAmounts } from '../api/core/pod/amounts.ts';
import {
  countName,
  difference,
  limitedBy,
  ScopedObject,
  usageOf,
  type Amounts,
} from '../api/core/quota-usage.ts';
import type { ResourceQuota as QuotaFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { pauseAwake } from '../base/pause.ts';
import { deepEqual } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { quantityOf } from '../api/core/pod/amounts.ts';
import { StatusError } from '../meta/status.ts';
import { coreResource, configMaps, secrets } from './core-resources.ts';
import { ignoreTerminating } from './per-namespace.ts';
import { reflect } from './reflector.ts';
import {
  IncompleteDiscovery,
  type Controller,
  type ControllerContext,
  type MetadataEvent,
  type ResourceRef,
} from './types.ts';
import { WorkQueue } from './work-queue.ts';

export interface ResourceQuotaControllerOptions extends ControllerContext {
  readonly naming: NamingProfile;
}

type Quota = Stored<QuotaFields>;

const quotas = coreResource('ResourceQuota', 'resourcequotas');
const pods = coreResource('Pod', 'pods');
/** What quotas know by more names than `count/…`; their changes are followed. */
const followed = [
  ...[pods, quotas, configMaps, secrets],
  coreResource('Service', 'services'),
  coreResource('ReplicationController', 'replicationcontrollers'),
  coreResource('PersistentVolumeClaim', 'persistentvolumeclaims'),
];
/** Several changes in a row are counted together. */
const soonMs = 500;
/** Longer than it takes from the admission of a write to its storage: what was admitted before shows by then. */
const settleMs = 500;
/** Objects of other kinds are not followed: what they gave back is found this often. */
const recountMs = 30_000;

export function createResourceQuotaController(options: ResourceQuotaControllerOptions): Controller {
  return { name: 'resourcequota', run: (signal) => new QuotaController(options).run(signal) };
}

class QuotaController {
  private readonly options: ResourceQuotaControllerOptions;
  private readonly queue: WorkQueue<string>;
  /** Names of quotas by namespace. */
  private readonly known = new Map<string, Set<string>>();

  constructor(options: ResourceQuotaControllerOptions) {
    this.options = options;
    const { clock, log, metrics } = options;
    this.queue = new WorkQueue({
      ...{ name: 'resourcequota', workers: 4, clock, log, metrics },
      handle: async (key, signal) => {
        const [namespace = '', name = ''] = key.split('/');
        await ignoreTerminating(() => this.recount(namespace, name, signal));
        return undefined;
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log } = this.options;
    const onSynced = (): void => undefined;
    const follow = (resource: ResourceRef): Promise<void> =>
      reflect(
        { client, clock, log, onSynced, resource, onEvent: (event) => this.note(resource, event) },
        signal,
      );
    await Promise.all([...followed.map(follow), this.recountAll(signal), this.queue.run(signal)]);
  }

  private async recountAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pauseAwake(this.options.clock, recountMs, signal);
      for (const namespace of this.known.keys()) this.addSoon(namespace);
    }
  }

  private note(resource: ResourceRef, { type, object: { metadata } }: MetadataEvent): void {
    const { namespace = '', name = '' } = metadata;
    if (resource === quotas) this.noteQuota(type, namespace, name);
    // Pods that ended count no more, claims and services may shrink.
    if (type !== 'ADDED') this.addSoon(namespace);
  }

  private noteQuota(type: MetadataEvent['type'], namespace: string, name: string): void {
    const names = this.known.get(namespace) ?? new Set();
    if (type === 'DELETED') names.delete(name);
    else names.add(name);
    if (names.size > 0) this.known.set(namespace, names);
    else this.known.delete(namespace);
    if (type === 'ADDED') this.queue.add(`${namespace}/${name}`);
  }

  private addSoon(namespace: string): void {
    for (const name of this.known.get(namespace) ?? []) this.queue.addAfter(`${namespace}/${name}`, soonMs);
  }

  /** A write that was admitted after the quota was read makes this a conflict, and it is counted again. */
  private async recount(namespace: string, name: string, signal: AbortSignal): Promise<void> {
    const { client } = this.options;
    const ref = { resource: quotas, namespace, name };
    const quota = (await client.get(ref, signal)) as Quota | undefined;
    if (!quota || quota.metadata.deletionTimestamp != null) return;
    const before = quota.status?.used ?? {};
    let used = await this.countedOf(quota, namespace, signal);
    if (isLess(used, before)) {
      await pauseAwake(this.options.clock, settleMs, signal);
      used = await this.countedOf(quota, namespace, signal);
    }
    const hard = quota.spec?.hard ?? {};
    const status = { hard: { ...hard }, used: { ...used } };
    const isSame = Object.keys(difference(used, before)).length === 0 && hasSameNames(used, before);
    if (signal.aborted || (isSame && deepEqual(hard, quota.status?.hard ?? {}))) return;
    await this.write(ref, { ...quota, status }, signal);
  }

  private async write(
    ref: { resource: ResourceRef; namespace: string; name: string },
    quota: Quota,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.options.client.update(ref, quota, 'status', signal);
    } catch (error) {
      // Whatever the conflict is, the count is made again, in a moment and not at once.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
      this.addSoon(ref.namespace);
    }
  }

  /** What is used of each name that the quota limits, nothing included. */
  private async countedOf(quota: Quota, namespace: string, signal: AbortSignal): Promise<Amounts> {
    const hard = quota.spec?.hard ?? {};
    let used: Amounts = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
    const { client, clock, naming } = this.options;
    for (const resource of await this.resourcesOf(hard, signal)) {
      for (const object of await client.list(resource, namespace, signal)) {
        if (!new ScopedObject(resource, object).isInScope(quota.spec ?? {})) continue;
        used = sumAmounts(used, limitedBy(hard, usageOf(resource, object, { naming, now: clock.now() })));
      }
    }
    return used;
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
