/** The seats of the requests of one flow schema. */
import type { SeatMetrics } from '../observe/flow-control-metrics.ts';
import { LateSeries } from '../observe/late-series.ts';
import type { HistogramSeries, NumberSeries } from '../observe/metric-series.ts';

type Labels = Readonly<Record<'flow_schema' | 'priority_level', string>>;

export class SchemaSeatMetrics {
  readonly #estimated: LateSeries<HistogramSeries>;
  readonly #executing: LateSeries<NumberSeries>;
  readonly #inQueue: LateSeries<NumberSeries>;
  readonly #notAccommodated: LateSeries<NumberSeries>;
  readonly #watches: LateSeries<HistogramSeries>;

  constructor(metrics: SeatMetrics, labels: Labels) {
    this.#estimated = new LateSeries(metrics.estimated, labels);
    this.#executing = new LateSeries(metrics.executing, labels);
    this.#inQueue = new LateSeries(metrics.inQueue, labels);
    this.#notAccommodated = new LateSeries(metrics.notAccommodated, labels);
    this.#watches = new LateSeries(metrics.watches, labels);
  }

  get estimated(): HistogramSeries {
    return this.#estimated.current;
  }

  get executing(): NumberSeries {
    return this.#executing.current;
  }

  get inQueue(): NumberSeries {
    return this.#inQueue.current;
  }

  /** A request whose turn it is waits for more seats than are free. */
  get notAccommodated(): NumberSeries {
    return this.#notAccommodated.current;
  }

  /** Watches that a write concerns. */
  get watches(): HistogramSeries {
    return this.#watches.current;
  }

  forget(): void {
    const counts = [this.#executing, this.#inQueue, this.#notAccommodated];
    for (const series of [...counts, this.#estimated, this.#watches]) series.forget();
  }
}
