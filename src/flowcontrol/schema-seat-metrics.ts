/** The seats of the requests of one flow schema. */
import type { SeatMetrics } from '../observe/flow-control-metrics.ts';
import type { HistogramSeries, NumberSeries } from '../observe/metric-series.ts';

type Labels = Readonly<Record<'flow_schema' | 'priority_level', string>>;

export class SchemaSeatMetrics {
  readonly estimated: HistogramSeries;
  readonly executing: NumberSeries;
  readonly inQueue: NumberSeries;
  private readonly metrics: SeatMetrics;
  private readonly labels: Labels;

  constructor(metrics: SeatMetrics, labels: Labels) {
    this.metrics = metrics;
    this.labels = labels;
    this.estimated = metrics.estimated.series(labels);
    this.executing = metrics.executing.series(labels);
    this.inQueue = metrics.inQueue.series(labels);
  }

  /** A request whose turn it is waits for more seats than are free. */
  get notAccommodated(): NumberSeries {
    return this.metrics.notAccommodated.series(this.labels);
  }

  /** Watches that a write concerns. */
  get watches(): HistogramSeries {
    return this.metrics.watches.series(this.labels);
  }

  forget(): void {
    const { estimated, executing, inQueue, notAccommodated, watches } = this.metrics;
    for (const family of [estimated, executing, inQueue, notAccommodated, watches])
      family.forget(this.labels);
  }
}
