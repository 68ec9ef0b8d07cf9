/**
 * Runs work on documents of other servers in a thread: one job after the other, each with limits of memory and time.
 * The thread starts with the first job and ends when there was none for a while, as it does with a job that fails by a
 * limit. A thread for each would take a processor a hundred milliseconds, for each of thousands of documents.
 */
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { Semaphore } from '../../../base/semaphore.ts';
import type { Checked, CheckJob, JobResult, Merged, MergeJob, OpenApiJob } from './job.ts';

const heapMegabytes = 256;
/** A thread takes seconds to start on a busy machine. */
const longestMs = 30_000;
const idleMs = 10_000;

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
    return this.#run({ kind: 'check', ...job }) as Promise<Checked>;
  }

  /** @throws Error if the thread ends without a result, or is closed */
  merge(job: Omit<MergeJob, 'kind'>): Promise<Merged> {
    return this.#run({ kind: 'merge', ...job }) as Promise<Merged>;
  }

  /** Ends what is in work. */
  close(): void {
    this.#stopping.abort();
    this.#end();
  }

  #run(job: OpenApiJob): Promise<Checked | Merged> {
    return this.#slot.use(async () => {
      const { signal } = this.#stopping;
      if (signal.aborted) throw new Error('the service is stopping');
      this.#clock.clear(this.#idle);
      const worker = (this.#worker ??= this.#start());
      const result = await resultOf(worker, job, signal).catch((error: unknown) => {
        // Whatever it does now, nobody waits for it.
        this.#end();
        throw error;
      });
      this.#idle = this.#clock.setTimeout(() => this.#end(), idleMs);
      this.#idle.unref();
      if ('error' in result) throw new Error(result.error);
      return result.value;
    });
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

function resultOf(worker: Worker, job: OpenApiJob, stopping: AbortSignal): Promise<JobResult> {
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
  worker.postMessage(job);
  return promise.finally(() => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    worker.off('message', resolve).off('error', onError).off('exit', onExit);
  });
}
