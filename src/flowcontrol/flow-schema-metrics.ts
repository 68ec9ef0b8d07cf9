/** The figures of one flow schema in its priority level; looked up once, added to by every request. */
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
  readonly dispatched: NumberSeries;
  readonly executing: NumberSeries;
  readonly inQueue: NumberSeries;
  /** By type of request. */
  readonly execution: Readonly<Record<RequestType, HistogramSeries>>;
  /** Waits that ended with a seat. */
  readonly waited: HistogramSeries;
  readonly schema: string;
  readonly level: string;
  /** undefined: every request takes one seat. */
  readonly seats: SchemaSeatMetrics | undefined;
  private readonly labels: Readonly<Record<'flow_schema' | 'priority_level', string>>;
  private readonly metrics: FlowControlMetrics;

  constructor(metrics: FlowControlMetrics, schema: string, level: string) {
    this.metrics = metrics;
    this.schema = schema;
    this.level = level;
    this.labels = { flow_schema: schema, priority_level: level };
    this.dispatched = metrics.dispatched.series(this.labels);
    this.executing = metrics.executing.series(this.labels);
    this.inQueue = metrics.inQueue.series(this.labels);
    const executionOf = (type: RequestType): HistogramSeries =>
      metrics.execution.series({ ...this.labels, type });
    this.execution = { regular: executionOf('regular'), watch: executionOf('watch') };
    this.waited = metrics.wait.series({ ...this.labels, execute: 'true' });
    this.seats = metrics.seats && new SchemaSeatMetrics(metrics.seats, this.labels);
  }

  rejected(reason: RejectReason): NumberSeries {
    return this.metrics.rejected.series({ ...this.labels, reason });
  }

  /** Waits that ended without one. */
  get waitedRejected(): HistogramSeries {
    return this.metrics.wait.series({ ...this.labels, execute: 'false' });
  }

  /** Length of the queue that a request was put into, with it. */
  get queueLength(): HistogramSeries {
    return this.metrics.queueLength.series(this.labels);
  }

  /** Removes the series: names that users choose must not accumulate. */
  forget(): void {
    const { dispatched, executing, inQueue, execution, queueLength, rejected, wait } = this.metrics;
    for (const family of [dispatched, executing, inQueue, queueLength]) family.forget(this.labels);
    for (const type of ['regular', 'watch']) execution.forget({ ...this.labels, type });
    for (const reason of rejectReasons) rejected.forget({ ...this.labels, reason });
    for (const execute of ['true', 'false']) wait.forget({ ...this.labels, execute });
    this.seats?.forget();
  }
}
