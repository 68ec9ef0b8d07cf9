/** The metrics registry of a process: creates families, applies their lifecycle, and prints them for Prometheus. */
import { Registry } from 'prom-client';
import { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Logger } from './log.ts';
import { silentLogger } from './log.ts';
import { stateIn } from './metric-life.ts';
import { helpText, isShown, metricStage, type Stability } from './metric-stage.ts';
import { observeProcess, processFamilies } from './process-metrics.ts';
import type { Release } from './release.ts';
import { currentRelease, isAtLeast, parseRelease } from './release.ts';
import {
  joinSnapshots,
  printed,
  type Aggregator,
  type FamilySnapshot,
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
  /** Instead of both, where it differs between releases (`metric-life.ts`). Absent: every release has it. */
  readonly life?: string;
  /** Further names of the same figures, of other releases. */
  readonly otherNames?: readonly OtherName[];
  /** Labels from a release on. */
  readonly laterLabels?: { readonly since: string; readonly labels: readonly string[] };
  /** Aggregation over several processes; default sum. */
  readonly aggregator?: Aggregator;
}

export interface OtherName {
  readonly name: string;
  readonly life: string;
  /** Absent: as under the main name. */
  readonly help?: string;
  /** Only series with this label, as printed. */
  readonly only?: string;
}

export interface MetricsOptions {
  /** Whose metrics are printed; absent: 1.21. */
  readonly release?: Release;
  /** Value of `--show-hidden-metrics-for-version`, parsed. */
  readonly showHiddenFor?: Release | undefined;
  readonly logger?: Logger;
  /** Also measure the process itself (CPU, memory, event loop). */
  readonly processMetrics?: boolean;
}

function only(family: FamilySnapshot, label: string | undefined): FamilySnapshot {
  if (label === undefined) return family;
  return { ...family, series: [...family.series].filter(({ labels }) => labels.includes(label)) };
}

/** Where the series of a family are read. */
interface Scraped {
  refresh(): MaybePromise<void>;
  scrape(): FamilySnapshot;
}

/** Buckets of request durations in seconds, with a long tail for lists. */
const durationBounds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 20, 30, 45, 60,
];

export class Metrics implements MetricsText {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly families = new Map<string, Scraped>();
  private readonly measuresProcess: boolean;
  /** Whose metrics are printed. */
  readonly release: Release;
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
      help: this.help(definition),
      labelNames: this.labels(definition),
      bounds: definition.bounds ?? durationBounds,
    });
    if (!this.register(definition, family)) family.hide();
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
    for (const family of this.families.values()) {
      const counting = family.refresh();
      if (counting) await counting;
    }
    return [...ofProcess, ...this.families.values().map((family) => family.scrape()), ...included];
  }

  private number(type: 'counter' | 'gauge', definition: MetricDefinition): NumberFamily {
    const family = new NumberFamily({
      type,
      name: definition.name,
      help: this.help(definition),
      labelNames: this.labels(definition),
      aggregator: definition.aggregator ?? 'sum',
    });
    this.register(definition, family);
    return family;
  }

  private help({ life, ...definition }: MetricDefinition): string {
    const stated = life === undefined ? definition : { ...definition, ...stateIn(life, this.release) };
    return helpText(stated, this.release);
  }

  private labels({ labels = [], laterLabels }: MetricDefinition): readonly string[] {
    const since = laterLabels && parseRelease(laterLabels.since);
    return since && isAtLeast(this.release, since) ? laterLabels.labels : labels;
  }

  /**
   * A hidden metric, or one of another release, is not exposed, but can still be used by callers.
   * @returns whether it is exposed, under any of its names
   */
  private register(definition: MetricDefinition, family: NumberFamily | HistogramFamily): boolean {
    let isSeen = this.isExposed(definition);
    if (isSeen) this.expose(definition.name, family);
    for (const other of definition.otherNames ?? []) {
      const named = { help: definition.help, ...other };
      if (!this.isExposed(named)) continue;
      isSeen = true;
      const [name, help] = [named.name, this.help(named)];
      const scrape = (): FamilySnapshot => ({ ...only(family.scrape(), other.only), name, help });
      this.expose(name, { scrape, refresh: () => family.refresh() });
    }
    return isSeen;
  }

  private isExposed({ name, life, deprecatedIn }: MetricDefinition): boolean {
    const state = life === undefined ? { isServed: true, deprecatedIn } : stateIn(life, this.release);
    if (!state.isServed) return false;
    const stage = metricStage(state.deprecatedIn, this.release);
    if (stage === 'hidden' && !isShown(state.deprecatedIn ?? '', this.showHiddenFor)) return false;
    if (stage !== 'active')
      this.logger.warn('a deprecated metric is registered', {
        ...{ metric: name, deprecatedIn: state.deprecatedIn },
      });
    return true;
  }

  private expose(name: string, family: Scraped): void {
    if (this.families.has(name)) throw new Error(`the metric ${name} has already been registered`);
    this.families.set(name, family);
  }
}
