/**
 * Follows all keys below the prefix on one ordered etcd watch and updates the view (the watch cache).
 *
 *   start ──▶ loading ──▶ connecting ──▶ following
 *                ▲          │  ▲  │          │
 *                └──────────┘  │  ▼          │ stream lost, silent, or the member left the quorum
 *            compacted, or     waiting ◀─────┘
 *            etcd has another
 *            past
 *   any ──▶ stopped
 *
 * loading     the whole state is read in pages at one revision and replaces the view; pages read before a pause
 *             are kept (state-load.ts)
 * connecting  a watch from the revision of the view is requested and not yet confirmed
 * following   events arrive in order, with all events of a revision together
 * waiting     exponential backoff; the view is unchanged and serves reads that accept any state
 *
 * Only `loading` loses history, so only then watches are ended.
 */
import { Backoff } from '../base/backoff.ts';
import { Slice } from '../base/cooperate.ts';
import type { Environment } from '../base/environment.ts';
import { messageOf } from '../base/errors.ts';
import { steadyOf } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import type { EtcdClient, WatchStream } from './etcd/client.ts';
import { EtcdError, toEtcdError } from './etcd/etcd-error.ts';
import type { EtcdEvent, Replacement, WatchResponse } from './etcd/message-types.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import { isRenaming, namePast } from './past-name.ts';
import type { FollowerListener, FollowerState, Following } from './following.ts';
import { LastRevision } from './last-revision.ts';
import type { KeySpace } from './keys.ts';
import type { StorageLimits, StorageLogger, StorageTimes } from './options.ts';
import type { Revision } from './types.ts';
import { eventsAtOnce, wholeRevisions } from './whole-revisions.ts';
import { StateLoad, type LoadedState, type LoadProgress } from './state-load.ts';
import { draftOf, fittingState, type KnownState } from './view/known-state.ts';
import type { Unshown, View } from './view/view.ts';

export interface FollowerDependencies extends Environment {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly listener: FollowerListener;
  readonly times: StorageTimes;
  readonly logger: StorageLogger;
  readonly limits: StorageLimits;
  /** What the view begins with, if etcd has this past. */
  readonly knownState?: KnownState | undefined;
}

/** A loaded state whose revision was compacted before it could be followed is reused by the next load within this time: later,
 * etcd may have been restored from a backup, where the same revision may have other content. */
const untouchedMs = 60_000;

/** Why a watch ended. */
type WatchEnd = 'broken' | 'reload';

export class Follower implements Following {
  readonly #deps: FollowerDependencies;
  readonly #stopping = new AbortController();
  readonly #firstFollowing = Promise.withResolvers<undefined>();
  #running: Promise<void> | undefined;
  #state: FollowerState = 'loading';
  /** Why it is not following; '' if it is. */
  #reason = 'loading';
  /** Monotonic time in milliseconds since when it is not following; undefined if it is. */
  #awaySince: number | undefined;
  #denial = '';
  #endWatch: ((end: WatchEnd) => void) | undefined;
  #stream: WatchStream | undefined;
  /** Stands for the stream; there before it, as the first events may be. */
  #round: object | undefined;
  /** Ends when the values of the responses received so far are decrypted and applied. */
  #opening: Promise<void> | undefined;
  #load: StateLoad | undefined;
  /** Until it is used, or refused. */
  #known: KnownState | undefined;
  /** The state loaded last, until it changes. */
  #untouched: { readonly state: LoadedState; readonly until: number } | undefined;
  /** The view is missing, or cannot be continued. */
  #mustLoad = true;
  /** The events seen last, with which the next stream must begin. */
  #last = new LastRevision();
  #loads = 0;
  #connects = 0;

  constructor(deps: FollowerDependencies) {
    this.#deps = deps;
    this.#known = deps.knownState;
    this.#awaySince = deps.clock.monotonic();
    this.#firstFollowing.promise.catch(() => undefined);
  }

  get state(): FollowerState {
    return this.#state;
  }

  get trouble(): string {
    return this.#reason;
  }

  /** The answer of etcd to the last attempt, if that was denied for its user; '' otherwise. */
  get denial(): string {
    return this.#denial;
  }

