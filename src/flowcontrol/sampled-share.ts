/**
 * A number that changes, as histograms of the reference: each millisecond is a sample; the watermarks are the least and
 * the most within that millisecond. Time is counted when something changes, so that what is idle costs nothing.
 */
import type { HistogramCell } from '../observe/cells.ts';

export type Phase = 'executing' | 'waiting';

export const phases: readonly Phase[] = ['executing', 'waiting'];
export const marks = ['low', 'high'] as const;

type Cells = Readonly<Record<'samples' | 'low' | 'high', HistogramCell>>;

/** A number of things out of those that there may be. */
export class SampledShare {
  private readonly makeCells: () => Cells;
  /** Made when there is something to tell: an exempt level has nothing. */
  private cells: Cells | undefined;
  private capacity = 1;
  private count = 0;
  private share = 0;
  private low = 0;
  private high = 0;
  /** The millisecond that is not over yet. */
  private window: number;

  constructor(now: number, makeCells: () => Cells) {
    this.makeCells = makeCells;
    this.window = Math.floor(now);
  }

  /** From now on there may be so many. */
  limit(capacity: number, now: number): void {
    this.capacity = Math.max(1, capacity);
    this.set(this.count, now);
  }

  /** From now on there are so many. */
  set(count: number, now: number): void {
    this.endWindows(Math.floor(now));
    this.count = count;
    this.share = count / this.capacity;
    this.low = Math.min(this.low, this.share);
    this.high = Math.max(this.high, this.share);
  }

  private endWindows(window: number): void {
    const ended = window - this.window;
    if (ended <= 0) return;
    const { share } = this;
    const cells = (this.cells ??= this.makeCells());
    cells.samples.observe(share, ended);
    cells.low.observe(this.low);
    cells.high.observe(this.high);
    // Nothing happened in those after the first.
    if (ended > 1) for (const mark of marks) cells[mark].observe(share, ended - 1);
    this.low = this.high = share;
    this.window = window;
  }
}
