/** Metrics of API Priority and Fairness, with their Kubernetes names. */
import type { Aggregator } from './metric-snapshot.ts';
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface FlowControlMetrics {
  readonly rejected: NumberFamily;
  readonly dispatched: NumberFamily;
  readonly inQueue: NumberFamily;
  readonly executing: NumberFamily;
  readonly queueLength: HistogramFamily;
  readonly concurrencyLimit: NumberFamily;
  readonly wait: HistogramFamily;
  readonly execution: HistogramFamily;
  readonly levelSamples: HistogramFamily;
  readonly levelWatermarks: HistogramFamily;
  readonly kindSamples: HistogramFamily;
  readonly kindWatermarks: HistogramFamily;
  /** Absent: every request takes one seat (before release 1.22). */
  readonly seats?: SeatMetrics | undefined;
  /** Absent: levels neither lend nor borrow (before release 1.26). */
  readonly demand?: HistogramFamily | undefined;
}

/** Of requests that take several seats. */
export interface SeatMetrics {
  readonly estimated: HistogramFamily;
  readonly executing: NumberFamily;
  readonly inQueue: NumberFamily;
  readonly notAccommodated: NumberFamily;
  readonly watches: HistogramFamily;
}

const labels = ['priority_level', 'flow_schema'];
const lengthBounds = [0, 10, 25, 50, 100, 250, 500, 1000];
const shareBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const secondsBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

/** Of levels that lend and borrow seats (from release 1.26 on). */
export interface BorrowingMetrics {
  readonly nominal: NumberFamily;
  readonly lower: NumberFamily;
  readonly upper: NumberFamily;
  readonly current: NumberFamily;
  readonly target: NumberFamily;
  readonly average: NumberFamily;
  readonly deviation: NumberFamily;
  readonly high: NumberFamily;
  readonly smoothed: NumberFamily;
  readonly fairFraction: NumberFamily;
}

/** @param aggregator of seats: 'max' where threads share them */
export function createBorrowingMetrics(metrics: Metrics, aggregator: Aggregator = 'sum'): BorrowingMetrics {
  const gauge = (name: string, help: string, labels = ['priority_level']): NumberFamily =>
    metrics.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels, aggregator });
  return {
    nominal: metrics.gauge({
      name: 'apiserver_flowcontrol_nominal_limit_seats',
      life: 'ALPHA 1.21, BETA 1.28',
      help: 'Seats of a priority level by its shares.',
      labels: ['priority_level'],
      aggregator,
    }),
    lower: gauge('lower_limit_seats', 'Seats that a priority level does not lend.'),
    upper: gauge('upper_limit_seats', 'Most seats that a priority level can have with those it borrows.'),
    current: gauge(
      'current_limit_seats',
      'Seats of a priority level now, lent and borrowed ones considered.',
    ),
    target: gauge('target_seats', 'Seats that a priority level asked for when seats were divided last.'),
    average: gauge(
      'demand_seats_average',
      'Average of the seats that a priority level could use, of the last period.',
    ),
    deviation: gauge(
      'demand_seats_stdev',
      'Standard deviation of the seats that a priority level could use.',
    ),
    high: gauge(
      'demand_seats_high_watermark',
      'Most seats that a priority level could use in the last period.',
    ),
    smoothed: gauge('demand_seats_smoothed', 'Smoothed seats that a priority level could use.'),
    fairFraction: gauge('seat_fair_frac', 'Fraction of its target that each priority level gets.', []),
  };
}

