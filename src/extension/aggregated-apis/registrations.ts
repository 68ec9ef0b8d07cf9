/**
 * The APIServices that a replica knows, in the order of discovery. Each change of what they register makes a new
 * value; unchanged services stay the same objects, so that what is cached by them stays valid.
 *
 *   APIService written ─▶ etcd ─▶ follower ─▶ view of every replica ─▶ new registrations ─▶ listeners
 */
import type { Environment } from '../../base/environment.ts';
import { coalesced } from '../../base/coalesced.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import { followCollection, type CollectionListener } from '../../storage/follow-collection.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import { RegistrationOrder } from './registration-order.ts';
import { registrationOf, serviceName, type RegisteredService } from './registered-service.ts';

/** All registrations at one time. */
export interface Registrations {
  /** Groups by their highest priority, versions by theirs; names decide between equal ones. At the time of the first look. */
  readonly ordered: readonly RegisteredService[];
  /** Those that other servers answer for, in the same order. */
  readonly remotes: readonly RegisteredService[];
  /** The same in no order: thousands take milliseconds to be put in order. */
  readonly unordered: Iterable<RegisteredService>;
  /** The registration of a group version that another server answers for. */
  remote(group: string, version: string): RegisteredService | undefined;
  /** The same by the name of the APIService. */
  remoteNamed(name: string): RegisteredService | undefined;
}

/** Called after each change with the names of the services that changed, were added or are gone. */
export type RegistrationListener = (names: ReadonlySet<string>) => void;

export interface RegistrationsParts extends Environment {
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'view' | 'watch'>;
  readonly log: Logger;
}

/** Changes that are read at once: each takes about 30 µs. */
const mostAtOnce = 100;

export class RegistrationFollower {
  readonly collection: string;
  readonly #parts: RegistrationsParts;
  readonly #ownGroup: string;
  readonly #stopping = new AbortController();
  readonly #listeners: RegistrationListener[] = [];
  readonly #noteChange = coalesced(() => {
    if (!this.#stopping.signal.aborted) this.#notify();
  });
  readonly #byName = new Map<string, RegisteredService>();
  /** What each was read from: of thousands of services one changes at a time. */
  readonly #entries = new Map<string, Entry>();
  readonly #order = new RegistrationOrder();
  #registrations: Registrations = registrationsOf([], this.#order);
  #changed = new Set<string>();
  #isStale = true;
  /** Batches of changes that are being read. */
  #unread = 0;
  readonly #slice = new SharedSlice();

  constructor(parts: RegistrationsParts) {
    this.#parts = parts;
    this.#ownGroup = expandNames('apiregistration.{api}', parts.naming);
    this.collection = `${this.#ownGroup}/apiservices`;
    const changed = (): void => {
      this.#isStale = true;
      this.#noteChange();
    };
    const note = (entries: readonly Entry[]): void => {
      if (entries.length > mostAtOnce || this.#unread > 0) void this.#read(entries).then(changed);
      else changed();
    };
    const listener: CollectionListener = {
      onState: (snapshot) => {
        note(snapshot.page('', '', Number.POSITIVE_INFINITY));
      },
      onEvents: (events) => {
        note(events.map(({ entry }) => entry));
      },
      onBreak: changed,
    };
    followCollection(parts, this.collection, listener, this.#stopping.signal);
  }

  /** The same value until a registration changes. */
  current(): Registrations {
    if (this.#isStale) this.#renew();
    return this.#registrations;
  }

  /** The service of this name, local ones too. */
  service(name: string): RegisteredService | undefined {
    this.current();
    return this.#byName.get(name);
  }

  onChange(listener: RegistrationListener): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#stopping.abort();
  }

  /** Runs detached: an error must not crash the process. */
  #notify(): void {
    this.current();
    const names = this.#changed;
    this.#changed = new Set();
    if (names.size === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(names);
      } catch (error) {
        this.#parts.log.error('a listener of APIService changes failed', { err: error });
      }
    }
  }

  /** In slices, while what was known before holds; then a look at all of them is short. */
  async #read(entries: readonly Entry[]): Promise<void> {
    this.#unread += 1;
    for (const entry of entries) {
      if (this.#slice.shouldYield()) await this.#slice.yieldNow();
      registrationOf(entry);
    }
    this.#unread -= 1;
  }

  #renew(): void {
    this.#isStale = false;
    const entries = this.#parts.storage.view(this.collection).page('', '', Number.POSITIVE_INFINITY);
    const changed = new Set<string>();
    for (const entry of entries) {
      if (this.#entries.get(entry.key) === entry) continue;
      this.#entries.set(entry.key, entry);
      const before = this.#byName.get(entry.key);
      const next = this.#keep(before, entry);
      if (before === next) continue;
      this.#byName.set(entry.key, next);
      this.#order.set(next);
      changed.add(entry.key);
    }
    if (this.#byName.size > entries.length) {
      const present = new Set(entries.map(({ key }) => key));
      for (const name of this.#byName.keys()) if (!present.has(name)) changed.add(name);
      for (const name of changed) if (!present.has(name)) this.#forget(name);
    }
    if (changed.size === 0) return;
    for (const name of changed) this.#changed.add(name);
    this.#registrations = registrationsOf([...this.#byName.values()], this.#order);
  }

  #forget(name: string): void {
    this.#order.delete(name);
    this.#byName.delete(name);
    this.#entries.delete(name);
  }

  /** The group of APIServices themselves is always served here: otherwise nothing could be corrected. */
  #keep(before: RegisteredService | undefined, entry: Entry): RegisteredService {
    const read = registrationOf(entry);
    if (read === before) return before;
    const service = read.group === this.#ownGroup ? { ...read, backend: undefined } : read;
    return before?.wish === service.wish && before.isAvailable === service.isAvailable ? before : service;
  }
}

/**
 * Registrations of these services. They are ordered when somebody asks for the order: a service installs a thousand
 * local ones, of which nobody does, one after the other.
 * @param order of the same services
 */
export function registrationsOf(
  services: readonly RegisteredService[],
  order = orderOf(services),
): Registrations {
  const remote = new Map(services.filter(({ backend }) => backend).map((service) => [service.name, service]));
  let ordered: readonly RegisteredService[] | undefined;
  let remotes: readonly RegisteredService[] | undefined;
  return {
    get ordered() {
      return (ordered ??= order.ordered());
    },
    get remotes() {
      return (remotes ??= remote.size === 0 ? [] : this.ordered.filter(({ backend }) => backend));
    },
    get unordered() {
      return remote.values();
    },
    remoteNamed: (name) => remote.get(name),
    remote: (group, version) => (remote.size === 0 ? undefined : remote.get(serviceName(group, version))),
  };
}

function orderOf(services: readonly RegisteredService[]): RegistrationOrder {
  const order = new RegistrationOrder();
  for (const service of services) order.set(service);
  return order;
}
