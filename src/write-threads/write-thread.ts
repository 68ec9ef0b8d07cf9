/**
 * A write thread from the side of the serving thread.
 *
 *   starting ──ready──▶ working ──nothing to do for a while, close()──▶ gone
 *                          │
 *                          └──out of memory, an error, no sign of life──▶ gone (its writes are lost)
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import { systemClock } from '../base/clock.ts';
import { PendingRequests } from '../base/pending-requests.ts';
import type { FormOrder } from '../http/representation/large-forms.ts';
import type { WriteAnswer, WriteRequest } from '../http/writes/write-request.ts';
import type { Logger } from '../observe/log.ts';
import type { FamilySnapshot, MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { RequestScope } from '../registry/types.ts';
import type { Entry, Storage } from '../storage/types.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Credentials } from '../options/credentials.ts';
import type {
  BlockingAnswer,
  BlockingQuestion,
  FromThread,
  Outcome,
  SentAnswer,
  ThreadOrder,
  ToThread,
} from './thread-messages.ts';
import type { Place } from './lane-places.ts';
import { StallWatch } from './stall-watch.ts';
import { StorageService } from './storage-service.ts';
import {
  memoryOf,
  receivedBytes,
  receivedEntry,
  receivedError,
  sentBytes,
  sentEntry,
  sentError,
} from './transfer.ts';

export interface ThreadLimits {
  /** Heap limit of the thread. */
  readonly maxMegabytes: number;
  /** A thread without a heartbeat for this time is terminated, later on a machine that is too busy (`stall-watch.ts`). */
  readonly stallMs: number;
  /** A thread without work for this time gives back the memory of its garbage. */
  readonly restMs: number;
  /** A thread without work for this time is ended. */
  readonly idleMs: number;
}

export interface ThreadParts {
  /** The file that the thread runs; it calls `runThread`. */
  readonly program: string;
  readonly config: CompletedConfig;
  readonly credentials: Credentials;
  readonly storage: Storage;
  readonly logger: Logger;
  /** File descriptor of the thread's own log; absent: standard error. */
  readonly logFd?: number | undefined;
  readonly limits: ThreadLimits;
  readonly onGone: (thread: WriteThread) => void;
}

/** The thread ended before the write was complete. */
export class ThreadLost extends Error {
  /** The write, or a part of it, may have been stored. */
  readonly mayBeWritten: boolean;
  /** No other write was in the thread. */
  readonly wasAlone: boolean;

  constructor(reason: string, { mayBeWritten, wasAlone }: Pick<ThreadLost, 'mayBeWritten' | 'wasAlone'>) {
    super(reason);
    this.name = 'ThreadLost';
    this.mayBeWritten = mayBeWritten;
    this.wasAlone = wasAlone;
  }
}

/** What a thread answers: the result of a write, or the form of an object. */
type ThreadAnswer = WriteAnswer | { readonly kind: 'form'; readonly bytes: Buffer };

/** The request of a job; that of a form neither warns nor creates. */
type JobScope = Pick<RequestScope, 'signal'> & Partial<RequestScope>;

interface Job {
  readonly scope: JobScope;
  readonly place: Pick<Place, 'pause' | 'resume'>;
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: unknown) => void;
  hasWritten: boolean;
}

/** A form that is to be made: for how long it is wanted, and its place. */
export interface FormJob {
  readonly signal: AbortSignal;
  readonly place: Job['place'];
}

type JobMessage = Extract<FromThread, { kind: 'done' | 'failed' | 'warn' | 'annotate' | 'pause' | 'resume' }>;

const maxPingMs = 1_000;
/** A starting thread sends no heartbeat before it is ready, which takes seconds on a busy machine. */
const startMs = 20_000;
const scrapeMs = 500;
const writes: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

