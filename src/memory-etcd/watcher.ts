/**
 * One watch. While it keeps pace it gets the changes of each commit; a client that does not read lets it fall behind,
 * and it catches up from the history, so that memory stays bounded. If the history is gone, the watch is cancelled.
 */
import { eventLoop } from '../base/event-loop.ts';
import type { AnswerListener } from '../storage/etcd/etcd-line.ts';
import { isInRange, rangeOf, type KeyRange } from './key-range.ts';
import type { Change } from './key-history.ts';
import {
  int,
  type Int64,
  type ResponseHeader,
  type Replacement,
  type WatchCreateRequest,
  type WatchEvent,
  type WatchResponse,
} from './messages.ts';
import type { ReleaseRules } from './release.ts';
import { serverError } from './server-error.ts';
import type { Store } from './store.ts';
import { fragmentsOf } from './watch-fragments.ts';

/** Answers that wait for a client that does not read; then the watch falls behind. */
const mostWaiting = 128;
/** Revisions of the history in one answer. */
const mostRevisions = 1_000;
/** A key without bytes means the smallest key. */
const smallestKey = Buffer.from([0]);

export interface WatchContext {
  readonly store: () => Store;
  readonly header: (revision: number) => ResponseHeader;
  /** A larger answer is cut, if the watch asks for fragments. */
  readonly maxBytes: number;
  readonly rules: ReleaseRules;
}

export class Watcher {
  readonly #context: WatchContext;
  readonly #request: WatchCreateRequest;
  readonly #listener: AnswerListener<WatchResponse>;
  readonly #range: KeyRange;
  readonly #waiting: WatchResponse[] = [];
  /** Events before it are not for this watch, or were sent. */
  #next: number;
  /** It gets the changes of each commit; otherwise it reads the history. */
  #isSynced: boolean;
  #isPaused = false;
  #isScheduled = false;
  #isOver = false;
  /** The member ended the watch; its stream stays open. */
  #isCancelled = false;
  /** Nothing was sent since the last notification of progress. */
  #isIdle = true;

