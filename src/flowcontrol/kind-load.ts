/**
 * How many requests that read, and how many that write, have a seat or wait for one. They are counted, not compared with
 * a limit: the reference does so, too, where priorities share the seats.
 */
import type { FlowControlMetrics } from '../observe/flow-control-metrics.ts';
import { SampleAndWatermark, type Phase } from './sample-and-watermark.ts';

export type RequestKind = 'readOnly' | 'mutating';

export class KindLoad {
  readonly executing: SampledCount;
  readonly waiting: SampledCount;

  /** @param now monotonic milliseconds */
  constructor(metrics: FlowControlMetrics, kind: RequestKind, now: number) {
    const count = (phase: Phase): SampledCount => {
      const labels = { phase, request_kind: kind };
      return new SampledCount(
        new SampleAndWatermark(now, () => ({
          samples: metrics.kindSamples.series(labels),
          low: metrics.kindWatermarks.series({ ...labels, mark: 'low' }),
          high: metrics.kindWatermarks.series({ ...labels, mark: 'high' }),
        })),
      );
    };
    this.executing = count('executing');
    this.waiting = count('waiting');
  }
}

class SampledCount {
  private readonly sampled: SampleAndWatermark;
  private count = 0;

  /** @param sampled of one thing that there may be, so that its share is the count */
  constructor(sampled: SampleAndWatermark) {
    this.sampled = sampled;
  }

  /** One more, or one less. */
  change(by: 1 | -1, now: number): void {
    this.count += by;
    this.sampled.set(this.count, now);
  }
}
