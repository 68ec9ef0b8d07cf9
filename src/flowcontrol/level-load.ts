/** How full a priority level is: the part of its seats that are taken, and of the places in its queues. */
import type { FlowControlMetrics } from '../observe/flow-control-metrics.ts';
import { marks, phases, SampledShare, type Phase } from './sampled-share.ts';

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
