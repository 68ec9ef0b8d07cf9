/** Looks after objects while the replica runs: soon after each change, and where that is asked for regularly. */
import { Backoff } from '../base/backoff.ts';
import { aborted, pause } from '../base/pause.ts';
import type { Logger } from '../observe/log.ts';

export interface KeeperParts {
  /** What is looked after, in words for the log. */
  readonly what: string;
  /** Brings all in order. A throw: it is done again, after a growing pause. */
  readonly look: (signal: AbortSignal) => Promise<void>;
  /** Looks without a change, too; absent: never. */
  readonly everyMs?: number;
  readonly logger: Logger;
}

/** Replicas look at different moments, so that mostly one finds something to do. */
const settleMs = { least: 50, spread: 450 };
const afterError = { firstMs: 200, maxMs: 30_000 };

export class Keeper {
  private readonly parts: KeeperParts;
  private readonly stopping = new AbortController();
  private wake = new AbortController();

  constructor(parts: KeeperParts) {
    this.parts = parts;
  }

  /** Something changed. */
  noteChange(): void {
    this.wake.abort();
  }

  /** Begins; the function that is given ends it, and resolves when no write is under way any more. */
  start(): () => Promise<void> {
    const ended = this.run();
    return () => {
      this.stopping.abort();
      return ended;
    };
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(afterError);
    while (!signal.aborted) {
      this.wake = new AbortController();
      const isDone = await this.isDone(signal);
      if (isDone) backoff.reset();
      await this.rest(isDone ? this.parts.everyMs : backoff.nextMs());
      await pause(settleMs.least + Math.random() * settleMs.spread, signal);
    }
  }

  private async isDone(signal: AbortSignal): Promise<boolean> {
    const { look, what, logger } = this.parts;
    try {
      await look(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) logger.warn(`${what} are looked at again later`, { err: error });
      return false;
    }
  }

  /** Until something changes, or so long. */
  private async rest(ms: number | undefined): Promise<void> {
    const woken = AbortSignal.any([this.stopping.signal, this.wake.signal]);
    await (ms === undefined ? aborted(woken) : pause(ms, woken));
  }
}
