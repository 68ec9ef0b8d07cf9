/** The storages in other threads that a storage feeds. */
import type { MessagePort } from 'node:worker_threads';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { EtcdEvent } from '../etcd/message-types.ts';
import type { KeySpace } from '../keys.ts';
import type { Entry, Revision, StoredEvent } from '../types.ts';
import { UnreadableEntry } from '../view/entry-reader.ts';
import type { Unshown } from '../view/view.ts';
import { isDeletion, isUnreadable, type FedEvent } from './feed-messages.ts';
import { FeedSender, type FeedDependencies } from './feed-sender.ts';
import { toldParts } from './state-parts.ts';

export interface FeedsDependencies extends FeedDependencies {
  readonly keys: KeySpace;
}

/** What a batch of events did to the view. */
export interface Applied {
  readonly events: readonly EtcdEvent[];
  /** Revision of the view before. */
  readonly before: Revision;
  readonly changes: readonly StoredEvent[];
  readonly unshown: Unshown;
}

export class Feeds {
  readonly #deps: FeedsDependencies;
  readonly #senders = new Set<FeedSender>();
  #pending: FedEvent[] = [];
  #connects = 0;

  constructor(deps: FeedsDependencies) {
    this.#deps = deps;
  }

  /** Feeds the storage at the other end until the port is closed. */
  add(port: MessagePort): void {
    this.#deps.view.packsChanges = false;
    const sender = new FeedSender(this.#deps, port);
    this.#senders.add(sender);
    port.once('close', () => {
      this.#senders.delete(sender);
      sender.close();
    });
  }

  /** History ended: others begin with the state as it is now. */
  restart(): void {
    this.#pending = [];
    for (const sender of this.#senders) sender.sendState();
  }

  /** Events were applied; those of a turn leave together. */
  note(applied: Applied): void {
    if (this.#senders.size === 0) return;
    const { connects } = this.#deps.follower.counters;
    if (connects !== this.#connects) for (const sender of this.#senders) sender.tellStatus();
    this.#connects = connects;
    const events = this.#told(applied);
    if (events === undefined) {
      this.restart();
      return;
    }
    if (this.#pending.length === 0) queueMicrotask(() => this.#flush());
    this.#pending.push(...events);
  }

  /** Called every second. */
  tick(): void {
    for (const sender of this.#senders) sender.tick();
  }

  close(): void {
    for (const sender of this.#senders) sender.close();
  }

  #flush(): void {
    const events = this.#pending;
    this.#pending = [];
    if (events.length > 0) for (const sender of this.#senders) sender.sendEvents(events);
  }

  /** The events as they are sent; undefined if what one of them did is not known any more. */
  #told({ events, before, changes, unshown }: Applied): FedEvent[] | undefined {
    const states = new Map<string, Entry | UnreadableEntry>();
    for (const { entry, key, collection, revision } of changes)
      states.set(`${revision} ${collection}/${key}`, entry);
    for (const entry of unshown.unreadable)
      states.set(`${entry.modRevision} ${entry.collection}/${entry.key}`, entry);
    const told: FedEvent[] = [];
    for (const event of events) {
      const revision = numberOf(event.kv.mod_revision);
      if (revision <= before) continue;
      const one = this.#toldOf(event, revision, states);
      if (one === undefined) return undefined;
      told.push(one);
    }
    return told;
  }

  #toldOf(
    { type, kv }: EtcdEvent,
    revision: Revision,
    states: ReadonlyMap<string, Entry | UnreadableEntry>,
  ): FedEvent | undefined {
    const etcdKey = kv.key.toString();
    if (type !== 0) return [etcdKey, revision, 0, isDeletion, noText];
    const address = this.#deps.keys.parse(kv.key);
    // Keys of this room have values of a few bytes.
    if (address === undefined || address.key === '')
      return [etcdKey, revision, 0, 0, Uint8Array.from(kv.value)];
    const { collection, key } = address;
    const state = states.get(`${revision} ${collection}/${key}`) ?? this.#current(collection, key, revision);
    if (state === undefined) return undefined;
    if (state instanceof UnreadableEntry) return [etcdKey, revision, 0, isUnreadable, state.problem];
    return [etcdKey, revision, ...toldParts(state)];
  }

  /** For those that took the place of an object that could not be read. */
  #current(id: string, key: string, revision: Revision): Entry | undefined {
    const entry = this.#deps.view.collection(id).get(key);
    return entry?.modRevision === revision ? entry : undefined;
  }
}

const noText = new Uint8Array(0);
