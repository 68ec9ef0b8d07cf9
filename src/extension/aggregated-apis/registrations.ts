/**
 * The APIServices that a replica knows, in the order of discovery. Each change of what they register makes a new
 * value; unchanged services stay the same objects, so that what is cached by them stays valid.
 *
 *   APIService written ─▶ etcd ─▶ follower ─▶ view of every replica ─▶ new registrations ─▶ listeners
 */
import type { Environment } from '../../base/environment.ts';
import { coalesced } from '../../base/coalesced.ts';
import { laterTurn, SharedSlice } from '../../base/cooperate.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import { followCollection, type CollectionListener } from '../../storage/follow-collection.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import { RegistrationOrder } from './registration-order.ts';
import { registrationOf, serviceName, type RegisteredService } from './registered-service.ts';

/** All registrations: as they are now in look-ups, and as at the first look in what is in order. */
export interface Registrations {
  /** Groups by their highest priority, versions by theirs; names decide between equal ones. */
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

/** Called after changes with the names of services that changed, were added or are gone: some of them, others in later turns. */
export type RegistrationListener = (names: ReadonlySet<string>) => void;

export interface RegistrationsParts extends Environment {
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'view' | 'watch'>;
  readonly log: Logger;
}

/** Changes that are read, and told to listeners, at once: each takes about 30 µs. */
const mostAtOnce = 100;

export class RegistrationFollower {
  readonly collection: string;
  readonly #parts: RegistrationsParts;
  readonly #ownGroup: string;
  readonly #stopping = new AbortController();
  readonly #listeners: RegistrationListener[] = [];
  readonly #noteChange = coalesced(() => {
    this.#notify();
  });
  readonly #byName = new Map<string, RegisteredService>();
  /** What each was read from: of thousands of services one changes at a time. */
  readonly #entries = new Map<string, Entry>();
  readonly #order = new RegistrationOrder();
  readonly #remote = new Map<string, RegisteredService>();
  #registrations: Registrations = valueOf(this.#order, this.#remote);
  readonly #changed = new Set<string>();
  /** Listeners are told the rest of the changes in the next turn. */
  #isTelling = false;
  /** Names that changed since the last look at the state; 'all': any may have. */
  #stale: Set<string> | 'all' = 'all';
  /** Batches of changes that are being read. */
  #unread = 0;
  readonly #slice = new SharedSlice();

  constructor(parts: RegistrationsParts) {
    this.#parts = parts;
    this.#ownGroup = expandNames('apiregistration.{api}', parts.naming);
    this.collection = `${this.#ownGroup}/apiservices`;
    const changed = (): void => {
      this.#stale = 'all';
      this.#noteChange();
    };
    const listener: CollectionListener = {
      onState: (snapshot) => {
        this.#note(snapshot.page('', '', Number.POSITIVE_INFINITY), changed);
      },
      onEvents: (events) => {
        const readAll = (): void => {
          if (this.#stale !== 'all') for (const { key } of events) this.#stale.add(key);
          this.#noteChange();
        };
        this.#note(
          events.map(({ entry }) => entry),
          readAll,
        );
      },
      onBreak: changed,
    };
    followCollection(parts, this.collection, listener, this.#stopping.signal);
  }

  /** The same value until a registration changes. */
  current(): Registrations {
    if (this.#stale === 'all' || this.#stale.size > 0) this.#renew();
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
    if (this.#stopping.signal.aborted || this.#isTelling) return;
    this.current();
    const names = new Set<string>();
    for (const name of this.#changed) {
      if (names.size === mostAtOnce) break;
      names.add(name);
      this.#changed.delete(name);
    }
    if (names.size === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(names);
      } catch (error) {
        this.#parts.log.error('a listener of APIService changes failed', { err: error });
      }
    }
    if (this.#changed.size > 0) void this.#tellRest();
  }

  async #tellRest(): Promise<void> {
    this.#isTelling = true;
    await laterTurn();
    this.#isTelling = false;
    this.#notify();
  }

  /** Reads these, if they are many in slices, then calls `read`. */
  #note(entries: readonly Entry[], read: () => void): void {
    if (entries.length > mostAtOnce || this.#unread > 0) void this.#read(entries).then(read);
    else read();
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
    const stale = this.#stale;
    this.#stale = new Set();
    const view = this.#parts.storage.view(this.collection);
    const changed =
      stale === 'all'
        ? this.#lookAtAll(view.page('', '', Number.POSITIVE_INFINITY))
        : [...stale].filter((name) => this.#look(name, view.get(name)));
    if (changed.length === 0) return;
    for (const name of changed) this.#changed.add(name);
    this.#registrations = valueOf(this.#order, this.#remote);
  }

  #lookAtAll(entries: readonly Entry[]): string[] {
    const changed = entries.filter((entry) => this.#look(entry.key, entry)).map(({ key }) => key);
    if (this.#byName.size === entries.length) return changed;
    const present = new Set(entries.map(({ key }) => key));
    const gone = [...this.#byName.keys()].filter((name) => !present.has(name));
    for (const name of gone) this.#look(name, undefined);
    return [...changed, ...gone];
  }

  /** Takes over what the entry registers. @returns whether that is another than before */
  #look(name: string, entry: Entry | undefined): boolean {
    const before = this.#byName.get(name);
    if (!entry) {
      this.#entries.delete(name);
      this.#byName.delete(name);
      this.#order.delete(before?.name ?? '');
      this.#remote.delete(before?.name ?? '');
      return before !== undefined;
    }
    if (this.#entries.get(name) === entry) return false;
    this.#entries.set(name, entry);
    const next = this.#keep(before, entry);
    if (before === next) return false;
    this.#byName.set(name, next);
    this.#order.set(next);
    if (next.backend) this.#remote.set(next.name, next);
    else this.#remote.delete(next.name);
    return true;
  }

  /** The group of APIServices themselves is always served here: otherwise nothing could be corrected. */
  #keep(before: RegisteredService | undefined, entry: Entry): RegisteredService {
    const read = registrationOf(entry);
    if (read === before) return before;
    const service = read.group === this.#ownGroup ? { ...read, backend: undefined } : read;
    return before?.wish === service.wish && before.isAvailable === service.isAvailable ? before : service;
  }
}

/** Registrations of these services. */
export function registrationsOf(services: readonly RegisteredService[]): Registrations {
  const remote = new Map(services.filter(({ backend }) => backend).map((service) => [service.name, service]));
  return valueOf(orderOf(services), remote);
}

/**
 * They are ordered when somebody asks for the order: a service installs a thousand local ones, of which nobody does, one
 * after the other.
 */
function valueOf(order: RegistrationOrder, remote: ReadonlyMap<string, RegisteredService>): Registrations {
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
