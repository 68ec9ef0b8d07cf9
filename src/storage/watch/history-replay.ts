/**
 * Replays events older than the ring from the etcd history, with a temporary watch on a collection. An idle stream
 * does not show whether all older events have arrived, so a fence key of the collection is written once the watch is
 * established: as events are ordered, its event marks the end of the history. A full etcd takes no put: then the watch
 * covers all keys of the service, and the removal of a spare fence key marks the end. With the alarm CORRUPT etcd takes
 * neither: nothing can mark the end.
 */
import type { Clock } from '../../base/clock.ts';
import { Backoff } from '../../base/backoff.ts';
import { Slice } from '../../base/cooperate.ts';
import { pause, withDeadline } from '../../base/pause.ts';
import type { Random } from '../../base/random.ts';
import type { EtcdClient, WatchStream } from '../etcd/client.ts';
import { EtcdError, toEtcdError, toStorageError } from '../etcd/etcd-error.ts';
import type { EtcdEvent, WatchResponse } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { Fences } from '../fences.ts';
import type { KeySpace } from '../keys.ts';
import type { StorageTimes } from '../options.ts';
import { StorageError, type CollectionId, type Revision, type StoredEvent } from '../types.ts';
import { uncoveredError, UnreadableEntry, type EntryReader } from '../view/entry-reader.ts';
import { deletion } from '../view/view.ts';
import { portions } from './portions.ts';

export interface ReplayDependencies {
  readonly clock: Clock;
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly fences: Fences;
  readonly entries: EntryReader;
  readonly times: StorageTimes;
  readonly random: Random;
}

/**
 * What marks the end: a put in the collection, or, if etcd is full, a removal below the prefix: the last one of this
 * process if it is new enough, or another one if its event did not come.
 */
type Mark = 'put' | 'lastRemoval' | 'removal';

export interface ReplayRequest {
  readonly collection: CollectionId;
  readonly after: Revision;
  /** The past of etcd that `after` is of (`EtcdClient.epoch`): events of another one are not told. */
  readonly epoch: number;
  readonly signal: AbortSignal;
  /** Whether the ring has all events after this revision. */
  readonly isCaughtUp: (position: Revision) => boolean;
  /**
   * Receives events of complete revisions; `until` is the progress of the replay. First called when the start is
   * established. Where there are events, `ready` is asked next.
   */
  readonly onEvents: (events: readonly StoredEvent[], until: Revision) => void;
  /**
   * Called for an event whose object, or the state before, cannot be read, with the error of watches that it concerns, and its
   * revision. May throw, which ends the replay.
   */
  readonly onUnreadable: (entry: UnreadableEntry, error: StorageError, revision: Revision) => void;
  /** Resolves with true when more events are accepted, with false after a timeout, which stops the replay. */
  readonly ready: () => Promise<boolean>;
}

/**
 * Returns the reached revision, which is not caught up if the subscriber was not ready in time.
 * @throws StorageError `compacted`, that of `onUnreadable`, `corrupt` at once while etcd has that alarm, or `unavailable`
 * if etcd cannot be reached
 */
export async function replayHistory(deps: ReplayDependencies, request: ReplayRequest): Promise<Revision> {
  let position = request.after;
  const { client, clock, random, times } = deps;
  const { epoch } = request;
  const deadline = clock.monotonic() + times.operation;
  const backoff = new Backoff({ firstMs: times.reconnectFirst, maxMs: times.reconnectMax }, random);
  let mark: Mark = 'put';
  while (!request.signal.aborted && !request.isCaughtUp(position)) {
    const stream = new ReplayStream(deps, request, position, mark);
    try {
      position = await stream.run();
      if (stream.isParked) return position;
    } catch (error) {
      if (error instanceof StorageError) throw error;
      const etcdError = toEtcdError(error, 'replay');
      if (etcdError.kind === 'otherPast' || client.epoch !== epoch)
        throw compactedError(etcdError, position, position);
      assertMendable(etcdError, position, stream.compactedAt);
      const isAdvanced = stream.position > position;
      if (!isAdvanced && clock.monotonic() > deadline) throw toStorageError(etcdError);
      position = stream.position;
      const isFull: boolean = mark === 'put' && etcdError.kind === 'noSpace';
      mark = isFull ? 'lastRemoval' : mark === 'put' ? 'put' : 'removal';
      if (isFull) continue;
      if (isAdvanced) backoff.reset();
      // A member that was just unreachable is not asked at all: without a pause this would hold the thread.
      await pause(clock, backoff.nextMs(), request.signal);
    }
  }
  return position;
}

/** @throws StorageError for what no further attempt can mend: lost history, and the alarm CORRUPT */
function assertMendable(etcdError: EtcdError, position: Revision, oldest: Revision): void {
  if (etcdError.kind === 'compacted') throw compactedError(etcdError, position, oldest);
  if (etcdError.kind === 'corrupt') throw toStorageError(etcdError);
}

function compactedError(etcdError: EtcdError, position: Revision, oldest: Revision): StorageError {
  const message = `history after revision ${position} is compacted up to revision ${oldest}`;
  return new StorageError('compacted', message, { revision: oldest, cause: etcdError });
}

/** One attempt: a stream that is read at the pace of the subscriber. */
class ReplayStream {
  readonly #deps: ReplayDependencies;
  readonly #request: ReplayRequest;
  readonly #mark: Mark;
  #inbox: WatchResponse[] = [];
  #error: EtcdError | undefined;
  #wake: (() => void) | undefined;
  position: Revision;
  compactedAt: Revision = 0;
  /** The subscriber was not ready in time. */
  isParked = false;

