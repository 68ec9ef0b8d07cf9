/** The clock of one process of a simulated world: its wall clock may step, and nothing rings while it is frozen. */
import type { Clock, Timer } from '../../../src/base/clock.ts';
import type { Owner, Scheduled, Scheduler } from './scheduler.ts';

/** The wall-clock time at which worlds begin. */
export const worldEpoch = Date.UTC(2026, 0, 1);

class SimulatedTimer implements Timer {
  event: Scheduled | undefined;

  unref(): this {
    return this;
  }
}

export class SimulatedClock implements Clock {
  readonly #scheduler: Scheduler;
  readonly #owner: Owner;
  readonly #startedAt: number;
  #offset = 0;

  constructor(scheduler: Scheduler, owner: Owner) {
    this.#scheduler = scheduler;
    this.#owner = owner;
    this.#startedAt = scheduler.time;
  }

  /** The wall clock is set forward or back. */
  step(ms: number): void {
    this.#offset += ms;
  }

  now(): number {
    return Math.floor(worldEpoch + this.#scheduler.time + this.#offset);
  }

  monotonic(): number {
    return this.#scheduler.time - this.#startedAt;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    const timer = new SimulatedTimer();
    timer.event = this.#after(callback, ms);
    return timer;
  }

  setInterval(callback: () => void, ms: number): Timer {
    const timer = new SimulatedTimer();
    const ring = (): void => {
      timer.event = this.#after(ring, ms);
      callback();
    };
    timer.event = this.#after(ring, ms);
    return timer;
  }

  clear(timer: Timer | undefined): void {
    if (timer instanceof SimulatedTimer) this.#scheduler.cancel(timer.event);
  }

  /** Node's timers wait at least a millisecond. */
  #after(callback: () => void, ms: number): Scheduled {
    return this.#scheduler.schedule(Math.max(1, ms), callback, `timer ${this.#owner.name}`, this.#owner);
  }
}