export class WriteThread {
  readonly #parts: ThreadParts;
  readonly #worker: Worker;
  readonly #service: StorageService;
  readonly #ended = new AbortController();
  readonly #jobs = new Map<number, Job>();
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #scrapes = new PendingRequests<FamilySnapshot>(systemClock);
  readonly #watchdog: NodeJS.Timeout;
  #lastJob = 0;
  readonly #silence: StallWatch;
  #isReady = false;
  #isAtRest = false;
  #busyUntil = performance.now();
  /** Metrics of the last scrape. */
  counted: MetricSnapshot = [];

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    const { port1, port2 } = new MessageChannel();
    const wake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const order: ThreadOrder = {
      ...{ config: parts.config, credentials: parts.credentials, logFd: parts.logFd },
      ...{ blockingPort: port2, wake },
    };
    this.#worker = new Worker(parts.program, {
      workerData: order,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: parts.limits.maxMegabytes },
    });
    this.#worker.unref();
    port1.unref();
    this.#service = new StorageService(parts.storage, (message) => this.#send(message), this.#ended.signal);
    this.#worker.on('message', (message: FromThread) => {
      this.#hear(message);
    });
    this.#worker.on('error', (error) => {
      this.#end(messageOf(error));
    });
    this.#worker.on('exit', () => {
      this.#end('it ended');
    });
    port1.on('message', ({ question, request }: BlockingQuestion) => {
      const outcome = outcomeOf(() => this.#service.answerNow(request));
      port1.postMessage({ question, outcome } satisfies BlockingAnswer);
      Atomics.store(wake, 0, 1);
      Atomics.notify(wake, 0);
    });
    this.#ready.promise.catch(() => undefined);
    const pingMs = Math.min(maxPingMs, parts.limits.stallMs / 4);
    this.#silence = new StallWatch(pingMs);
    this.#watchdog = setInterval(() => this.#watch(), pingMs).unref();
  }

  /** @throws errors of the write, ThreadLost */
  async perform(write: WriteRequest, scope: RequestScope, place: Job['place']): Promise<WriteAnswer> {
    const answer = await this.#run(scope, place, (job) => {
      const body = sentBytes(write.body);
      this.#send({ kind: 'perform', job, write: { ...write, body } }, [body.buffer]);
    });
    if (answer.kind === 'form') throw new Error('a write answered with a form');
    return answer;
  }

  /** @throws errors of the form, ThreadLost */
  async make(order: FormOrder, entry: Entry, { signal, place }: FormJob): Promise<Buffer> {
    const answer = await this.#run({ signal }, place, (job) => {
      const sent = sentEntry(entry);
      this.#send({ kind: 'make', job, order, entry: sent }, memoryOf(sent));
    });
    if (answer.kind !== 'form') throw new Error(`a form answered with a ${answer.kind}`);
    return answer.bytes;
  }

  /** Has the thread do something once it is ready. */
  async #run(scope: JobScope, place: Job['place'], send: (job: number) => void): Promise<ThreadAnswer> {
    const job = ++this.#lastJob;
    const answer = new Promise<ThreadAnswer>((resolve, reject) => {
      this.#jobs.set(job, { scope, place, resolve, reject, hasWritten: false });
    });
    const cancel = (): void => this.#send({ kind: 'cancel', job });
    scope.signal.addEventListener('abort', cancel, { once: true });
    try {
      await Promise.race([this.#ready.promise, answer]);
      scope.signal.throwIfAborted();
      send(job);
      return await answer;
    } finally {
      scope.signal.removeEventListener('abort', cancel);
      this.#jobs.delete(job);
      this.#busyUntil = performance.now();
      this.#isAtRest = false;
    }
  }

  use(credentials: Credentials): void {
    this.#send({ kind: 'credentials', credentials });
  }

  /** Counters and histograms of the thread; the previous values after a timeout. */
  async scrape(): Promise<MetricSnapshot> {
    const late = (): Error => new Error('late');
    const answer = this.#scrapes.request((id) => this.#send({ kind: 'scrape', id }), scrapeMs, late);
    this.counted = await answer.catch(() => this.counted);
    return this.counted;
  }

  /** Terminates it; its writes are lost. Idempotent. */
  async close(reason = 'the server is stopping'): Promise<void> {
    this.#end(reason);
    await this.#worker.terminate().catch(() => undefined);
  }

  /** Messages of a terminated thread are ignored, as its writes were reported as lost. */
  #hear(message: FromThread): void {
    if (this.#ended.signal.aborted) return;
    this.#silence.heard();
    switch (message.kind) {
      case 'ready':
        this.#isReady = true;
        this.#ready.resolve(undefined);
        return;
      case 'pong':
        return;
      case 'call':
        void this.#answer(message);
        return;
      case 'watch':
        this.#service.watch(message.watch, message.collection);
        return;
      case 'unwatch':
        this.#service.unwatch(message.watch);
        return;
      case 'metrics':
        this.#scrapes.answer(message.id, message.part, message.isLast);
        return;
      case 'done':
      case 'failed':
      case 'warn':
      case 'annotate':
      case 'pause':
      case 'resume':
        this.#onJobMessage(message);
    }
  }

  #onJobMessage(message: JobMessage): void {
    const job = this.#jobs.get(message.job);
    switch (message.kind) {
      case 'done':
        job?.resolve(receivedAnswer(message.answer));
        return;
      case 'failed':
        job?.reject(receivedError(message.error));
        return;
      case 'warn':
        job?.scope.warn?.(message.text);
        return;
      case 'annotate':
        job?.scope.annotate?.(message.key, message.value, message.level);
        return;
      case 'pause':
        job?.place.pause();
        return;
      case 'resume':
        job?.place.resume(() => this.#send({ kind: 'goOn', job: message.job }));
    }
  }

  async #answer({ call, job, request }: Extract<FromThread, { kind: 'call' }>): Promise<void> {
    const outcome = await this.#outcome(job, request);
    const memory = 'value' in outcome ? memoryOf(outcome.value) : [];
    this.#send({ kind: 'answer', call, outcome }, memory);
  }

  async #outcome(
    job: number | undefined,
    request: Extract<FromThread, { kind: 'call' }>['request'],
  ): Promise<Outcome> {
    try {
      if (request.method === 'assertMayCreate') {
        await this.#assertMayCreate(job);
        return { value: undefined };
      }
      if (writes.has(request.method)) this.#noteWrite(job);
      return { value: await this.#service.answer(request, this.#ended.signal) };
    } catch (error) {
      return { error: sentError(error) };
    }
  }

  /** A write without a job counts for all jobs. */
  #noteWrite(job: number | undefined): void {
    const writers = job === undefined ? this.#jobs.values() : [this.#jobs.get(job)];
    for (const writer of writers) if (writer) writer.hasWritten = true;
  }

  /** Fails closed: a write of an unknown request may not create. */
  async #assertMayCreate(job: number | undefined): Promise<void> {
    const scope = job === undefined ? undefined : this.#jobs.get(job)?.scope;
    if (!scope?.assertMayCreate) throw new Error('nothing says that this write may create an object');
    await scope.assertMayCreate();
  }

  #send(message: ToThread, memory: Parameters<Worker['postMessage']>[1] = []): void {
    if (!this.#ended.signal.aborted) this.#worker.postMessage(message, memory);
  }

  #watch(): void {
    const now = performance.now();
    const { stallMs } = this.#parts.limits;
    if (this.#jobs.size === 0) {
      this.#silence.heard();
      this.#idleFor(now - this.#busyUntil);
      return;
    }
    const patienceMs = this.#isReady ? stallMs : Math.max(stallMs, startMs);
    if (this.#silence.look(patienceMs)) {
      void this.close(`it sent no heartbeat for ${String(Math.round(this.#silence.silentMs / 1_000))} s`);
      return;
    }
    this.#send({ kind: 'ping' });
  }

  #idleFor(ms: number): void {
    const { restMs, idleMs } = this.#parts.limits;
    if (ms > idleMs) void this.close('it had nothing to do');
    else if (ms > restMs && !this.#isAtRest) {
      this.#isAtRest = true;
      this.#send({ kind: 'rest' });
    }
  }

  #end(reason: string): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    clearInterval(this.#watchdog);
    const lost = [...this.#jobs.values()];
    if (lost.length > 0) this.#parts.logger.error('a write thread ended', { reason, writes: lost.length });
    const wasAlone = lost.length <= 1;
    this.#ready.reject(new ThreadLost(reason, { mayBeWritten: false, wasAlone }));
    for (const { reject, hasWritten: mayBeWritten } of lost)
      reject(new ThreadLost(reason, { mayBeWritten, wasAlone }));
    this.#parts.onGone(this);
  }
}

function outcomeOf(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    return { error: sentError(error) };
  }
}

function receivedAnswer(answer: SentAnswer): ThreadAnswer {
  if (answer.kind === 'form') return { ...answer, bytes: receivedBytes(answer.bytes) };
  return answer.kind === 'value' ? answer : { ...answer, entry: receivedEntry(answer.entry) };
}
