/**
 * `service-cidr-controller`: ranges of service addresses are ready from the beginning, and stay while services have addresses
 * that no other range has.
 *
 *   made              ──▶ finalizer, Ready
 *   marked as deleted ──▶ are there addresses of its own? ──yes──▶ not Ready, until an address goes or a range comes
 *                               └─no──▶ the finalizer goes, once every replica has seen the mark
 */
import { AddressBlocks } from '../api/networking/address-blocks.ts';
import { addressNames, type AddressNames } from '../api/networking/address-names.ts';
import type { Condition } from '../api/meta/v1.types.ts';
import type { ServiceCIDR as RangeFields } from '../api/networking/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { ignoreNotFound } from '../meta/object-errors.ts';
import { asApiObject, asJson, type ApiObject } from '../meta/object.ts';
import { formatSeconds, instantOf } from '../meta/time.ts';
import { transitionTime } from '../meta/transition-time.ts';
import { reflect } from './reflector.ts';
import type { Controller, ControllerContext, MetadataEvent, ResourceRef } from './types.ts';
import { WorkQueue } from './work-queue.ts';

export interface ServiceCidrOptions extends ControllerContext {
  readonly naming: NamingProfile;
  /** The version in which the kinds are served; absent: v1, where the release of the server has it. */
  readonly version?: string | undefined;
}

type ServiceCIDR = Stored<RangeFields>;

const name = 'service-cidr-controller';
/** The release that serves v1. */
const servedSince = 33;
/** Until then a replica may still give addresses of a range that is being deleted. */
const graceMs = 10_000;
const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

export function createServiceCidrController(options: ServiceCidrOptions): Controller {
  return {
    name,
    run: async (signal) => {
      const isServed = async (): Promise<boolean> =>
        (await options.client.minorVersion(signal)) >= servedSince;
      const version = options.version ?? ((await isServed()) ? 'v1' : undefined);
      if (version !== undefined) await new ServiceCidrController(options, version).run(signal);
    },
  };
}

class ServiceCidrController {
  readonly #options: ServiceCidrOptions;
  readonly #names: AddressNames;
  readonly #cidrs: ResourceRef;
  readonly #addresses: ResourceRef;
  readonly #queue: WorkQueue<string>;
  /** Names of ranges that wait to go. */
  readonly #waiting = new Set<string>();

  constructor(options: ServiceCidrOptions, version: string) {
    this.#options = options;
    const { naming, clock, log, metrics } = options;
    this.#names = addressNames(naming);
    const about = { group: `networking.${naming.apiDomain}`, version, namespaced: false, verbs };
    this.#cidrs = { ...about, resource: 'servicecidrs', kind: 'ServiceCIDR' };
    this.#addresses = { ...about, resource: 'ipaddresses', kind: 'IPAddress' };
    this.#queue = new WorkQueue({
      ...{ name, workers: 1, clock, log, metrics },
      handle: (range, signal) => this.#sync(range, signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log } = this.#options;
    const follow = (resource: ResourceRef, onEvent: (event: MetadataEvent) => void): Promise<void> =>
      reflect({ client, clock, log, resource, onEvent, onSynced: () => undefined }, signal);
    await Promise.all([
      follow(this.#cidrs, (event) => this.#noteRange(event)),
      follow(this.#addresses, ({ type }) => {
        if (type === 'DELETED') this.#lookAgain();
      }),
      this.#queue.run(signal),
    ]);
  }

  #noteRange({ type, object: { metadata } }: MetadataEvent): void {
    const { name: range = '', deletionTimestamp } = metadata;
    if (type !== 'DELETED' && deletionTimestamp != null) this.#waiting.add(range);
    else this.#waiting.delete(range);
    if (type !== 'DELETED') this.#queue.add(range);
    // Addresses of one that goes may be in one that came.
    if (type === 'ADDED') this.#lookAgain();
  }

  #lookAgain(): void {
    for (const range of this.#waiting) this.#queue.add(range);
  }

  async #sync(range: string, signal: AbortSignal): Promise<number | undefined> {
    const ref = { resource: this.#cidrs, namespace: '', name: range };
    const object: ServiceCIDR | undefined = await this.#options.client.get(ref, signal);
    if (!object) return undefined;
    const finalizers = object.metadata.finalizers ?? [];
    const isKept = finalizers.includes(this.#names.finalizer);
    const write = (next: ServiceCIDR, subresource = ''): Promise<void> =>
      ignoreNotFound(ref, this.#options.client.update(ref, asApiObject(asJson(next)), subresource, signal));
    if (object.metadata.deletionTimestamp == null) {
      if (isKept) await this.#report(object, ready, write);
      else await write(withFinalizers(object, [...finalizers, this.#names.finalizer]));
      return undefined;
    }
    if (!isKept) return undefined;
    if (await this.#isNeeded(object, signal)) {
      await this.#report(object, terminating, write);
      return undefined;
    }
    const left = graceMs - (this.#options.clock.now() - instantOf(object.metadata.deletionTimestamp));
    if (left > 0) return left;
    await write(
      withFinalizers(
        object,
        finalizers.filter((other) => other !== this.#names.finalizer),
      ),
    );
    return undefined;
  }

  async #report(
    object: ServiceCIDR,
    wanted: Condition,
    write: (next: ServiceCIDR, subresource: string) => Promise<void>,
  ): Promise<void> {
    const conditions = object.status?.conditions ?? [];
    const before = conditions.find(({ type }) => type === wanted.type);
    if (before?.status === wanted.status && before?.reason === wanted.reason) return;
    const now = formatSeconds(new Date(this.#options.clock.now()));
    const lastTransitionTime = transitionTime(before, wanted.status, now);
    const others = conditions.filter(({ type }) => type !== wanted.type);
    const status = { ...object.status, conditions: [...others, { ...wanted, lastTransitionTime }] };
    await write({ ...object, status }, 'status');
  }

  /** Whether an address of a service is in no other range that stays. */
  async #isNeeded(object: ServiceCIDR, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#options;
    const others = new AddressBlocks();
    const noteOther = ({ metadata, spec }: ServiceCIDR): void => {
      if (metadata.uid === object.metadata.uid || metadata.deletionTimestamp != null) return;
      for (const block of spec?.cidrs ?? []) others.add(block);
    };
    await client.eachObject(this.#cidrs, { namespace: '', onItem: noteOther }, signal);
    const open = new AddressBlocks();
    for (const own of object.spec?.cidrs ?? []) if (!others.cover(own)) open.add(own);
    let isNeeded = false;
    const look = ({ metadata }: ApiObject): void => {
      const address = metadata.name ?? '';
      const isOfService = metadata.labels?.[this.#names.managedBy] === this.#names.allocator;
      isNeeded ||= isOfService && open.cover(address) && !others.cover(address);
    };
    await client.eachMetadata(this.#addresses, { onItem: look }, signal);
    return isNeeded;
  }
}

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: '',
  message: 'services get addresses of these ranges',
};
const terminating: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'services have addresses of these ranges, which no other ServiceCIDR has',
};

function withFinalizers(object: ServiceCIDR, finalizers: string[]): ServiceCIDR {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