/** What levels could use, sampled. */
export function createDemandMetrics(metrics: Metrics): HistogramFamily {
  return metrics.histogram({
    name: 'apiserver_flowcontrol_demand_seats',
    help: 'Seats that a priority level could use, as a part of its nominal seats, sampled every millisecond.',
    labels: ['priority_level'],
    bounds: [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
  });
}

/** @param mostSeats of one request */
export function createSeatMetrics(metrics: Metrics, mostSeats: number): SeatMetrics {
  const about = (name: string, help: string) => ({ name: `apiserver_flowcontrol_${name}`, help, labels });
  const bounds = mostSeats > 10 ? [1, 2, 4, 8, 16, 32, 64, 100] : [1, 2, 4, 10];
  return {
    estimated: metrics.histogram({
      ...about('work_estimated_seats', 'Seats that requests need, by estimate: the most of all phases.'),
      bounds,
    }),
    executing: metrics.gauge({
      ...about('current_executing_seats', 'Seats that executing requests hold.'),
      life: 'ALPHA 1.21, BETA 1.28',
      otherNames: [
        { name: 'apiserver_flowcontrol_request_concurrency_in_use', life: 'ALPHA 1.22, deprecated 1.31' },
      ],
    }),
    inQueue: metrics.gauge(about('current_inqueue_seats', 'Seats that requests in queues wait for.')),
    notAccommodated: metrics.counter(
      about(
        'request_dispatch_no_accommodation_total',
        'Times that a request whose turn it was needed more seats than were free.',
      ),
    ),
    watches: metrics.histogram({
      ...about('watch_count_samples', 'Watches that a write concerns.'),
      bounds: [0, 1, 10, 100, 1_000, 10_000],
    }),
  };
}

/** Registers them. @param aggregator as that of `createBorrowingMetrics` */
export function createFlowControlMetrics(
  metrics: Metrics,
  aggregator: Aggregator = 'sum',
): FlowControlMetrics {
  return { ...countsOf(metrics, aggregator), ...timesOf(metrics), ...sharesOf(metrics) };
}

function countsOf(metrics: Metrics, aggregator: Aggregator) {
  return {
    rejected: metrics.counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      life: 'ALPHA 1.21, BETA 1.28',
      help: 'Requests rejected by API Priority and Fairness, by reason (queue-full, time-out, concurrency-limit, cancelled).',
      labels: [...labels, 'reason'],
    }),
    dispatched: metrics.counter({
      name: 'apiserver_flowcontrol_dispatched_requests_total',
      life: 'ALPHA 1.21, BETA 1.28',
      help: 'Requests dispatched by API Priority and Fairness.',
      labels,
    }),
    inQueue: metrics.gauge({
      name: 'apiserver_flowcontrol_current_inqueue_requests',
      life: 'ALPHA 1.21, BETA 1.28',
      help: 'Requests currently waiting in the queues of API Priority and Fairness.',
      labels,
    }),
    executing: metrics.gauge({
      name: 'apiserver_flowcontrol_current_executing_requests',
      life: 'ALPHA 1.21, BETA 1.28',
      help: 'Requests currently executing in API Priority and Fairness.',
      labels,
    }),
    concurrencyLimit: metrics.gauge({
      name: 'apiserver_flowcontrol_request_concurrency_limit',
      life: 'ALPHA 1.21, deprecated 1.30',
      help: 'Concurrency limit of a priority level.',
      labels: ['priority_level'],
      aggregator,
    }),
  };
}

function timesOf(metrics: Metrics) {
  return {
    queueLength: metrics.histogram({
      name: 'apiserver_flowcontrol_request_queue_length_after_enqueue',
      help: 'Length of a queue after a request was added to it.',
      labels,
      bounds: lengthBounds,
    }),
    wait: metrics.histogram({
      name: 'apiserver_flowcontrol_request_wait_duration_seconds',
      life: 'ALPHA 1.21, BETA 1.28',
      help: 'Time in seconds that requests waited in a queue, by whether they were executed (execute).',
      labels: [...labels, 'execute'],
      bounds: secondsBounds,
    }),
    execution: metrics.histogram({
      name: 'apiserver_flowcontrol_request_execution_seconds',
      help: 'Time in seconds that requests were executing; watches (type) until their events began.',
      labels,
      laterLabels: { since: '1.23', labels: [...labels, 'type'] },
      bounds: secondsBounds,
    }),
  };
}

function sharesOf(metrics: Metrics) {
  const phaseLabels = ['phase', 'priority_level'];
  const kindLabels = ['phase', 'request_kind'];
  return {
    levelSamples: metrics.histogram({
      name: 'apiserver_flowcontrol_priority_level_request_utilization',
      life: 'ALPHA 1.25',
      otherNames: [
        { name: 'apiserver_flowcontrol_priority_level_request_count_samples', life: 'ALPHA 1.21, gone 1.25' },
        {
          name: 'apiserver_flowcontrol_priority_level_seat_utilization',
          life: 'ALPHA 1.25',
          help: 'Share of the seats of a priority level that are taken, sampled every millisecond.',
          only: 'phase="executing"',
        },
      ],
      help: 'Share of the concurrency limit (executing) or queue capacity (waiting) that a priority level uses, sampled every millisecond.',
      labels: phaseLabels,
      bounds: shareBounds,
    }),
    levelWatermarks: metrics.histogram({
      name: 'apiserver_flowcontrol_priority_level_request_count_watermarks',
      life: 'ALPHA 1.21, gone 1.25',
      help: 'Minimum and maximum of that share within each millisecond (mark low, high).',
      labels: ['mark', ...phaseLabels],
      bounds: shareBounds,
    }),
    kindSamples: metrics.histogram({
      name: 'apiserver_flowcontrol_read_vs_write_current_requests',
      life: 'ALPHA 1.25',
      otherNames: [
        { name: 'apiserver_flowcontrol_read_vs_write_request_count_samples', life: 'ALPHA 1.21, gone 1.25' },
      ],
      help: 'Number of requests that are executing or waiting, sampled every millisecond.',
      labels: kindLabels,
      bounds: shareBounds,
    }),
    kindWatermarks: metrics.histogram({
      name: 'apiserver_flowcontrol_read_vs_write_request_count_watermarks',
      life: 'ALPHA 1.21, gone 1.25',
      help: 'Minimum and maximum of that number within each millisecond (mark low, high).',
      labels: ['mark', ...kindLabels],
      bounds: shareBounds,
    }),
  };
}
