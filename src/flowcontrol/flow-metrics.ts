/** The figures of one flow schema in its priority level; looked up once, added to by every request. */
import type { HistogramCell, NumberCell } from '../observe/cells.ts';
import type { FlowControlMetrics } from '../observe/flow-control-metrics.ts';

/**
 * Why a request gets no seat: its queue is full, it waited too long, its level has no queues, or its client went away.
 */
export type Refusal = 'queue-full' | 'time-out' | 'concurrency-limit' | 'cancelled';

const refusals: readonly Refusal[] = ['queue-full', 'time-out', 'concurrency-limit', 'cancelled'];

export class FlowCells {
  readonly dispatched: NumberCell;
  readonly executing: NumberCell;
  readonly inQueue: NumberCell;
  readonly execution: HistogramCell;
  /** Waits that ended with a seat. */
  readonly waited: HistogramCell;
  private readonly labels: Readonly<Record<'flow_schema' | 'priority_level', string>>;
  private readonly metrics: FlowControlMetrics;

  constructor(metrics: FlowControlMetrics, schema: string, level: string) {
    this.metrics = metrics;
    this.labels = { flow_schema: schema, priority_level: level };
    this.dispatched = metrics.dispatched.cell(this.labels);
    this.executing = metrics.executing.cell(this.labels);
    this.inQueue = metrics.inQueue.cell(this.labels);
    this.execution = metrics.execution.cell(this.labels);
    this.waited = metrics.wait.cell({ ...this.labels, execute: 'true' });
  }

  rejected(reason: Refusal): NumberCell {
    return this.metrics.rejected.cell({ ...this.labels, reason });
  }

  /** Waits that ended without one. */
  get waitedInVain(): HistogramCell {
    return this.metrics.wait.cell({ ...this.labels, execute: 'false' });
  }

  /** Length of the queue that a request was put into, with it. */
  get queueLength(): HistogramCell {
    return this.metrics.queueLength.cell(this.labels);
  }

  /** Takes the figures off the list: names that users may choose must not stay for ever. */
  forget(): void {
    const { dispatched, executing, inQueue, execution, queueLength, rejected, wait } = this.metrics;
    for (const family of [dispatched, executing, inQueue, execution, queueLength]) family.forget(this.labels);
    for (const reason of refusals) rejected.forget({ ...this.labels, reason });
    for (const execute of ['true', 'false']) wait.forget({ ...this.labels, execute });
  }
}
