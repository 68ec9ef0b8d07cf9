/**
 * Whether a thread that gives no sign of life is stalled. On a machine that is too busy a healthy one is silent for long, too, as
 * it gets little of the processor: one that is silent counts as stalled early only where the process got its share meanwhile.
 * Looks are counted, not time, as the serving thread may have been blocked itself.
 */

/** Part of the silence that the process was on a processor: a thread that is in a loop takes more. */
const fairShare = 0.5;
/** So many times the patience is the end of it, also for a starved thread, or one that waits for ever. */
const mostTimes = 3;

export class StallWatch {
  readonly #everyMs: number;
  readonly #usedMs: () => number;
  #looks = 0;
  #usedBefore = 0;

  /** @param usedMs processor time of the process */
  constructor(everyMs: number, usedMs = processorMs) {
    this.#everyMs = everyMs;
    this.#usedMs = usedMs;
  }

  get silentMs(): number {
    return this.#looks * this.#everyMs;
  }

  /** The thread lives, or has nothing to do. */
  heard(): void {
    this.#looks = 0;
  }

  /** Called at intervals. @returns whether the thread is stalled */
  look(patienceMs: number): boolean {
    const { silentMs } = this;
    if (silentMs > mostTimes * patienceMs) return true;
    const used = this.#usedMs();
    if (this.#looks === 0) this.#usedBefore = used;
    if (silentMs > patienceMs && used - this.#usedBefore > fairShare * silentMs) return true;
    this.#looks += 1;
    return false;
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
