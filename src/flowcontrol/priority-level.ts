/** A priority level: so many seats, and what becomes of requests when all are taken. */
import type { Clock } from '../base/clock.ts';
import { FairQueues, type QueueShape } from './fair-queues.ts';
import type { Refusal } from './flow-metrics.ts';
import type { Seat } from './seat.ts';

export interface LevelSettings {
  /** Requests served at once; Infinity: as many as come. */
  readonly seats: number;
  /** undefined: whoever finds no seat is refused. */
  readonly queuing: QueueShape | undefined;
}

export interface LevelParts {
  readonly clock: Pick<Clock, 'monotonic'>;
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

const none: LevelSettings = { seats: 0, queuing: undefined };

export class PriorityLevel {
  readonly name: string;
  private readonly parts: LevelParts;
  private readonly waiting = new FairQueues<Seat>();
  private settings = none;
  private taken = 0;

  constructor(name: string, parts: LevelParts) {
    this.name = name;
    this.parts = parts;
  }

  get isExempt(): boolean {
    return this.settings.seats === Infinity;
  }

  get isIdle(): boolean {
    return this.taken === 0 && this.waiting.size === 0;
  }

  /** Other settings; who waits goes on waiting, and more seats are given out at once. */
  configure(settings: LevelSettings): void {
    this.settings = settings;
    this.fill();
  }

  /** Takes a seat at once; false: none is free. */
  enter(seat: Seat): boolean {
    // While a seat is free nobody waits.
    if (this.taken >= this.settings.seats) return false;
    this.taken += 1;
    seat.take(this.parts.clock.monotonic());
    // Who need not wait counts as well, or the times would be those of busy moments alone.
    if (this.settings.queuing) seat.cells.waited.observe(0);
    return true;
  }

  /** Waits for a seat: undefined when it is there, otherwise why there is none. The queues are bounded. */
  async wait({ seat, flow, maxMs }: Waiting): Promise<Refusal | undefined> {
    const { queuing } = this.settings;
    const now = this.parts.clock.monotonic();
    if (!queuing) return refused(seat, now, 'concurrency-limit');
    const length = this.waiting.enqueue(seat, flow(), queuing);
    if (length === undefined) return refused(seat, now, 'queue-full');
    seat.cells.queueLength.observe(length);
    const late = (): void => {
      this.refuse(seat, 'time-out');
    };
    return seat.wait(now, { afterMs: maxMs, run: late });
  }

  /** The request is over, whether it had a seat, waits for one or was refused. */
  leave(seat: Seat): void {
    if (seat.isWaiting) this.refuse(seat, 'cancelled');
    if (!seat.isTaken) return;
    this.taken -= 1;
    this.waiting.finish(seat, seat.giveBack(this.parts.clock.monotonic()));
    this.fill();
    if (this.isIdle) this.parts.onIdle();
  }

  private refuse(seat: Seat, refusal: Refusal): void {
    this.waiting.remove(seat);
    seat.refuse(this.parts.clock.monotonic(), refusal);
    if (this.isIdle) this.parts.onIdle();
  }

  private fill(): void {
    while (this.taken < this.settings.seats) {
      const seat = this.waiting.next();
      if (!seat) return;
      this.taken += 1;
      seat.grant(this.parts.clock.monotonic());
    }
  }
}

function refused(seat: Seat, now: number, refusal: Refusal): Refusal {
  seat.refuse(now, refusal);
  return refusal;
}
