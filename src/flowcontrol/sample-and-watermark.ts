/**
 * A number that changes, as histograms of the reference: each millisecond is a sample; the watermarks are the least and
 * the most within that millisecond. Time is counted when something changes, so that what is idle costs nothing.
 */
import type { HistogramSeries } from '../observe/metric-series.ts';

export type Phase = 'executing' | 'waiting';

export const phases: readonly Phase[] = ['executing', 'waiting'];
export const marks = ['low', 'high'] as const;

interface Series {
  readonly samples: HistogramSeries;
  /** Absent: only samples are taken. */
  readonly low?: HistogramSeries;
  readonly high?: HistogramSeries;
}

/** A number of things out of those that there may be. */
export class SampleAndWatermark {
  private readonly makeSeries: () => Series;
  /** Created when there was something: until then all is 0, however many there may be. */
  private series: Series | undefined;
  private capacity = 1;
  private count = 0;
  private share = 0;
  private low = 0;
  private high = 0;
  /** The millisecond that is not over yet. */
  private window: number;

  constructor(now: number, makeSeries: () => Series) {
    this.makeSeries = makeSeries;
    this.window = Math.floor(now);
  }

  /** From now on there may be so many. */
  limit(capacity: number, now: number): void {
    this.capacity = Math.max(1, capacity);
    if (this.series || this.count > 0) this.set(this.count, now);
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
    const series = (this.series ??= this.makeSeries());
    series.samples.observe(share, ended);
    series.low?.observe(this.low);
    series.high?.observe(this.high);
    // Nothing happened in those after the first.
    if (ended > 1) for (const mark of marks) series[mark]?.observe(share, ended - 1);
    this.low = this.high = share;
    this.window = window;
  }
}