  constructor(context: WatchContext, request: WatchCreateRequest, listener: AnswerListener<WatchResponse>) {
    this.#context = context;
    this.#request = request;
    this.#listener = listener;
    const key = request.key === undefined || request.key.length === 0 ? smallestKey : request.key;
    this.#range = rangeOf(key, request.range_end);
    const { revision } = context.store();
    this.#next = int(request.start_revision) === 0 ? revision + 1 : int(request.start_revision);
    this.#isSynced = this.#next > revision;
    const reason = this.#reasonToRefuse();
    if (reason !== undefined) this.#refuse(reason);
    else this.#send({ watch_id: this.#id, created: true }, revision);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Changes that have just become a revision. */
  notify(changes: readonly Change[], revision: number): void {
    if (this.#isEnded || !this.#isSynced) return;
    if (this.#waiting.length >= mostWaiting) {
      this.#isSynced = false;
      this.#next = Math.max(this.#next, revision);
      return;
    }
    this.#sendEvents(
      changes.filter((change) => this.#isFor(change)),
      revision,
    );
  }

  /** Keys were replaced by those of an earlier state. The history until then is gone. */
  notifyReplacement(replacement: Replacement, revision: number): void {
    if (this.#isEnded || this.#next > revision) return;
    if (this.#isSynced && this.#request.takes_states === true) {
      this.#isIdle = false;
      this.#send({ watch_id: this.#id, replacement }, revision);
      return;
    }
    this.#isSynced = false;
    this.#next = Math.min(this.#next, revision - 1);
    this.#schedule();
  }

  /** Tells a watch without news how far it is. */
  notifyProgress(): void {
    if (this.#isEnded || this.#request.progress_notify !== true) return;
    if (this.#isIdle && this.#isSynced) this.#send({ watch_id: this.#id }, this.#context.store().revision);
    this.#isIdle = true;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  /** Nothing is sent any more. */
  cancel(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  /** The connection is gone. */
  end(error: Error): void {
    if (this.#isOver) return;
    this.cancel();
    queueMicrotask(() => {
      this.#listener.onEnd(error);
    });
  }

  get #id(): Int64 {
    return this.#request.watch_id ?? 0;
  }

  get #isEnded(): boolean {
    return this.#isOver || this.#isCancelled;
  }

  #reasonToRefuse(): string | undefined {
    const { start, end } = this.#range;
    if (this.#next < 0 && this.#context.rules.refusesNegativeRevisions)
      return serverError('compacted').details;
    return typeof end === 'string' && start >= end ? 'mvcc: watcher range is empty' : undefined;
  }

  /** The watch never gets an event; its stream stays open. */
  #refuse(reason: string): void {
    this.#isCancelled = true;
    const head = { watch_id: -1, created: true, canceled: true, cancel_reason: reason };
    this.#send(head, this.#context.store().revision);
  }

  #isFor({ key, kv }: Change): boolean {
    return kv.mod_revision >= this.#next && isInRange(this.#range, key);
  }

  #sendEvents(changes: readonly Change[], revision: number): void {
    const { filters = [], prev_kv, fragment } = this.#request;
    const events = changes
      .filter(({ type }) => !filters.includes(type))
      .map((change) => this.#eventOf(change, prev_kv === true));
    if (events.length === 0) return;
    this.#isIdle = false;
    const whole = this.#response({ watch_id: this.#id, events }, revision);
    this.#waiting.push(...(fragment === true ? fragmentsOf(whole, this.#context.maxBytes) : [whole]));
    this.#schedule();
  }

  /** The state before an event is absent if it is compacted. */
  #eventOf({ type, key, kv }: Change, withPrevious: boolean): WatchEvent {
    if (!withPrevious) return { type, kv, prev_kv: null };
    const previous = this.#context.store().get(key, kv.mod_revision - 1);
    return { type, kv, prev_kv: previous ?? null };
  }

  #send(parts: Partial<WatchResponse>, revision: number): void {
    this.#waiting.push(this.#response(parts, revision));
    this.#schedule();
  }

  #response(parts: Partial<WatchResponse>, revision: number): WatchResponse {
    return {
      header: this.#context.header(revision),
      watch_id: 0,
      created: false,
      canceled: false,
      compact_revision: 0,
      cancel_reason: '',
      fragment: false,
      events: [],
      ...parts,
    };
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#run();
    });
  }

  /** Gives the client what waits, then the next part of the history, in turns of the event loop. */
  #run(): void {
    this.#flush();
    if (!this.#isBehind) return;
    this.#catchUp();
    this.#flush();
    this.#runInNextTurn();
  }

  #runInNextTurn(): void {
    if (!this.#isBehind || this.#isScheduled) return;
    this.#isScheduled = true;
    eventLoop().nextTurn(() => {
      this.#isScheduled = false;
      this.#run();
    });
  }

  /** There is more of the history to send, and the client reads. */
  get #isBehind(): boolean {
    return !this.#isSynced && !this.#isCancelled && !this.#isHeld;
  }

  get #isHeld(): boolean {
    return this.#isPaused || this.#isOver;
  }

  /** The listener may pause or cancel the watch, or write. */
  #flush(): void {
    while (!this.#isHeld) {
      const response = this.#waiting.shift();
      if (response === undefined) return;
      this.#listener.onAnswer(response);
    }
  }

  #catchUp(): void {
    const store = this.#context.store();
    const { compactRevision, revision } = store;
    if (this.#next < compactRevision) {
      this.#isCancelled = true;
      this.#send({ watch_id: this.#id, canceled: true, compact_revision: compactRevision }, 0);
      return;
    }
    const { changes, more } = this.#nextChanges(store);
    this.#next = more ?? revision + 1;
    this.#isSynced = more === undefined;
    this.#sendEvents(changes, revision);
  }

  /** Changes of the next revisions, and the revision that comes after them if there are too many. */
  #nextChanges(store: Store): { readonly changes: readonly Change[]; readonly more?: number } {
    const changes: Change[] = [];
    let revisions = 0;
    let last = 0;
    for (const change of store.changesFrom(this.#next)) {
      if (!isInRange(this.#range, change.key)) continue;
      const { mod_revision } = change.kv;
      if (mod_revision !== last) revisions += 1;
      if (revisions > mostRevisions) return { changes, more: mod_revision };
      last = mod_revision;
      changes.push(change);
    }
    return { changes };
  }
}