  /** Milliseconds since it followed; 0 while it does. */
  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#deps.clock.monotonic() - this.#awaySince;
  }

  set #trouble(reason: string) {
    this.#reason = reason;
    this.#awaySince = reason === '' ? undefined : (this.#awaySince ?? this.#deps.clock.monotonic());
  }

  /** Progress of the load; undefined if none is in progress. */
  get loading(): LoadProgress | undefined {
    return this.#load?.progress;
  }

  get counters(): { readonly loads: number; readonly connects: number } {
    return { loads: this.#loads, connects: this.#connects };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the state is loaded and followed for the first time; rejects if the follower stops before. */
  inStep(): Promise<undefined> {
    return this.#firstFollowing.promise;
  }

  /** The watch stream misses events: opens another one over a new connection. */
  distrustStream(reason: string): void {
    if (this.#state !== 'following' && this.#state !== 'connecting') return;
    this.#deps.logger.warn({ reason }, 'etcd watch is considered dead');
    this.#stream?.distrust(true);
    this.#trouble = reason;
    this.#endWatch?.('broken');
  }

  /** The view cannot be continued: reloads it. */
  distrustView(reason: string): void {
    if (this.#state !== 'loading') this.loadAgain(reason);
  }

  /** Reloads the view, also if it was only just loaded. */
  loadAgain(reason: string): void {
    if (this.#state === 'stopped') return;
    this.#untouched = undefined;
    this.#mustLoad = true;
    this.#reload(reason);
  }

  decryptAgain(reason: string): void {
    this.loadAgain(reason);
  }

  #reload(reason: string): void {
    this.#deps.logger.warn({ reason }, 'watch cache is invalid; reloading from etcd');
    this.#trouble = reason;
    this.#endWatch?.('reload');
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#trouble = 'stopped';
    this.#stopping.abort();
    this.#endWatch?.('broken');
    this.#firstFollowing.reject(new EtcdError('notSent', 'stopped'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { times, random } = this.#deps;
    const backoff = new Backoff({ firstMs: times.reconnectFirst, maxMs: times.reconnectMax }, random);
    while (!this.#isStopping()) {
      try {
        if (this.#mustLoad) await this.#loadState();
        if (!this.#mustLoad) this.#mustLoad = (await this.#follow(backoff)) === 'reload';
        if (this.#mustLoad) continue;
      } catch (error) {
        this.#note(error);
      }
      if (!this.#isStopping()) await this.#wait(backoff);
    }
  }

  async #wait(backoff: Backoff): Promise<void> {
    this.#state = 'waiting';
    await pause(this.#deps.clock, backoff.nextMs(), this.#stopping.signal);
  }

  async #loadState(): Promise<void> {
    const { client, view, listener } = this.#deps;
    this.#state = 'loading';
    const { past } = view;
    const before = client.epoch;
    const name = await namePast(this.#deps, before === past.epoch ? undefined : past.name);
    const state = this.#takeKnown(name) ?? (await this.#loaded());
    if (this.#isStopping()) return;
    const { draft, epoch } = state;
    this.#load = undefined;
    this.#untouched = { state, until: this.#deps.clock.monotonic() + untouchedMs };
    // Meanwhile etcd was restored: its past must have another name first.
    if (epoch !== before || epoch !== client.epoch) return;
    this.#mustLoad = false;
    this.#last.forget();
    view.replaceBy(draft, { epoch, name: draft.past ?? name });
    listener.onLoaded(draft.revision, this.#loads === 0);
    this.#loads += 1;
    this.#trouble = 'loaded, not following yet';
  }

  async #loaded(): Promise<LoadedState> {
    const load = (this.#load ??= new StateLoad(this.#deps, this.#justLoaded()));
    const state = await load.run(this.#stopping.signal);
    const { revision, size } = state.draft;
    if (!this.#isStopping())
      this.#deps.logger.info({ revision, ...size, ms: load.ms }, 'state loaded from etcd');
    return state;
  }

  /** The state that another view had, if it is of the past with this name. What has changed since comes as events. */
  #takeKnown(name: string | undefined): LoadedState | undefined {
    const { client, view, limits, logger } = this.#deps;
    const known = this.#known;
    this.#known = undefined;
    if (known === undefined || known.past !== name) return undefined;
    logger.info({ revision: known.revision }, 'state taken over from another view');
    return { draft: draftOf(known, view, limits), epoch: client.epoch };
  }

  #justLoaded(): LoadedState | undefined {
    const { state, until } = this.#untouched ?? { state: undefined, until: 0 };
    return this.#deps.clock.monotonic() < until ? state : undefined;
  }

  /** Follows until the stream breaks or the view cannot be continued. */
  async #follow(backoff: Backoff): Promise<WatchEnd> {
    const { client, keys, view, times } = this.#deps;
    const clock = steadyOf(this.#deps.clock);
    this.#state = 'connecting';
    const watchEnd = Promise.withResolvers<WatchEnd>();
    this.#endWatch = watchEnd.resolve;
    const confirm = clock.setTimeout(() => {
      this.distrustStream('etcd did not confirm the watch');
    }, times.attempt);
    const onFollowing = (): void => {
      clock.clear(confirm);
      backoff.reset();
    };
    this.#round = {};
    try {
      // Starts at the last seen revision, whose events are skipped: if it is compacted, etcd reports an error. A
      // watch from the next revision could silently miss a deletion if etcd is compacted exactly there.
      const request = {
        create_request: { ...keys.everything(), start_revision: view.revision, takes_states: true },
      };
      this.#stream = await client.watch(request, {
        onResponse: (response) => this.#onResponse(response, onFollowing),
        onEnd: (etcdError) => {
          this.#note(etcdError);
          watchEnd.resolve('broken');
        },
      });
      return await watchEnd.promise;
    } finally {
      clock.clear(confirm);
      this.#endWatch = undefined;
      this.#stream?.cancel();
      this.#stream = undefined;
      this.#round = undefined;
      this.#opening = undefined;
      this.#last.expectAgain();
    }
  }

  #onResponse(response: WatchResponse, onFollowing: () => void): void {
    const compacted = numberOf(response.compact_revision);
    if (compacted > 0) {
      this.#reload(`history up to revision ${compacted} is compacted`);
    } else if (response.canceled) {
      this.distrustStream(`etcd cancelled the watch: ${response.cancel_reason}`);
    } else {
      if (this.#state === 'connecting') {
        this.#state = 'following';
        this.#trouble = '';
        this.#connects += 1;
        this.#firstFollowing.resolve(undefined);
      }
      onFollowing();
      if (response.replacement !== undefined)
        this.#takeOver(response.replacement, numberOf(response.header.revision));
      else if (response.events.length > 0 && this.#isSamePast(response)) this.#apply(response);
    }
  }

  /** The view becomes what it was, with what differs now; one that is behind loads everything. */
  #takeOver({ state, events }: Replacement, revision: Revision): void {
    const { view, listener } = this.#deps;
    const known = this.#opening === undefined ? fittingState(state, view) : undefined;
    if (known !== undefined) {
      this.#untouched = undefined;
      this.#last.forget();
      listener.onReplaced(view.takeOver(known.collections, events, revision), revision);
      view.announce();
    } else this.loadAgain('keys of etcd were replaced');
  }

  /**
   * A stream begins with the revision that was seen last. If that has other events now, or none, or if another replica
   * gave the past another name, the view must not go on by these events.
   */
  #isSamePast({ events }: WatchResponse): boolean {
    const { client, keys, view } = this.#deps;
    const key = keys.pastName();
    let why = '';
    if (!this.#last.isContinuedBy(events, view.revision))
      why = `etcd has other events of revision ${this.#last.revision}`;
    if (events.some((event) => isRenaming(event, key, view.past.name)))
      why = 'another replica has found that etcd has another past';
    if (why !== '') client.beginOtherPast(why);
    return why === '';
  }

  /**
   * In order; while values of a response are decrypted, or many events are applied in slices, later ones wait, and the
   * stream pauses.
   */
  #apply({ events }: WatchResponse): void {
    const { view } = this.#deps;
    const opening =
      this.#opening === undefined ? view.prepare(events) : this.#opening.then(() => view.prepare(events));
    if (opening === undefined && events.length <= eventsAtOnce) {
      this.#applyNow(events);
      return;
    }
    const round = this.#round;
    this.#stream?.pause();
    const mine = Promise.resolve(opening).then(async () => {
      const slice = new Slice();
      for (const part of wholeRevisions(events)) {
        // The next stream brings them again.
        if (this.#opening === undefined || this.#round !== round) return;
        this.#applyNow(part);
        await slice.breathe();
      }
      if (this.#opening !== mine) return;
      this.#opening = undefined;
      this.#stream?.resume();
    });
    this.#opening = mine;
    mine.catch((error: unknown) => this.distrustView(messageOf(error)));
  }

  #applyNow(events: readonly EtcdEvent[]): void {
    const { view, listener } = this.#deps;
    const { revision } = view;
    const unshown: Unshown = { unreadable: [], uncovered: [] };
    const { lateEvents } = view;
    const changes = view.apply(events, unshown);
    // A stream begins with the revision that was loaded, which changes nothing.
    if (view.revision > revision) this.#untouched = undefined;
    this.#last.note(events);
    listener.onChanges(changes, view.revision, unshown, { events, before: revision });
    const adopted = view.takeAdopted();
    if (adopted !== undefined) listener.onAdopted(adopted, view.revision);
    view.announce();
    if (view.lateEvents > lateEvents) listener.onLate();
  }

  #note(error: unknown): void {
    if (this.#isStopping()) return;
    const etcdError = toEtcdError(error, 'follow');
    this.#trouble = etcdError.message;
    this.#denial = etcdError.kind === 'denied' ? etcdError.message : '';
    this.#deps.logger.warn({ error: etcdError.message, kind: etcdError.kind }, 'etcd watch is interrupted');
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}
