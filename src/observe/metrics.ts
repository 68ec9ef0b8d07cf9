/** The metrics registry of a process: creates families, applies their lifecycle, and prints them for Prometheus. */
import { Registry } from 'prom-client';
import { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Logger } from './log.ts';
import { silentLogger } from './log.ts';
import { helpText, isShown, metricStage, type Stability } from './metric-stage.ts';
import { observeProcess, processFamilies } from './process-metrics.ts';
import type { Release } from './release.ts';
import { currentRelease } from './release.ts';
import {
  joinSnapshots,
  printed,
  type Aggregator,
  type MetricSnapshot,
  type MetricsText,
} from './metric-snapshot.ts';

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
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly families = new Map<string, NumberFamily | HistogramFamily>();
  private readonly measuresProcess: boolean;
  private readonly release: Release;
  private readonly showHiddenFor: Release | undefined;
  private readonly logger: Logger;
  private included: (() => Promise<MetricSnapshot>) | undefined;

  constructor(options: MetricsOptions = {}) {
    this.release = options.release ?? currentRelease;
    this.showHiddenFor = options.showHiddenFor;
    this.logger = options.logger ?? silentLogger;
    this.measuresProcess = options.processMetrics ?? false;
    if (this.measuresProcess) observeProcess();
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

  /** Includes the metrics of threads of this process. */
  include(counted: () => Promise<MetricSnapshot>): void {
    this.included = counted;
  }

  /** All visible metrics in the text format, in pieces. */
  async pieces(): Promise<Iterable<string>> {
    return printed(await joinSnapshots(await this.snapshot()));
  }

  /** The same in one text. */
  async text(): Promise<string> {
    return [...(await this.pieces())].join('');
  }

  /** All visible metrics, to be added up with those of other processes; counters are read when series are. */
  async snapshot(): Promise<MetricSnapshot> {
    const included = (await this.included?.()) ?? [];
    const ofProcess = this.measuresProcess ? await processFamilies() : [];
    return [...ofProcess, ...this.families.values().map((family) => family.scrape()), ...included];
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
    if (this.families.has(name)) throw new Error(`the metric ${name} has already been registered`);
    this.families.set(name, family);
  }
}
