/** The metrics registry of a process: creates families, applies their lifecycle, and prints them for Prometheus. */
import type { Metric } from 'prom-client';
import { Registry } from 'prom-client';
import { HistogramFamily, NumberFamily, type Aggregator } from './metric-series.ts';
import type { Logger } from './log.ts';
import { silentLogger } from './log.ts';
import { helpText, isShown, metricStage, type Stability } from './metric-stage.ts';
import { processFamilies } from './process-metrics.ts';
import type { Release } from './release.ts';
import { currentRelease } from './release.ts';
import { joinSnapshots, printSnapshots, type MetricSnapshot, type MetricsText } from './metric-snapshot.ts';

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Absent: alpha. */
  readonly stability?: Stability;
  /** Release in which the metric was deprecated, `1.20`. */
  readonly deprecatedIn?: string;
  /** Aggregation over several processes; default sum. */
  readonly aggregator?: Aggregator;
}

export interface MetricsOptions {
  readonly release?: Release;
  /** Value of `--show-hidden-metrics-for-version`, parsed. */
  readonly showHiddenFor?: Release | undefined;
  readonly logger?: Logger;
  /** Also measure the process itself (CPU, memory, event loop). */
  readonly processMetrics?: boolean;
}

/** Buckets of request durations in seconds, with a long tail for lists. */
const durationBounds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 20, 30, 45, 60,
];

export class Metrics implements MetricsText {
  private readonly registry = new Registry();
  private readonly release: Release;
  private readonly showHiddenFor: Release | undefined;
  private readonly logger: Logger;
  private included: (() => Promise<MetricSnapshot | undefined>) | undefined;

  constructor(options: MetricsOptions = {}) {
    this.release = options.release ?? currentRelease;
    this.showHiddenFor = options.showHiddenFor;
    this.logger = options.logger ?? silentLogger;
    if (options.processMetrics === true)
      for (const family of processFamilies()) this.registry.registerMetric(family);
  }

  counter(definition: MetricDefinition): NumberFamily {
    return this.number('counter', definition);
  }

  gauge(definition: MetricDefinition): NumberFamily {
    return this.number('gauge', definition);
  }

  /** A histogram, by default of seconds. */
  histogram(definition: MetricDefinition & { readonly bounds?: readonly number[] }): HistogramFamily {
    const family = new HistogramFamily({
      name: definition.name,
      help: helpText(definition, this.release),
      labelNames: definition.labels ?? [],
      bounds: definition.bounds ?? durationBounds,
    });
    this.register(definition, family);
    return family;
  }

  /** Includes the metrics of threads of this process; undefined if there are none. */
  include(counted: () => Promise<MetricSnapshot | undefined>): void {
    this.included = counted;
  }

  /** All visible metrics in the text format. */
  async text(): Promise<string> {
    const included = await this.included?.();
    if (!included) return this.registry.metrics();
    return printSnapshots([await this.registry.getMetricsAsJSON(), included]);
  }

  /** All visible metrics as plain data, to be aggregated with those of other processes. */
  async snapshot(): Promise<MetricSnapshot> {
    const own = await this.registry.getMetricsAsJSON();
    const included = await this.included?.();
    return included ? joinSnapshots([own, included]) : own;
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private number(type: 'counter' | 'gauge', definition: MetricDefinition): NumberFamily {
    const family = new NumberFamily({
      type,
      name: definition.name,
      help: helpText(definition, this.release),
      labelNames: definition.labels ?? [],
      aggregator: definition.aggregator ?? 'sum',
    });
    this.register(definition, family);
    return family;
  }

  /** A hidden metric is not exposed, but can still be used by callers. */
  private register(definition: MetricDefinition, family: NumberFamily | HistogramFamily): void {
    const { name, deprecatedIn } = definition;
    const stage = metricStage(deprecatedIn, this.release);
    if (stage === 'hidden' && !isShown(deprecatedIn ?? '', this.showHiddenFor)) return;
    if (stage !== 'active')
      this.logger.warn('a deprecated metric is registered', { metric: name, deprecatedIn });
    // The registry only reads `name` and `get()`.
    this.registry.registerMetric(family as unknown as Metric);
  }
}
