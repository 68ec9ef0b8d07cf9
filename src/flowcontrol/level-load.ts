/** How full a priority level is: the part of its seats that are taken, and of the places in its queues. */
import type { FlowControlMetrics } from '../observe/flow-control-metrics.ts';
import { marks, phases, SampleAndWatermark, type Phase } from './sample-and-watermark.ts';

export class LevelLoad {
  readonly executing: SampleAndWatermark;
  readonly waiting: SampleAndWatermark;
  /** Seats that it could use, as a part of its own. Absent: levels do not borrow. */
  readonly demand: SampleAndWatermark | undefined;
  private readonly metrics: FlowControlMetrics;
  private readonly name: string;

  /** @param now monotonic milliseconds */
  constructor(metrics: FlowControlMetrics, name: string, now: number) {
    this.metrics = metrics;
    this.name = name;
    this.executing = this.share('executing', now);
    this.waiting = this.share('waiting', now);
    const { demand } = metrics;
    this.demand =
      demand && new SampleAndWatermark(now, () => ({ samples: demand.series({ priority_level: name }) }));
  }

  /** Takes the figures off the list, for the level is gone. */
  forget(): void {
    this.metrics.demand?.forget({ priority_level: this.name });
    for (const phase of phases) {
      const labels = { phase, priority_level: this.name };
      this.metrics.levelSamples.forget(labels);
      for (const mark of marks) this.metrics.levelWatermarks.forget({ ...labels, mark });
    }
  }

  private share(phase: Phase, now: number): SampleAndWatermark {
    const { levelSamples, levelWatermarks } = this.metrics;
    const labels = { phase, priority_level: this.name };
    return new SampleAndWatermark(now, () => ({
      samples: levelSamples.series(labels),
      low: levelWatermarks.series({ ...labels, mark: 'low' }),
      high: levelWatermarks.series({ ...labels, mark: 'high' }),
    }));
  }
}
