/** A request's place in its priority level: it waits for seats, has them, and gives them back. */
import type { Clock } from '../base/clock.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { HistogramSeries } from '../observe/metric-series.ts';
import type { FairQueue, Ticket } from './fair-queues.ts';
import type { FlowSchemaMetrics, RejectReason, RequestType } from './flow-schema-metrics.ts';
import type { KindLoad } from './kind-load.ts';
import { narrowed, oneSeat, widthOf, type WorkEstimate } from './work-estimate.ts';

/** A queued request, as debug dumps show it. */
export interface SeatClaim {
  /** Name of the flow schema. */
  readonly schema: string;
  /** The flow distinguisher. */
  readonly distinguisher: string;
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

export class Seat implements Ticket<Seat> {
  queue: FairQueue<Seat> | undefined = undefined;
  charge = 0;
  /** Known of those that had to wait. */
  claim: SeatClaim | undefined = undefined;
  readonly schemaMetrics: FlowSchemaMetrics;
  private work: WorkEstimate;
  private readonly type: RequestType;
  private readonly load: KindLoad;
  private state: 'new' | 'waiting' | 'taken' | 'over' = 'new';
  /** Begin of the state, monotonic milliseconds. */
  private since = 0;
  private settle: ((reason: RejectReason | undefined) => void) | undefined = undefined;
  private stopTimer: (() => void) | undefined = undefined;

  constructor(
    schemaMetrics: FlowSchemaMetrics,
    load: KindLoad,
    { work = oneSeat, type = 'regular' }: { work?: WorkEstimate | undefined; type?: RequestType } = {},
  ) {
    this.type = type;
    this.schemaMetrics = schemaMetrics;
    this.load = load;
    this.work = work;
  }

  get width(): number {
    return widthOf(this.work);
  }

  /** How long its seats stay taken behind the request, for its events. */
  get extraMs(): number {
    return this.work.extraMs;
  }

  workOf(tookMs: number): number {
    const { seats, finalSeats, extraMs } = this.work;
    return seats * tookMs + finalSeats * extraMs;
  }

  /** What comes behind the request fits into so many seats, for longer. Only before it has any. */
  narrow(most: number): void {
    this.work = narrowed(this.work, most);
  }

  get isWaiting(): boolean {
    return this.state === 'waiting';
  }

  get isTaken(): boolean {
    return this.state === 'taken';
  }

  /** Since when it is in this state, up to then, in milliseconds. */
  waitedMs(now: number): number {
    return now - this.since;
  }

  /** The request begins at once. */
  take(now: number): void {
    this.state = 'taken';
    this.since = now;
    this.schemaMetrics.dispatched.add();
    this.schemaMetrics.executing.add();
    this.schemaMetrics.seats?.executing.add(this.width);
    this.load.executing.change(1, now);
  }

  /** The request begins to wait; resolves with undefined when it has a seat, otherwise with why it gets none. */
  wait(
    now: number,
    clock: Pick<Clock, 'setTimeout' | 'clear'>,
    onLate: { readonly afterMs: number; readonly run: () => void },
  ): Promise<RejectReason | undefined> {
    this.state = 'waiting';
    this.since = now;
    this.schemaMetrics.inQueue.add();
    this.schemaMetrics.seats?.inQueue.add(this.width);
    this.load.waiting.change(1, now);
    const timer = clock.setTimeout(onLate.run, onLate.afterMs);
    timer.unref();
    this.stopTimer = () => clock.clear(timer);
    return new Promise((resolve) => (this.settle = resolve));
  }

  /** The wait ends with a seat. */
  dispatch(now: number): void {
    this.endWait(now, this.schemaMetrics.waited);
    this.take(now);
    this.settle?.(undefined);
  }

  /** The wait ends without one, or there is none. */
  reject(now: number, reason: RejectReason): void {
    if (this.isWaiting) this.endWait(now, this.schemaMetrics.waitedRejected);
    this.state = 'over';
    this.schemaMetrics.rejected(reason)?.add();
    this.settle?.(reason);
  }

  /** The request is over, and its events begin. @returns how many milliseconds it took */
  release(now: number): number {
    this.state = 'over';
    const tookMs = now - this.since;
    this.schemaMetrics.executing.add(-1);
    this.load.executing.change(-1, now);
    this.schemaMetrics.execution(this.type).observe(tookMs / 1_000);
    return tookMs;
  }

  /** Its seats are free. */
  free(): void {
    this.schemaMetrics.seats?.executing.add(-this.width);
  }

  private endWait(now: number, waited: HistogramSeries): void {
    this.stopTimer?.();
    this.schemaMetrics.inQueue.add(-1);
    this.schemaMetrics.seats?.inQueue.add(-this.width);
    this.load.waiting.change(-1, now);
    waited.observe((now - this.since) / 1_000);
  }
}
