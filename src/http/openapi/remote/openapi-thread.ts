/** Runs work on documents of other servers in threads: one at a time, each with limits of memory and time. */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../base/errors.ts';
import { Semaphore } from '../../../base/semaphore.ts';
import type { Checked, CheckJob, JobResult, Merged, MergeJob, OpenApiJob } from './job.ts';

const heapMegabytes = 256;
/** A thread takes seconds to start on a busy machine. */
const longestMs = 30_000;

export class OpenApiThread {
  /** The file that the thread runs; it calls `runOpenApiJob`. */
  readonly #program: string;
  readonly #slot = new Semaphore(1);
  readonly #stopping = new AbortController();

  constructor(program: string) {
    this.#program = program;
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
  }

  #run(job: OpenApiJob): Promise<Checked | Merged> {
    return this.#slot.use(async () => {
      const { signal } = this.#stopping;
      if (signal.aborted) throw new Error('the service is stopping');
      const worker = new Worker(this.#program, {
        workerData: job,
        resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
      });
      worker.unref();
      try {
        return await resultOf(worker, signal);
      } finally {
        await worker.terminate().catch(() => undefined);
      }
    });
  }
}

function resultOf(worker: Worker, signal: AbortSignal): Promise<Checked | Merged> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string): void => {
      reject(new Error(problem));
    };
    const late = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
    late.addEventListener('abort', () => fail('the work on the document took too long'), { once: true });
    worker.on('message', (result: JobResult) => {
      if ('error' in result) fail(result.error);
      else resolve(result.value);
    });
    worker.on('error', (error) => fail(messageOf(error)));
    worker.on('exit', () => fail('the thread of the document ended'));
  });
}
