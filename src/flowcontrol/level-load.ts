/**
 * How full a priority level is, as histograms of the reference: each millisecond is a sample of the part of its seats
 * that are taken, and of the places in its queues; the watermarks are the least and the most within that millisecond.
 * Time is counted when something changes, so that an idle level costs nothing.
 */
import type { HistogramCell } from '../observe/cells.ts';
import type { FlowControlMetrics } from '../observe/flow-control-metrics.ts';

type Phase = 'executing' | 'waiting';

const phases: readonly Phase[] = ['executing', 'waiting'];
const marks = ['low', 'high'] as const;

export class LevelLoad {
  readonly executing: SampledShare;
  readonly waiting: SampledShare;
  private readonly metrics: FlowControlMetrics;
  private readonly name: string;

  /** @param now monotonic milliseconds */
  constructor(metrics: FlowControlMetrics, name: string, now: number) {
    this.metrics = metrics;
    this.name = name;
    this.executing = this.share('executing', now);
    this.waiting = this.share('waiting', now);
  }

  /** Takes the figures off the list, for the level is gone. */
  forget(): void {
    for (const phase of phases) {
      const labels = { phase, priority_level: this.name };
      this.metrics.levelSamples.forget(labels);
      for (const mark of marks) this.metrics.levelWatermarks.forget({ ...labels, mark });
    }
  }

  private share(phase: Phase, now: number): SampledShare {
    const { levelSamples, levelWatermarks } = this.metrics;
    const labels = { phase, priority_level: this.name };
    return new SampledShare(now, () => ({
      samples: levelSamples.cell(labels),
      low: levelWatermarks.cell({ ...labels, mark: 'low' }),
      high: levelWatermarks.cell({ ...labels, mark: 'high' }),
    }));
  }
}

type Cells = Readonly<Record<'samples' | 'low' | 'high', HistogramCell>>;

/** A number of things out of those that there may be. */
class SampledShare {
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
