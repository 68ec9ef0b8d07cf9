/** The figures of one flow schema in its priority level; each begins with the first request that it is about. */
import { LateSeries } from '../observe/late-series.ts';
import type { HistogramSeries, NumberSeries } from '../observe/metric-series.ts';
import type { FlowControlMetrics } from '../observe/flow-control-metrics.ts';
import { SchemaSeatMetrics } from './schema-seat-metrics.ts';

/**
 * Why a request gets no seat: its queue is full, it waited too long, its level has no queues, or its client went away.
 */
export type RejectReason = 'queue-full' | 'time-out' | 'concurrency-limit' | 'cancelled';

/** Whether events follow the answer. */
export type RequestType = 'regular' | 'watch';

const rejectReasons: readonly RejectReason[] = ['queue-full', 'time-out', 'concurrency-limit', 'cancelled'];

export class FlowSchemaMetrics {
  readonly schema: string;
  readonly level: string;
  /** undefined: every request takes one seat. */
  readonly seats: SchemaSeatMetrics | undefined;
  readonly #dispatched: LateSeries<NumberSeries>;
  readonly #executing: LateSeries<NumberSeries>;
  readonly #inQueue: LateSeries<NumberSeries>;
  readonly #queueLength: LateSeries<HistogramSeries>;
  readonly #execution: Readonly<Record<RequestType, LateSeries<HistogramSeries>>>;
  readonly #waited: LateSeries<HistogramSeries>;
  readonly #waitedRejected: LateSeries<HistogramSeries>;
  readonly #rejected: ReadonlyMap<RejectReason, LateSeries<NumberSeries>>;

  constructor(metrics: FlowControlMetrics, schema: string, level: string) {
    this.schema = schema;
    this.level = level;
    const labels = { flow_schema: schema, priority_level: level };
    this.#dispatched = new LateSeries(metrics.dispatched, labels);
    this.#executing = new LateSeries(metrics.executing, labels);
    this.#inQueue = new LateSeries(metrics.inQueue, labels);
    this.#queueLength = new LateSeries(metrics.queueLength, labels);
    const executionOf = (type: RequestType): LateSeries<HistogramSeries> =>
      new LateSeries(metrics.execution, { ...labels, type });
    this.#execution = { regular: executionOf('regular'), watch: executionOf('watch') };
    this.#waited = new LateSeries(metrics.wait, { ...labels, execute: 'true' });
    this.#waitedRejected = new LateSeries(metrics.wait, { ...labels, execute: 'false' });
    this.#rejected = new Map(
      rejectReasons.map((reason) => [reason, new LateSeries(metrics.rejected, { ...labels, reason })]),
    );
    this.seats = metrics.seats && new SchemaSeatMetrics(metrics.seats, labels);
  }

  get dispatched(): NumberSeries {
    return this.#dispatched.current;
  }

  get executing(): NumberSeries {
    return this.#executing.current;
  }

  get inQueue(): NumberSeries {
    return this.#inQueue.current;
  }

  execution(type: RequestType): HistogramSeries {
    return this.#execution[type].current;
  }

  rejected(reason: RejectReason): NumberSeries | undefined {
    return this.#rejected.get(reason)?.current;
  }

  /** Waits that ended with a seat. */
  get waited(): HistogramSeries {
    return this.#waited.current;
  }

  /** Waits that ended without one. */
  get waitedRejected(): HistogramSeries {
    return this.#waitedRejected.current;
  }

  /** Length of the queue that a request was put into, with it. */
  get queueLength(): HistogramSeries {
    return this.#queueLength.current;
  }

  /** Removes the series: names that users choose must not accumulate. */
  forget(): void {
    const counts = [this.#dispatched, this.#executing, this.#inQueue, ...this.#rejected.values()];
    const times = [this.#queueLength, ...Object.values(this.#execution), this.#waited, this.#waitedRejected];
    for (const series of [...counts, ...times]) series.forget();
    this.seats?.forget();
  }
}