  constructor(deps: ReplayDependencies, request: ReplayRequest, position: Revision, mark: Mark) {
    this.#mark = mark;
    this.#deps = deps;
    this.#request = request;
    this.position = position;
  }

  async run(): Promise<Revision> {
    const { signal, isCaughtUp } = this.#request;
    const stream = await this.#open();
    const onAbort = (): void => this.#fail(new EtcdError('notSent', 'the watch is over'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted && !this.isParked && !isCaughtUp(this.position)) {
        const response = await this.#next(stream);
        await this.#check(response);
        if (response.events.length === 0) continue;
        stream.pause();
        await this.#handOver(response);
        stream.resume();
      }
      return this.position;
    } catch (error) {
      if (signal.aborted) return this.position;
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      stream.cancel();
    }
  }

  /** Starts at the last delivered revision, whose events are skipped, as in the follower. */
  #open(): Promise<WatchStream> {
    const { client, keys } = this.#deps;
    const range = this.#mark === 'put' ? keys.collection(this.#request.collection) : keys.everything();
    const start = { start_revision: Math.max(1, this.position), prev_kv: true };
    return client.watch(
      { create_request: { ...range, ...start } },
      {
        onResponse: (response) => {
          this.#inbox.push(response);
          this.#wake?.();
        },
        onEnd: (etcdError) => this.#fail(etcdError),
      },
    );
  }

  #fail(etcdError: EtcdError): void {
    this.#error = etcdError;
    this.#wake?.();
  }

  async #next(stream: WatchStream): Promise<WatchResponse> {
    const { times, clock } = this.#deps;
    while (this.#inbox.length === 0) {
      if (this.#error !== undefined) throw this.#error;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#wake = () => resolve(undefined);
      await withDeadline(clock, promise, times.deadStream + times.attempt, () => {
        stream.distrust(true);
        return new EtcdError('unknown', 'etcd does not replay its history');
      });
    }
    const response = this.#inbox.shift();
    if (response === undefined) throw new EtcdError('unknown', 'etcd does not replay its history');
    return response;
  }

  async #check(response: WatchResponse): Promise<void> {
    // The stream may have been opened when etcd had become another one already.
    if (this.#deps.client.epoch !== this.#request.epoch)
      throw new EtcdError('otherPast', 'etcd has another past than the watch');
    this.compactedAt = numberOf(response.compact_revision);
    if (this.compactedAt > 0) throw new EtcdError('compacted', 'history is compacted');
    if (response.canceled)
      throw new EtcdError('unknown', `etcd cancelled the watch: ${response.cancel_reason}`);
    if (response.created) await this.#writeFence();
  }

  async #handOver(response: WatchResponse): Promise<void> {
    const { signal, onEvents, ready } = this.#request;
    const own = response.events.filter(({ kv }) => this.#isOwn(kv.key));
    await this.#deps.entries.prepare(
      own.flatMap(({ kv, prev_kv: before }) => (before == null ? [kv] : [kv, before])),
    );
    const slice = new Slice();
    const events: StoredEvent[] = [];
    for (const event of own) {
      for (const read of this.#read(event)) events.push(read);
      await slice.breathe();
    }
    for (const portion of portions(events)) {
      this.position = portion.at(-1)?.revision ?? this.position;
      onEvents(portion, this.position);
      this.isParked = !(await ready());
      if (signal.aborted || this.isParked) return;
    }
    // The fence is not delivered, but it proves progress.
    this.position = Math.max(this.position, numberOf(response.events.at(-1)?.kv.mod_revision ?? 0));
    onEvents([], this.position);
  }

  async #writeFence(): Promise<void> {
    const { client, keys, fences } = this.#deps;
    const { collection, isCaughtUp } = this.#request;
    if (this.#mark === 'put') await client.fence(keys.collectionFence(collection));
    else if (this.#mark === 'removal' || !isCaughtUp(fences.lastRemoval)) await fences.removeSpare();
  }

  #isOwn(key: Buffer): boolean {
    return this.#deps.keys.parse(key)?.collection === this.#request.collection;
  }

  #read({ type, kv, prev_kv: before }: EtcdEvent): StoredEvent[] {
    const { keys, entries } = this.#deps;
    const address = keys.parse(kv.key);
    const revision = numberOf(kv.mod_revision);
    if (address === undefined || address.key === '' || revision <= this.position) return [];
    const { collection, key } = address;
    const isCreation = type === 0 && numberOf(kv.create_revision) === revision;
    if (before == null && !isCreation) {
      // etcd reads the previous state when it sends the event, and omits it if it has been compacted.
      this.compactedAt = revision;
      throw new EtcdError('compacted', 'the state before an event is compacted');
    }
    const previous = before == null ? undefined : entries.read(collection, key, before);
    const entry = type === 0 ? entries.read(collection, key, kv) : undefined;
    const { onUnreadable } = this.#request;
    if (entry instanceof UnreadableEntry) onUnreadable(entry, entry.error, revision);
    else if (previous instanceof UnreadableEntry)
      onUnreadable(previous, uncoveredError(previous, revision), revision);
    else if (entry !== undefined) return [{ type: 'put', revision, collection, key, entry, previous }];
    else if (previous !== undefined) return [deletion(previous, revision)];
    return [];
  }
}
