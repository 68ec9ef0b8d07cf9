/** Reconciles objects while the replica runs: after each change and, optionally, at intervals. */
import { Backoff } from '../base/backoff.ts';
import type { Environment } from '../base/environment.ts';
import { aborted, pause } from '../base/pause.ts';
import type { ControllerWork, WorkLeft } from '../controllers/work-left.ts';
import type { Logger } from '../observe/log.ts';

export interface ReconcileLoopParts extends Environment {
  /** Name of the objects in log messages. */
  readonly what: string;
  /** Reconciles all objects. Retried with backoff if it throws. */
  readonly reconcile: (signal: AbortSignal) => Promise<void>;
  /** Interval of runs without a change; absent for none. */
  readonly everyMs?: number;
  readonly logger: Logger;
  /** Learns of rounds that run, so that a wait for controllers includes them. */
  readonly work?: Pick<ControllerWork, 'add'>;
}

/** A random delay, so that usually one replica finds something to do. */
const settleMs = { least: 50, spread: 450 };
const afterError = { firstMs: 200, maxMs: 30_000 };

export class ReconcileLoop {
  private readonly parts: ReconcileLoopParts;
  private readonly stopping = new AbortController();
  private wake = new AbortController();
  /** The round that goes on. */
  private left: readonly WorkLeft[] = [];

  constructor(parts: ReconcileLoopParts) {
    this.parts = parts;
    parts.work?.add(parts.what, { left: () => this.left });
  }

  /** Called after a change. */
  noteChange(): void {
    this.wake.abort();
  }

  /**
   * Starts; the returned function stops it and resolves when no write is in progress.
   * @param isReconciled the objects are as they should be: it waits for a change, also one that was noted before, or for the
   * interval
   */
  start(isReconciled = false): () => Promise<void> {
    const ended = this.run(isReconciled);
    return () => {
      this.stopping.abort();
      this.wake.abort();
      return ended;
    };
  }

  private async run(isDone: boolean): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(afterError, this.parts.random);
    let state: WorkLeft['state'] = isDone ? 'working' : 'starting';
    if (isDone) {
      await this.rest(this.parts.everyMs);
      await this.settle();
    }
    while (!signal.aborted) {
      this.wake = new AbortController();
      this.left = [{ queue: this.parts.what, key: 'all', state, dueInMs: 0 }];
      const isReconciled = await this.isReconciled(signal);
      this.left = [];
      state = 'working';
      if (isReconciled) backoff.reset();
      await this.rest(isReconciled ? this.parts.everyMs : backoff.nextMs());
      await this.settle();
    }
  }

  private settle(): Promise<unknown> {
    const { clock, random } = this.parts;
    return pause(clock, settleMs.least + random.number() * settleMs.spread, this.stopping.signal);
  }

  private async isReconciled(signal: AbortSignal): Promise<boolean> {
    const { reconcile, what, logger } = this.parts;
    try {
      await reconcile(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) logger.warn(`${what} could not be reconciled; retrying`, { err: error });
      return false;
    }
  }

  /** Waits for a change or the stop, with a timeout. */
  private async rest(ms: number | undefined): Promise<void> {
    const { signal } = this.wake;
    await (ms === undefined ? aborted(signal) : pause(this.parts.clock, ms, signal));
  }
}
