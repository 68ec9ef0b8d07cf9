/** Looks after the flow control objects while the replica runs: soon after each change, and every minute. */
import { Backoff } from '../../base/backoff.ts';
import { pause } from '../../base/pause.ts';
import type { Logger } from '../../observe/log.ts';
import type { ObjectWriter } from './object-writer.ts';

const regularMs = 60_000;
/** Replicas look at different moments, so that mostly one finds something to do. */
const settleMs = { least: 50, spread: 450 };
const afterFault = { firstMs: 200, maxMs: 30_000 };

export class Keeper {
  private readonly writer: ObjectWriter;
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private wake = new AbortController();

  constructor(writer: ObjectWriter, logger: Logger) {
    this.writer = writer;
    this.logger = logger;
  }

  /** Something changed. */
  noteChange(): void {
    this.wake.abort();
  }

  /** Runs until `close`; resolves when no write is under way any more. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(afterFault);
    while (!signal.aborted) {
      this.wake = new AbortController();
      const isDone = await this.look(signal);
      if (isDone) backoff.reset();
      await pause(isDone ? regularMs : backoff.nextMs(), AbortSignal.any([signal, this.wake.signal]));
      await pause(settleMs.least + Math.random() * settleMs.spread, signal);
    }
  }

  close(): void {
    this.stopping.abort();
  }

  private async look(signal: AbortSignal): Promise<boolean> {
    try {
      await this.writer.ensureObjects(signal);
      await this.writer.tellDangling(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.logger.warn('flow control objects are looked at again later', { err: error });
      return false;
    }
  }
}
