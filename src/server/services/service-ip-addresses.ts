/**
 * The IPAddress objects of services (gate `MultiCIDRServiceAllocator`): one for each cluster address, made and removed as the
 * addresses are. They show who has an address; that no two services share one rests on the keys of `src/registry/allocation`,
 * which all releases have.
 */
import { addressNames, type AddressNames } from '../../api/networking/address-names.ts';
import type { IPAddress as AddressFields, ParentReference } from '../../api/networking/v1.types.ts';
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
import { readObject } from '../../registry/object-memo.ts';
import { deletionOf, ownScope } from '../../registry/write/own-writes.ts';
import type { CollectionId, Entry, ObjectKey, Revision, Storage } from '../../storage/types.ts';

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

interface Read<T> {
  readonly revision: Revision;
  readonly value: T;
}

/** What is read of objects, as long as they do not change. Entries do not last: those of small objects are made for each look. */
class PerRevision<T> {
  readonly #read: (entry: Entry) => Promise<T>;
  #before = new Map<ObjectKey, Read<T>>();
  #now = new Map<ObjectKey, Read<T>>();

  constructor(read: (entry: Entry) => Promise<T>) {
    this.#read = read;
  }

  async of(entry: Entry): Promise<T> {
    const { key, modRevision: revision } = entry;
    const known = this.#before.get(key);
    const found = known?.revision === revision ? known : { revision, value: await this.#read(entry) };
    this.#now.set(key, found);
    return found.value;
  }

  /** What was not asked for since the last round is gone. */
  endRound(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }
}

export class ServiceIpAddresses {
  /** What changes they follow from: of services, and of the objects themselves. */
  readonly collections: readonly CollectionId[];
  readonly #parts: ServiceIpAddressesParts;
  readonly #compared: Compared;
  readonly #names: AddressNames;
  /** What stored objects say, each revision of them read once. */
  readonly #held: PerRevision<readonly string[]>;
  readonly #shown: PerRevision<ParentReference | undefined>;

  private constructor(parts: ServiceIpAddressesParts, compared: Compared) {
    this.#parts = parts;
    this.#compared = compared;
    this.#names = addressNames(parts.naming);
    this.#held = new PerRevision((entry) => this.#addressesOf(entry));
    this.#shown = new PerRevision((entry) => this.#parentOf(entry));
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
      for (const address of await this.#held.of(entry)) holders.set(address, entry.key);
      await breathe();
    }
    // First what is wrong goes: its address may have another service by now.
    for (const entry of shown.entries('', '')) {
      if (await this.#isWrong(entry, holders)) await this.#remove(entry, signal);
      else holders.delete(entry.key);
      await breathe();
    }
    this.#held.endRound();
    this.#shown.endRound();
    for (const [address, holder] of holders) await this.#make(address, holder, signal);
  }

  /** A damaged service shows nothing. */
  async #addressesOf(entry: Entry): Promise<readonly string[]> {
    try {
      const all = this.#compared.allocation.held(await readObject(entry));
      return all.filter(({ pool }) => pool === 'addresses').map(({ value }) => value);
    } catch {
      // The repair of addresses tells of it.
      return [];
    }
  }

  /** Whether it is of a service that does not have the address. */
  async #isWrong(entry: Entry, holders: ReadonlyMap<string, string>): Promise<boolean> {
    const parent = await this.#shown.of(entry);
    return (
      parent !== undefined && holders.get(entry.key) !== `${parent.namespace ?? ''}/${parent.name ?? ''}`
    );
  }

  /** undefined for an object that somebody else maintains. */
  async #parentOf(entry: Entry): Promise<ParentReference | undefined> {
    const { metadata, spec } = (await readObject(entry)) as IPAddress;
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
    const { uid = '' } = (await readObject(entry)).metadata;
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
