/**
 * Counters and histograms for hot paths. A caller looks its series up once per label set and then only adds numbers;
 * label objects are hashed when metrics are scraped, not on every request.
 */

export type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels: Record<string, string | number>;
  value: number;
  metricName?: string;
}

/** How the values of several processes are aggregated. */
export type Aggregator = 'sum' | 'max';

/** What the registry reads of a metric when it is scraped. */
export interface Scraped {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  readonly values: Sample[];
}

/** A metric family: one time series per label set. */
abstract class SeriesFamily<C> {
  readonly name: string;
  readonly help: string;
  abstract readonly type: string;
  protected readonly aggregator: Aggregator = 'sum';
  protected readonly seriesByKey = new Map<string, { readonly labels: Labels; readonly series: C }>();
  private readonly labelNames: readonly string[];
  private update: (() => void) | undefined = undefined;

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** The series of a label set, created on first use. Labels that are not given are ''. */
  series(labels: Labels = {}): C {
    const key = this.keyOf(labels);
    const known = this.seriesByKey.get(key);
    if (known) return known.series;
    const all: Record<string, string> = {};
    for (const name of this.labelNames) all[name] = labels[name] ?? '';
    const series = this.makeSeries();
    this.seriesByKey.set(key, { labels: all, series });
    return series;
  }

  /** Removes a series; values added to it later are lost. */
  forget(labels: Labels): void {
    this.seriesByKey.delete(this.keyOf(labels));
  }

  /** Called before the values are read: for figures that are counted only when somebody asks. */
  onScrape(update: () => void): void {
    this.update = update;
  }

  get(): Promise<Scraped> {
    this.update?.();
    const values = [...this.seriesByKey.values()].flatMap(({ labels, series }) =>
      this.samples(labels, series),
    );
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  private keyOf(labels: Labels): string {
    return this.labelNames.map((name) => labels[name] ?? '').join('\u0000');
  }

  protected abstract makeSeries(): C;
  protected abstract samples(labels: Labels, series: C): Sample[];
}

/** One number that goes up, or for gauges up and down. */
export class NumberSeries {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** Counter or gauge. */
export class NumberFamily extends SeriesFamily<NumberSeries> {
  readonly type: 'counter' | 'gauge';
  protected override readonly aggregator: Aggregator;

  constructor(options: {
    readonly type: 'counter' | 'gauge';
    readonly name: string;
    readonly help: string;
    readonly labelNames: readonly string[];
    readonly aggregator: Aggregator;
  }) {
    super(options.name, options.help, options.labelNames);
    this.type = options.type;
    this.aggregator = options.aggregator;
  }

  protected override makeSeries(): NumberSeries {
    return new NumberSeries();
  }

  protected override samples(labels: Labels, series: NumberSeries): Sample[] {
    return [{ labels: { ...labels }, value: series.value }];
  }
}

/** Counts by upper bound, and their sum. */
export class HistogramSeries {
  readonly counts: Float64Array;
  sum = 0;
  private readonly bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** @param times how often the value was seen */
  observe(value: number, times = 1): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] ?? Infinity)) i++;
    this.counts[i] = (this.counts[i] ?? 0) + times;
    this.sum += value * times;
  }
}

export class HistogramFamily extends SeriesFamily<HistogramSeries> {
  readonly type = 'histogram';
  private readonly bounds: readonly number[];

  constructor(options: {
    readonly name: string;
    readonly help: string;
    readonly labelNames: readonly string[];
    readonly bounds: readonly number[];
  }) {
    super(options.name, options.help, options.labelNames);
    this.bounds = options.bounds;
  }

  protected override makeSeries(): HistogramSeries {
    return new HistogramSeries(this.bounds);
  }

  protected override samples(labels: Labels, series: HistogramSeries): Sample[] {
    let total = 0;
    const buckets = [...series.counts].map((count, i) => {
      total += count;
      const le = this.bounds[i] ?? '+Inf';
      return { labels: { ...labels, le }, value: total, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels: { ...labels }, value: series.sum, metricName: `${this.name}_sum` },
      { labels: { ...labels }, value: total, metricName: `${this.name}_count` },
    ];
  }
}
