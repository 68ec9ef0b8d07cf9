/**
 * Stands for the follower where another thread follows etcd and tells all of it: the state, and events of complete
 * revisions in order, so that this view is one that the other had, and never goes back.
 *
 *   waiting ──begin──▶ loading ──end──▶ checking ──etcd has the same past──▶ fed
 *                         ▲                                                   │ begin
 *                         └───────────────────────────────────────────────────┘
 */
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { Slice } from '../../base/cooperate.ts';
import { pause } from '../../base/pause.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { EtcdError } from '../etcd/etcd-error.ts';
import type { EtcdEvent } from '../etcd/message-types.ts';
import type { FollowerListener, FollowerState, Following } from '../following.ts';
import type { KeySpace } from '../keys.ts';
import type { StorageLogger, StorageTimes } from '../options.ts';
import type { LoadProgress } from '../state-load.ts';
import type { ViewDraft } from '../view/view-draft.ts';
import type { Unshown, View } from '../view/view.ts';
import { keyValueOf, type FedEntries } from './fed-entries.ts';
import { isDeletion, type FedEvent, type FeedStatus, type FromFed, type ToFed } from './feed-messages.ts';
import { NewestOfFeed } from './newest-of-feed.ts';

export interface FedFollowerDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly fedEntries: Pick<FedEntries, 'entryOf' | 'entriesOf'>;
  readonly listener: FollowerListener;
  readonly clock: Clock;
  readonly times: StorageTimes;
  readonly logger: StorageLogger;
  /** From the thread that follows etcd. */
  readonly port: MessagePort;
}

type Begin = Extract<ToFed, { kind: 'begin' }>;
type Taken = Exclude<ToFed, { kind: 'status' | 'newest' | 'unreached' }>;

const againMs = 500;

const unheard: FeedStatus = {
  state: 'loading',
  trouble: 'nothing is told yet',
  denial: '',
  awayMs: 0,
  loading: undefined,
  connects: 0,
};

export class FedFollower implements Following {
  readonly newest: NewestOfFeed;
  readonly #deps: FedFollowerDependencies;
  readonly #first = Promise.withResolvers<undefined>();
  readonly #stopping = new AbortController();
  #status = unheard;
  /** The state that is being told. */
  #draft: { readonly begin: Begin; readonly draft: ViewDraft } | undefined;
  /** Events behind a state that is not in place yet; undefined if there is none. */
  #queue: (readonly FedEvent[])[] | undefined;
  /** As the other thread counts pasts. */
  #epoch = 0;
  #notices = 0;
  #loads = 0;
  #parts = 0;

  constructor(deps: FedFollowerDependencies) {
    this.#deps = deps;
    deps.view.packsChanges = false;
    this.newest = new NewestOfFeed({
      ...deps,
      tell: (message) => this.#tell(message),
      trouble: () => this.trouble,
    });
    this.#first.promise.catch(() => undefined);
  }

