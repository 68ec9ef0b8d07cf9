/** A priority level: so many seats, and what becomes of requests when all are taken. */
import type { Clock } from '../base/clock.ts';
import { FairQueues, type FairQueue, type QueueShape } from './fair-queues.ts';
import type { RejectReason } from './flow-schema-metrics.ts';
import type { LevelLoad } from './level-load.ts';
import type { Seat } from './seat.ts';
import { SeatDemand } from './seat-demand.ts';

export interface LevelSettings {
  /** Requests served at once; Infinity: as many as come. */
  readonly seats: number;
  /** undefined: a request that finds no seat is rejected. */
  readonly queuing: QueueShape | undefined;
}

export interface LevelParts {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clear'>;
  readonly load: LevelLoad;
  /** Called when the last request of the level is over. */
  readonly onIdle: () => void;
}

/** A request that finds no seat. */
export interface Waiting {
  readonly seat: Seat;
  /** `flowHash` of its flow; computed only where it is needed. */
  readonly flow: () => bigint;
  /** Longest wait. */
  readonly maxMs: number;
}

/** How a level is at one moment. */
export interface LevelSnapshot {
  readonly name: string;
  readonly isExempt: boolean;
  readonly isIdle: boolean;
  readonly waiting: number;
  readonly executing: number;
  readonly queueCount: number;
  /** Those that hold something, by their index. */
  readonly queues: readonly FairQueue<Seat>[];
}

const none: LevelSettings = { seats: 0, queuing: undefined };

export class PriorityLevel {
  readonly name: string;
  /** Seats that its requests have or wait for. */
  readonly demand: SeatDemand;
  private readonly parts: LevelParts;
  private readonly waiting = new FairQueues<Seat>();
  private settings = none;
  private taken = 0;

  constructor(name: string, parts: LevelParts) {
    this.name = name;
    this.parts = parts;
    this.demand = new SeatDemand(parts.clock.monotonic());
  }

  get isExempt(): boolean {
    return this.settings.seats === Infinity;
  }

  /** No seat is free. */
  get isFull(): boolean {
    return this.taken >= this.settings.seats;
  }

  get isIdle(): boolean {
    return this.taken === 0 && this.waiting.size === 0;
  }

  snapshot(): LevelSnapshot {
    const { name, isExempt, isIdle } = this;
    const queueCount = this.settings.queuing?.queues ?? 0;
    return {
      ...{ name, isExempt, isIdle, queueCount, executing: this.taken },
      ...{ waiting: this.waiting.size, queues: this.waiting.held() },
    };
  }

  /** Applies new settings; queued requests stay queued, and additional seats are dispatched at once. */
  configure(settings: LevelSettings): void {
    this.settings = settings;
    this.limitLoad(settings);
    this.fill();
  }

  /** It lends or borrows: so many seats from now on, at least one, so that none waits for ever. */
  limitSeats(seats: number): void {
    this.configure({ ...this.settings, seats: Math.max(1, Math.round(seats)) });
  }

  /** Takes a seat at once; false: none is free. */
  enter(seat: Seat): boolean {
    // While a seat is free no request waits.
    if (this.taken >= this.settings.seats) return false;
    const now = this.parts.clock.monotonic();
    this.setTaken(this.taken + 1, now);
    seat.take(now);
    // Requests that need not wait count as well, or the histogram would show busy moments only.
    if (this.settings.queuing) seat.schemaMetrics.waited.observe(0);
    return true;
  }

  /** Waits for a seat: undefined when it is there, otherwise why there is none. The queues are bounded. */
  async wait({ seat, flow, maxMs }: Waiting): Promise<RejectReason | undefined> {
    const { queuing } = this.settings;
    const now = this.parts.clock.monotonic();
    if (!queuing) return rejectSeat(seat, now, 'concurrency-limit');
    const length = this.waiting.enqueue(seat, flow(), queuing);
    if (length === undefined) return rejectSeat(seat, now, 'queue-full');
    seat.schemaMetrics.queueLength.observe(length);
    this.noteWaiting(now);
    const late = (): void => {
      this.reject(seat, 'time-out');
    };
    return seat.wait(now, this.parts.clock, { afterMs: maxMs, run: late });
  }

  /** The request is over, whether it had a seat, waits for one or was rejected. */
  leave(seat: Seat): void {
    if (seat.isWaiting) this.reject(seat, 'cancelled');
    if (!seat.isTaken) return;
    const now = this.parts.clock.monotonic();
    this.setTaken(this.taken - 1, now);
    this.waiting.finish(seat, seat.release(now));
    this.fill();
    if (this.isIdle) this.parts.onIdle();
  }

  private reject(seat: Seat, reason: RejectReason): void {
    const now = this.parts.clock.monotonic();
    this.waiting.remove(seat);
    this.noteWaiting(now);
    seat.reject(now, reason);
    if (this.isIdle) this.parts.onIdle();
  }

  private fill(): void {
    while (this.taken < this.settings.seats) {
      const seat = this.waiting.next();
      if (!seat) return;
      const now = this.parts.clock.monotonic();
      this.setTaken(this.taken + 1, now);
      this.noteWaiting(now);
      seat.dispatch(now);
    }
  }

  private setTaken(taken: number, now: number): void {
    this.taken = taken;
    this.demand.set(taken + this.waiting.size, now);
    if (!this.isExempt) this.parts.load.executing.set(taken, now);
  }

  private noteWaiting(now: number): void {
    this.demand.set(this.taken + this.waiting.size, now);
    this.parts.load.waiting.set(this.waiting.size, now);
  }

  private limitLoad({ seats, queuing }: LevelSettings): void {
    if (seats === Infinity) return;
    const now = this.parts.clock.monotonic();
    this.parts.load.executing.limit(seats, now);
    this.parts.load.waiting.limit(queuing ? queuing.queues * queuing.lengthLimit : 1, now);
  }
}

function rejectSeat(seat: Seat, now: number, reason: RejectReason): RejectReason {
  seat.reject(now, reason);
  return reason;
}
