/**
 * A clock that goes on like that of the machine, and that a test moves forward: sockets, handshakes and answers take
 * the time that they take, and nothing waits for an hour.
 *
 *   advance(1 h):  leap to the next timer ─▶ it rings ─▶ all come to rest ─▶ leap to the next … ─▶ leap to the end
 *
 * Timers ring in the order in which they are due. What keeps a day or a year from taking millions of steps is what a busy
 * machine does, too: a leap is at least a 200th of the way, so that a timer may ring late by as much, and an interval
 * rings once after a leap, however often it was due. Limits of work and signs of life are measured without the leaps
 * (`steady`).
 */
import { systemClock, type Clock, type Timer } from '../../base/clock.ts';
import { TimerHeap, type HeapTimer } from './timer-heap.ts';

class VirtualTimer implements Timer, HeapTimer {
  dueAt: number;
  readonly order: number;
  run: (() => void) | undefined;
  /** Of an interval. */
  readonly everyMs: number | undefined;

  constructor(dueAt: number, order: number, run: () => void, everyMs?: number) {
    this.dueAt = dueAt;
    this.order = order;
    this.run = run;
    this.everyMs = everyMs;
  }

  /** The thread lives as long as its process asks it. */
  unref(): this {
    return this;
  }
}

/** Leaps of one advance, at most. */
const mostLeaps = 200;

export class VirtualClock implements Clock {
  readonly #machine: Clock;
  readonly #heap = new TimerHeap<VirtualTimer>();
  readonly #intervals = new Set<VirtualTimer>();
  #offset: number;
  #order = 0;
  /** Timer of the machine for the next one of this clock, and when that is due. */
  #bell: Timer | undefined;
  #bellAt = Infinity;
  #advancing: Promise<unknown> = Promise.resolve();

  /** @param offset how far it is ahead of the machine, in milliseconds */
  constructor(offset = 0, machine: Clock = systemClock) {
    this.#offset = offset;
    this.#machine = machine;
    this.steady = {
      now: () => this.now(),
      monotonic: () => machine.monotonic(),
      setTimeout: (callback, ms) => machine.setTimeout(callback, ms),
      setInterval: (callback, ms) => machine.setInterval(callback, ms),
      clear: (timer) => {
        machine.clear(timer);
      },
    };
  }

  readonly steady: Clock;

  /** How far it is ahead of the machine, in milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  /** Grows with every timer that is set. */
  get activity(): number {
    return this.#order;
  }

  now(): number {
    return Math.floor(this.#machine.now() + this.#offset);
  }

  monotonic(): number {
    return this.#machine.monotonic() + this.#offset;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    return this.#add(callback, ms, undefined);
  }

  setInterval(callback: () => void, ms: number): Timer {
    return this.#add(callback, ms, Math.max(1, ms));
  }

  clear(timer: Timer | undefined): void {
    if (!(timer instanceof VirtualTimer) || timer.run === undefined) return;
    timer.run = undefined;
    if (timer.everyMs === undefined) this.#heap.noteStopped();
    else this.#intervals.delete(timer);
  }

  /**
   * Time passes. Resolves when all that became due has been done. Calls wait for each other.
   * @param rest resolves when the work that timers caused is over, as far as it is not waiting for time
   * @throws what `rest` throws
   */
  advance(ms: number, rest: () => Promise<void>): Promise<void> {
    const going = this.#advancing.then(() => this.#advance(ms, rest));
    this.#advancing = going.catch(() => undefined);
    return going;
  }

  async #advance(ms: number, rest: () => Promise<void>): Promise<void> {
    const from = this.monotonic();
    const until = from + ms;
    const leastLeap = ms / mostLeaps;
    await rest();
    for (let to = from; to < until;) {
      const dueAt = this.#heap.first()?.dueAt ?? Infinity;
      to = Math.min(until, Math.max(dueAt, to + leastLeap));
      this.#leap(to);
      await this.#ringAll(rest);
    }
  }

  /** All that is due by now, one at a time. */
  async #ringAll(rest: () => Promise<void>): Promise<void> {
    const now = this.monotonic();
    for (let next = this.#firstDue(now); next !== undefined; next = this.#firstDue(now)) {
      this.#ringOne(next, now);
      if (next.everyMs === undefined) await rest();
    }
    this.#setBell();
    await rest();
  }

  #leap(to: number): void {
    this.#offset += Math.max(0, to - this.monotonic());
  }

  #add(run: () => void, ms: number, everyMs: number | undefined): VirtualTimer {
    this.#order += 1;
    const timer = new VirtualTimer(this.monotonic() + Math.max(1, ms), this.#order, run, everyMs);
    if (everyMs === undefined) this.#heap.add(timer);
    else this.#intervals.add(timer);
    if (timer.dueAt < this.#bellAt) this.#setBell();
    return timer;
  }

  /** What is due rings, in order; what that sets is for later. */
  #ring(): void {
    const now = this.monotonic();
    for (let next = this.#firstDue(now); next !== undefined; next = this.#firstDue(now))
      this.#ringOne(next, now);
    this.#setBell();
  }

  #ringOne(timer: VirtualTimer, now: number): void {
    const { run, everyMs } = timer;
    if (everyMs === undefined) {
      this.#heap.take();
      timer.run = undefined;
    } else timer.dueAt = now + everyMs;
    try {
      run?.();
    } catch (error) {
      // Uncaught, as what a timer of the machine throws; the others ring on.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #firstDue(now: number): VirtualTimer | undefined {
    const next = this.#heap.first();
    let first = next !== undefined && next.dueAt <= now ? next : undefined;
    for (const interval of this.#intervals) if (interval.dueAt <= (first?.dueAt ?? now)) first = interval;
    return first;
  }

  #setBell(): void {
    this.#machine.clear(this.#bell);
    this.#bellAt = this.#heap.first()?.dueAt ?? Infinity;
    for (const { dueAt } of this.#intervals) this.#bellAt = Math.min(this.#bellAt, dueAt);
    if (this.#bellAt === Infinity) {
      this.#bell = undefined;
      return;
    }
    const leftMs = Math.ceil(this.#bellAt - this.monotonic());
    this.#bell = this.#machine.setTimeout(() => this.#ring(), Math.max(1, leftMs));
    this.#bell.unref();
  }
}