  get state(): FollowerState {
    if (this.#stopping.signal.aborted) return 'stopped';
    return this.#loads === 0 || this.#queue !== undefined ? 'loading' : this.#status.state;
  }

  get trouble(): string {
    return this.#status.trouble || (this.state === 'loading' ? 'the state is being told' : '');
  }

  get denial(): string {
    return this.#status.denial;
  }

  get awayMs(): number {
    return this.#status.awayMs;
  }

  get loading(): LoadProgress | undefined {
    if (this.#loads > 0 && this.#queue === undefined) return undefined;
    const { objects, bytes } = this.#draft?.draft.size ?? { objects: 0, bytes: 0 };
    const own = { revision: this.#draft?.begin.revision ?? 0, objects, bytes, pages: this.#parts };
    return this.#status.loading ?? own;
  }

  get counters(): { readonly loads: number; readonly connects: number } {
    return { loads: this.#loads, connects: this.#status.connects };
  }

  start(): void {
    const { port } = this.#deps;
    port.on('message', (message: ToFed) => this.#hear(message));
    port.once('close', () => this.newest.close());
    port.unref();
  }

  inStep(): Promise<undefined> {
    return this.#first.promise;
  }

  /** There is none here: the other storage proves the progress of its own. */
  distrustStream(): void {
    return undefined;
  }

  /** The client of this thread found that etcd has another past; the next state is of that one. */
  loadAgain(why: string): void {
    this.#notices += 1;
    this.#tell({ kind: 'otherPast', notice: this.#notices, epoch: this.#epoch, why });
  }

  /** The other storage does that by itself, for all. */
  decryptAgain(): void {
    return undefined;
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    this.#first.reject(new EtcdError('notSent', 'stopped'));
    this.#deps.port.close();
    this.newest.close();
    return Promise.resolve();
  }

  #tell(message: FromFed): void {
    this.#deps.port.postMessage(message);
  }

  #hear(message: ToFed): void {
    if (message.kind === 'status') this.#status = message.status;
    else if (message.kind === 'newest') this.newest.hear(message);
    else if (message.kind === 'unreached') this.newest.hearUnreached(message.id, message.problem);
    else {
      this.#tell({ kind: 'taken' });
      this.#take(message);
    }
  }

  #take(message: Taken): void {
    switch (message.kind) {
      case 'begin':
        this.#begin(message);
        return;
      case 'objects':
      case 'pack':
        this.#takePart(message);
        return;
      case 'end':
        void this.#complete();
        return;
      case 'events':
        if (this.#queue !== undefined) this.#queue.push(message.events);
        else if (this.#loads > 0) this.#apply(message.events);
        return;
      case 'ping':
    }
  }

  #begin(begin: Begin): void {
    const draft = this.#deps.view.draft(begin.revision);
    draft.compactedAt = begin.compactedAt;
    draft.past = begin.past;
    this.#draft = { begin, draft };
    this.#queue = [];
  }

  #takePart(message: Extract<ToFed, { kind: 'objects' | 'pack' }>): void {
    this.#parts += 1;
    const { collection } = message;
    const draft = this.#draft?.draft;
    if (draft === undefined) return;
    const { fedEntries } = this.#deps;
    if (message.kind === 'pack')
      for (const entry of fedEntries.entriesOf(collection, message.pack)) draft.adopt(entry);
    else for (const object of message.objects) draft.adopt(fedEntries.entryOf(collection, object));
    draft.fold();
  }

  /** Puts the state in place, and what was told behind it. */
  async #complete(): Promise<void> {
    const told = this.#draft;
    if (told === undefined) return;
    const epoch = await this.#pastOf(told.begin, () => this.#draft === told);
    if (epoch === undefined) return;
    const { view, listener, logger } = this.#deps;
    const { draft, begin } = told;
    this.#draft = undefined;
    this.#epoch = begin.epoch;
    for (const id of begin.distrusted) view.distrust(id);
    view.replaceBy(draft, { epoch, name: draft.past });
    this.newest.enter(begin.epoch);
    const isFirst = this.#loads === 0;
    this.#loads += 1;
    listener.onLoaded(draft.revision, isFirst);
    logger.info(
      { revision: draft.revision, ...draft.size },
      'state taken over from the thread that follows etcd',
    );
    await this.#catchUp();
    this.#first.resolve(undefined);
  }

  async #catchUp(): Promise<void> {
    const slice = new Slice();
    const queue = this.#queue ?? [];
    for (let events = queue.shift(); events !== undefined; events = queue.shift()) {
      this.#apply(events);
      await slice.breathe();
      // Another state began.
      if (this.#queue !== queue) return;
    }
    this.#queue = undefined;
  }

  /**
   * The past of the state as the client of this thread counts it, which asks etcd. Undefined if another state comes: the client knows of
   * another past, or of another cluster.
   */
  async #pastOf(begin: Begin, isWanted: () => boolean): Promise<number | undefined> {
    const { client, keys, clock } = this.#deps;
    const { signal } = this.#stopping;
    while (isWanted() && !signal.aborted) {
      if (begin.heard < this.#notices) return undefined;
      client.learn(begin.revision);
      const { epoch } = client;
      const request = { key: keys.fence(), count_only: true };
      const isAnswered = await client.range(request, { operation: 'probe' }).then(
        () => true,
        () => false,
      );
      if (isAnswered && client.epoch === epoch && client.cluster === begin.cluster)
        return isWanted() ? epoch : undefined;
      if (isAnswered && client.cluster !== begin.cluster)
        this.loadAgain(`etcd is cluster ${client.cluster ?? ''}, and not ${begin.cluster ?? ''}`);
      await pause(clock, againMs, signal);
    }
    return undefined;
  }

  #apply(told: readonly FedEvent[]): void {
    const { view, listener, client } = this.#deps;
    const events = told.map(eventOf);
    const unshown: Unshown = { unreadable: [], uncovered: [] };
    const changes = view.apply(events, unshown);
    if (view.past.epoch === client.epoch) client.learn(view.revision);
    listener.onChanges(changes, view.revision, unshown);
    view.announce();
  }
}

function eventOf(told: FedEvent): EtcdEvent {
  const [, , , bits] = told;
  return { type: (bits & isDeletion) === 0 ? 0 : 1, kv: keyValueOf(told), prev_kv: undefined };
}
