/**
 * Feeds one storage in another thread with what this one follows: a state, and then all events of complete revisions in
 * order. After whatever ends history here, another state is sent.
 *
 *   begin ─▶ parts, a few at once ─▶ end          events go out meanwhile; the other side keeps them until the end
 *     ▲                               │
 *     └── loaded again, another past ─┘
 */
import type { MessagePort } from 'node:worker_threads';
import { Slice } from '../../base/cooperate.ts';
import type { EtcdClient } from '../etcd/client.ts';
import type { ConsistentReads } from '../consistent-reads.ts';
import type { Following } from '../following.ts';
import type { StorageLogger } from '../options.ts';
import type { CollectionId } from '../types.ts';
import type { View } from '../view/view.ts';
import type { FedEvent, FeedStatus, FromFed, ToFed } from './feed-messages.ts';
import { partsOf, unreadablePart } from './state-parts.ts';
import { problemOf } from './told-problem.ts';

export interface FeedDependencies {
  readonly client: EtcdClient;
  readonly view: View;
  readonly follower: Following;
  readonly logger: StorageLogger;
  readonly freshness: Pick<ConsistentReads, 'newest'>;
  /** As that of the options. */
  readonly itemHead: (collection: CollectionId) => Buffer | undefined;
}

/** Parts of a state that are on their way. */
const partsAhead = 8;
/** Messages that the other side has not taken. A thread that is so far behind will not catch up. */
const mostAhead = 100_000;
/** Ticks without anything taken while something waits, if only a ping: the thread hangs. */
const mostIdleTicks = 60;

export class FeedSender {
  readonly #deps: FeedDependencies;
  readonly #port: MessagePort;
  /** Another one for each state. */
  #round: object | undefined;
  #heard = 0;
  #ahead = 0;
  #taken = Promise.withResolvers<undefined>();
  #lastStatus = '';
  #takenCount = 0;
  /** Of the last tick, and ticks since it grew. */
  #seenCount = 0;
  #idleTicks = 0;
  #isClosed = false;

  constructor(deps: FeedDependencies, port: MessagePort) {
    this.#deps = deps;
    this.#port = port;
    port.on('message', (message: FromFed) => this.#hear(message));
    port.unref();
    this.tellStatus();
    if (deps.view.loadedAt > 0) this.sendState();
  }

  /** Sends the present state; one that is on its way is given up. Nobody takes anything any more once it is closed. */
  sendState(): void {
    if (this.#isClosed) return;
    const round = {};
    this.#round = round;
    void this.#send(round);
  }

  sendEvents(events: readonly FedEvent[]): void {
    if (this.#round === undefined) return;
    if (this.#ahead < mostAhead) this.#post({ kind: 'events', events });
    else this.#giveUp();
  }

  /** Called every second. */
  tick(): void {
    if (this.#isClosed) return;
    this.tellStatus();
    if (this.#ahead === 0) this.#post({ kind: 'ping' });
    const isStill = this.#ahead > 0 && this.#takenCount === this.#seenCount;
    this.#idleTicks = isStill ? this.#idleTicks + 1 : 0;
    this.#seenCount = this.#takenCount;
    if (this.#idleTicks >= mostIdleTicks) this.#giveUp();
  }

  /** Tells how this storage stands, if that has changed. */
  tellStatus(): void {
    const { state, trouble, denial, awayMs, loading, counters } = this.#deps.follower;
    const status: FeedStatus = { state, trouble, denial, awayMs, loading, connects: counters.connects };
    const text = JSON.stringify(status);
    if (text === this.#lastStatus) return;
    this.#lastStatus = text;
    this.#port.postMessage({ kind: 'status', status } satisfies ToFed);
  }

  close(): void {
    this.#isClosed = true;
    this.#round = undefined;
    this.#taken.resolve(undefined);
    this.#port.close();
  }

  async #send(round: object): Promise<void> {
    const { view, client, itemHead } = this.#deps;
    const pinned = view.pinned();
    const { name: past, epoch } = view.past;
    const ids = [...pinned.collections.keys()];
    this.#post({
      ...{ kind: 'begin', revision: pinned.revision, compactedAt: view.compactedAt, past, epoch },
      ...{ cluster: client.cluster, heard: this.#heard },
      distrusted: ids.filter((id) => view.trustedFrom(id) > 0),
    });
    const slice = new Slice();
    for (const [id, { tree, unreadable }] of pinned.collections) {
      if (unreadable.size > 0) this.#post(unreadablePart(id, [...unreadable.all()]));
      for (const part of partsOf(id, tree.range(0, Infinity), itemHead(id))) {
        await this.#room();
        if (this.#round !== round) return;
        this.#post(part);
        await slice.breathe();
      }
    }
    if (this.#round === round) this.#post({ kind: 'end' });
  }

  async #room(): Promise<void> {
    while (this.#ahead >= partsAhead && this.#round !== undefined) await this.#taken.promise;
  }

  #post(message: ToFed): void {
    this.#ahead += 1;
    this.#port.postMessage(message);
  }

  #hear(message: FromFed): void {
    switch (message.kind) {
      case 'taken':
        this.#ahead -= 1;
        this.#takenCount += 1;
        this.#taken.resolve(undefined);
        this.#taken = Promise.withResolvers<undefined>();
        return;
      case 'askNewest':
        void this.#tellNewest(message.id);
        return;
      case 'otherPast':
        this.#hearOfPast(message);
    }
  }

  async #tellNewest(id: number): Promise<void> {
    const tell = (message: ToFed): void => this.#port.postMessage(message);
    try {
      const { told, reached } = await this.#deps.freshness.newest();
      tell({ kind: 'newest', id, answer: told });
      await reached.catch((error: unknown) => tell({ kind: 'unreached', id, problem: problemOf(error) }));
    } catch (error) {
      tell({ kind: 'newest', id, answer: problemOf(error) });
    }
  }

  #hearOfPast({ notice, epoch, why }: Extract<FromFed, { kind: 'otherPast' }>): void {
    const { client, view } = this.#deps;
    this.#heard = notice;
    if (epoch === client.epoch) client.beginOtherPast(why);
    // It is known here, and the state of it was made, or is being loaded.
    else if (view.past.epoch === client.epoch) this.sendState();
  }

  /** Whoever gave the port learns by its end that the thread is to be replaced. */
  #giveUp(): void {
    this.#deps.logger.error({ messages: this.#ahead }, 'a thread does not take what it is fed with');
    this.close();
  }
}
