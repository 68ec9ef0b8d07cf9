/**
 * Runs work on documents of other servers in a thread: one job after the other, each with limits of memory and time.
 * The thread starts with the first job and ends when there was none for a while, as it does with a job that fails by a
 * limit. A thread for each would take a processor a hundred milliseconds, for each of thousands of documents.
 */
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { Semaphore } from '../../../base/semaphore.ts';
import type { Checked, CheckJob, JobResult, OpenApiJob } from './job.ts';
import type { Merged } from './merging.ts';

const heapMegabytes = 256;
/** A thread takes seconds to start on a busy machine. */
const longestMs = 30_000;
const idleMs = 10_000;

/** What is merged: documents of other servers with what this service has. */
export interface MergeJob {
  /** Of this service. */
  readonly paths: readonly string[];
  /** Checked v2 documents, in the order in which they are merged. */
  readonly sources: readonly Uint8Array[];
  /** Of this service as JSON, `"name":value`, one a line, some at a time; their memory is given away. */
  readonly definitions: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** Runs a step in the thread. @param given memory of the job that is not copied */
type Run = (job: OpenApiJob, given?: readonly ArrayBuffer[]) => Promise<unknown>;

export class OpenApiThread {
  /** The file that the thread runs; it calls `runOpenApiJobs`. */
  readonly #program: string;
  readonly #clock: Clock;
  readonly #slot = new Semaphore(1);
  readonly #stopping = new AbortController();
  #worker: Worker | undefined;
  #idle: Timer | undefined;

  constructor(program: string, clock: Clock) {
    this.#program = program;
    this.#clock = clock;
  }

  /** @throws Error if the thread ends without a result, or is closed */
  check(job: Omit<CheckJob, 'kind'>): Promise<Checked> {
    return this.#use(async (run) => (await run({ kind: 'check', ...job })) as Checked);
  }

  /** @throws Error if the thread ends without a result, or is closed; what `definitions` throws */
  merge({ paths, sources, definitions }: MergeJob): Promise<Merged> {
    return this.#use(async (run) => {
      await run({ kind: 'begin', paths });
      for (const document of sources) await run({ kind: 'source', document });
      for await (const members of definitions) await run({ kind: 'local', members }, [members.buffer]);
      return (await run({ kind: 'finish' })) as Merged;
    });
  }

  /** Ends what is in work. */
  close(): void {
    this.#stopping.abort();
    this.#end();
  }

  /** One at a time, each with the thread to itself. */
  #use<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.#slot.use(async () => {
      this.#clock.clear(this.#idle);
      try {
        return await work((job, given = []) => this.#run(job, given));
      } finally {
        this.#idle = this.#clock.setTimeout(() => this.#end(), idleMs);
        this.#idle.unref();
      }
    });
  }

  async #run(job: OpenApiJob, given: readonly ArrayBuffer[]): Promise<unknown> {
    const { signal } = this.#stopping;
    if (signal.aborted) throw new Error('the service is stopping');
    const worker = (this.#worker ??= this.#start());
    const result = await resultOf(worker, { job, given }, signal).catch((error: unknown) => {
      // Whatever it does now, nothing waits for it.
      this.#end();
      throw error;
    });
    if ('error' in result) throw new Error(result.error);
    return result.value;
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    worker.unref();
    // One that fails while it has no job is told at the next one.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    this.#clock.clear(this.#idle);
    void this.#worker?.terminate().catch(() => undefined);
    this.#worker = undefined;
  }
}

interface SentJob {
  readonly job: OpenApiJob;
  /** Memory that is not copied. */
  readonly given: readonly ArrayBuffer[];
}

function resultOf(worker: Worker, { job, given }: SentJob, stopping: AbortSignal): Promise<JobResult> {
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
  const fail = (problem: string): void => {
    reject(new Error(problem));
  };
  const onError = (error: unknown): void => fail(messageOf(error));
  const onExit = (): void => fail('the thread of the document ended');
  const onAbort = (): void => fail('the work on the document took too long');
  const signals = [stopping, AbortSignal.timeout(longestMs)];
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  worker.on('message', resolve).on('error', onError).on('exit', onExit);
  worker.postMessage(job, given);
  return promise.finally(() => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    worker.off('message', resolve).off('error', onError).off('exit', onExit);
  });
}
