/**
 * The IPAddress objects of services (gate `MultiCIDRServiceAllocator`): one for each cluster address, made and removed as the
 * addresses are. They show who has an address; that no two services share one rests on the keys of `src/registry/allocation`,
 * which all releases have.
 */
import { addressNames, type AddressNames } from '../../api/networking/address-names.ts';
import type { IPAddress as AddressFields, ParentReference } from '../../api/networking/v1.types.ts';
import type { Service } from '../../api/core/v1.types.ts';
import { canonicalAddress } from '../../base/ip-address.ts';
import type { Stored } from '../../api/define.ts';
import type { Allocation } from '../../api/types.ts';
import { Slice } from '../../base/cooperate.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { isLostRace, unlessLost } from '../../meta/lost-race.ts';
import { StatusError } from '../../meta/status.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import { entryObject } from '../../registry/written-entry.ts';
import { deletionOf, ownScope } from '../../registry/write/own-writes.ts';
import type { CollectionId, Entry, Storage } from '../../storage/types.ts';

type IPAddress = Stored<AddressFields>;

export interface ServiceIpAddressesParts {
  readonly storage: Pick<Storage, 'view'>;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
  readonly naming: NamingProfile;
}

/** What is compared, and how. */
interface Compared {
  readonly services: ServedResource;
  readonly addresses: ServedResource;
  readonly allocation: Allocation<ApiObject>;
}

export class ServiceIpAddresses {
  /** What changes they follow from: of services, and of the objects themselves. */
  readonly collections: readonly CollectionId[];
  readonly #parts: ServiceIpAddressesParts;
  readonly #compared: Compared;
  readonly #names: AddressNames;
  /** What stored objects say, each read once. */
  readonly #held = new WeakMap<Entry, readonly string[]>();
  readonly #shown = new WeakMap<Entry, ParentReference | undefined>();

  private constructor(parts: ServiceIpAddressesParts, compared: Compared) {
    this.#parts = parts;
    this.#compared = compared;
    this.#names = addressNames(parts.naming);
    this.collections = [compared.services.storage.collection, compared.addresses.storage.collection];
  }

  /** undefined if either kind is not served. */
  static of(parts: ServiceIpAddressesParts): ServiceIpAddresses | undefined {
    const { catalogue, naming } = parts;
    const group = `networking.${naming.apiDomain}`;
    const services = catalogue.resource('', 'v1', 'services');
    const addresses =
      catalogue.resource(group, 'v1', 'ipaddresses') ?? catalogue.resource(group, 'v1beta1', 'ipaddresses');
    const { allocation } = services?.definition.strategy ?? {};
    return services && addresses && allocation && new this(parts, { services, addresses, allocation });
  }

  /**
   * Makes what is missing and removes what is left over. Replicas may run it concurrently: what another did first is left.
   * @throws StatusError, StorageError if etcd is unavailable
   */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { storage } = this.#parts;
    const [ofServices = '', ofAddresses = ''] = this.collections;
    // Taken in one turn: states of one revision.
    const [services, shown] = [storage.view(ofServices), storage.view(ofAddresses)];
    const slice = new Slice();
    const breathe = async (): Promise<void> => {
      await slice.breathe();
      signal.throwIfAborted();
    };
    const holders = new Map<string, string>();
    for (const entry of services.entries('', '')) {
      for (const address of this.#addressesOf(entry)) holders.set(address, entry.key);
      await breathe();
    }
    // First what is wrong goes: its address may have another service by now.
    for (const entry of shown.entries('', '')) {
      if (this.#isWrong(entry, holders)) await this.#remove(entry, signal);
      else holders.delete(entry.key);
      await breathe();
    }
    for (const [address, holder] of holders) await this.#make(address, holder, signal);
  }

  /** A damaged service shows nothing. */
  #addressesOf(entry: Entry): readonly string[] {
    const known = this.#held.get(entry);
    if (known) return known;
    let held: readonly string[] = [];
    try {
      const service = entryObject(entry) as Stored<Service>;
      const all = this.#compared.allocation.held(service);
      held = all.filter(({ pool }) => pool === 'addresses').map(({ value }) => value);
    } catch {
      // The repair of addresses tells of it.
    }
    this.#held.set(entry, held);
    return held;
  }

  /** Whether it is of a service that does not have the address. */
  #isWrong(entry: Entry, holders: ReadonlyMap<string, string>): boolean {
    if (!this.#shown.has(entry)) this.#shown.set(entry, this.#parentOf(entry));
    const parent = this.#shown.get(entry);
    return (
      parent !== undefined && holders.get(entry.key) !== `${parent.namespace ?? ''}/${parent.name ?? ''}`
    );
  }

  /** undefined for an object that somebody else maintains. */
  #parentOf(entry: Entry): ParentReference | undefined {
    const { metadata, spec } = entryObject(entry) as IPAddress;
    const isOwn = metadata.labels?.[this.#names.managedBy] === this.#names.allocator;
    const { parentRef } = spec ?? {};
    return isOwn && parentRef?.resource === 'services' ? parentRef : undefined;
  }

  async #make(address: string, holder: string, signal: AbortSignal): Promise<void> {
    const [namespace = '', name = ''] = holder.split('/');
    const { gvk } = this.#compared.addresses;
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    const labels = { [this.#names.family]: family, [this.#names.managedBy]: this.#names.allocator };
    const body = {
      ...{ kind: gvk.kind, apiVersion: apiVersionOf(gvk) },
      metadata: { name: canonicalAddress(address) ?? address, labels },
      spec: { parentRef: { group: '', resource: 'services', namespace, name } },
    };
    await unlessLost(this.#parts.verbs.create(this.#scope(signal), '', body), isTakenOrLost);
  }

  async #remove(entry: Entry, signal: AbortSignal): Promise<void> {
    const { uid = '' } = entryObject(entry).metadata;
    await unlessLost(
      this.#parts.verbs.delete(this.#scope(signal), entry.key, deletionOf(uid)),
      isTakenOrLost,
    );
  }

  #scope(signal: AbortSignal): RequestScope {
    return ownScope({ resource: this.#compared.addresses, signal });
  }
}

/** Another replica, or a user, was first; 422: a user keeps the address. The next round sees it. */
function isTakenOrLost(error: unknown): boolean {
  return isLostRace(error) || (error instanceof StatusError && error.reason === 'Invalid');
}
