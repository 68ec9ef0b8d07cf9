/**
 * A priority level: so many seats, and what becomes of requests when all are taken. A request takes one seat or several;
 * one that needs more than the level has runs alone. While requests wait, new ones wait behind them, however few seats
 * they need, so that one that needs many has its turn.
 */
import type { Clock } from '../base/clock.ts';
import { ownCounts, type Counts } from '../base/counts.ts';
import { SharedRoom } from '../base/shared-room.ts';
import { FairQueues, type FairQueue, type QueueShape } from './fair-queues.ts';
import type { RejectReason } from './flow-schema-metrics.ts';
import type { LevelLoad } from './level-load.ts';
import type { Seat } from './seat.ts';
import { SeatDemand } from './seat-demand.ts';

export interface LevelSettings {
  /** Infinity: as many as are asked for. */
  readonly seats: number;
  /** undefined: a request that finds no seat is rejected. */
  readonly queuing: QueueShape | undefined;
}

export interface LevelParts {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clear'>;
  readonly load: LevelLoad;
  /** Of all threads of the process that serve; absent: there is one. */
  readonly counts?: Counts | undefined;
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
/** Of the seats of a level, for one request. */
const mostPart = 0.15;

export class PriorityLevel {
  readonly name: string;
  /** Seats that its requests have or wait for. */
  readonly demand: SeatDemand;
  private readonly parts: LevelParts;
  private readonly waiting = new FairQueues<Seat>();
  /** Seats that all threads share. */
  private readonly room: SharedRoom;
  private settings = none;
  private nominalSeats = 0;
  private executing = 0;

  constructor(name: string, parts: LevelParts) {
    this.name = name;
    this.parts = parts;
    this.demand = new SeatDemand(parts.clock.monotonic());
    const { clock, counts = ownCounts } = parts;
    this.room = new SharedRoom({ counts, name: `level ${name}`, clock, onLook: () => this.fill() });
  }

  get isExempt(): boolean {
    return this.settings.seats === Infinity;
  }

  /** Seats that it may give now. */
  get seats(): number {
    return this.settings.seats;
  }

  /** Seats that requests hold, and events behind them. */
  get takenSeats(): number {
    return this.room.own;
  }

  /** Whoever comes has to wait. */
  get isFull(): boolean {
    return this.waiting.size > 0 || this.room.taken >= this.settings.seats;
  }

  /**
   * Most seats of one request: a part of the level, so that it serves several at once, and those of the flows that
   * share its queues. undefined: the level does not bound it.
   */
  get mostPerRequest(): number | undefined {
    const { queuing } = this.settings;
    const { nominalSeats } = this;
    if (!queuing || nominalSeats === Infinity) return undefined;
    const most = Math.min(Math.ceil(nominalSeats * mostPart), Math.floor(nominalSeats / queuing.handSize));
    return Math.max(1, most);
  }

  get isIdle(): boolean {
    return this.room.own === 0 && this.waiting.size === 0;
  }

  snapshot(): LevelSnapshot {
    const { name, isExempt, isIdle } = this;
    const queueCount = this.settings.queuing?.queues ?? 0;
    return {
      ...{ name, isExempt, isIdle, queueCount, executing: this.executing },
      ...{ waiting: this.waiting.size, queues: this.waiting.held() },
    };
  }

  /**
   * Applies new settings; queued requests stay queued, and additional seats are dispatched at once.
   * @param nominalSeats without what it lends and borrows
   */
  configure(settings: LevelSettings, nominalSeats = settings.seats): void {
    this.settings = settings;
    this.nominalSeats = nominalSeats;
    this.parts.load.demand?.limit(nominalSeats, this.parts.clock.monotonic());
    this.limitLoad(settings);
    this.fill();
  }

  /** It lends or borrows: so many seats from now on, at least one, so that none waits for ever. */
  limitSeats(seats: number): void {
    this.configure({ ...this.settings, seats: Math.max(1, Math.round(seats)) }, this.nominalSeats);
  }

  /** Takes its seats at once; false: too few are free, or others wait. */
  enter(seat: Seat): boolean {
    seat.narrow(this.settings.seats);
    if (this.isFull || !this.tryTake(seat)) return false;
    const now = this.parts.clock.monotonic();
    this.noteTaken(now);
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
    const outcome = seat.wait(now, this.parts.clock, { afterMs: maxMs, run: late });
    // Its turn may come before that of one that needs more seats than are free.
    this.fill();
    return outcome;
  }

  /** The request is over, whether it had a seat, waits for one or was rejected. */
  leave(seat: Seat): void {
    if (seat.isWaiting) this.reject(seat, 'cancelled');
    if (!seat.isTaken) return;
    const tookMs = seat.release(this.parts.clock.monotonic());
    this.executing -= 1;
    if (seat.extraMs > 0 && !this.isExempt) this.freeLater(seat, tookMs);
    else this.free(seat, tookMs);
  }

  /** Its seats stay taken for its events; the client does not wait for that. */
  private freeLater(seat: Seat, tookMs: number): void {
    const timer = this.parts.clock.setTimeout(() => {
      this.free(seat, tookMs);
    }, seat.extraMs);
    timer.unref();
  }

  private free(seat: Seat, tookMs: number): void {
    seat.free();
    this.room.give(seat.width);
    this.noteTaken(this.parts.clock.monotonic());
    this.waiting.finish(seat, tookMs);
    this.fill();
    if (this.isIdle) this.parts.onIdle();
  }

  private reject(seat: Seat, reason: RejectReason): void {
    const now = this.parts.clock.monotonic();
    this.waiting.remove(seat);
    this.noteWaiting(now);
    seat.reject(now, reason);
    // It may have been the one that the others waited for.
    this.fill();
    if (this.isIdle) this.parts.onIdle();
  }

  private fill(): void {
    while (this.room.taken < this.settings.seats) {
      const seat = this.waiting.next(this.takesRoomFor);
      if (!seat) return;
      const now = this.parts.clock.monotonic();
      this.noteTaken(now);
      this.noteWaiting(now);
      seat.dispatch(now);
    }
  }

  private readonly takesRoomFor = (seat: Seat): boolean => {
    const isTaken = this.tryTake(seat);
    if (!isTaken) seat.schemaMetrics.seats?.notAccommodated.add();
    return isTaken;
  };

  /** One that needs more seats than there are has to be alone. */
  private tryTake({ width }: Seat): boolean {
    const isTaken = this.room.tryTake(width, this.settings.seats);
    if (isTaken) this.executing += 1;
    return isTaken;
  }

  private noteTaken(now: number): void {
    this.noteDemand(now);
    if (!this.isExempt) this.parts.load.executing.set(this.room.own, now);
  }

  /** Other threads change it, too. */
  look(now: number): void {
    this.noteDemand(now);
  }

  private noteWaiting(now: number): void {
    this.noteDemand(now);
    this.parts.load.waiting.set(this.waiting.size, now);
  }

  private noteDemand(now: number): void {
    this.room.setWaiting(this.waiting.seats);
    const seats = this.room.demand;
    this.demand.set(seats, now);
    if (!this.isExempt) this.parts.load.demand?.set(seats, now);
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
