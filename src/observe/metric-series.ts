/**
 * Counters and histograms for hot paths. A caller looks its series up once per label set and then only adds numbers;
 * how labels are printed is found when a series begins, not on every request.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import { inSlices, type Steps } from '../base/sliced-work.ts';
import { labelsText, type Aggregator, type FamilySnapshot, type SeriesSnapshot } from './metric-snapshot.ts';

export type Labels = Readonly<Record<string, string>>;

/** Several families begin a series of the same labels one after the other: their texts are kept once. */
class LastText {
  #last = '';

  shared(text: string): string {
    if (text !== this.#last) this.#last = text;
    return this.#last;
  }
}

const texts = new LastText();
const keys = new LastText();

/** A metric family: one time series per label set. */
abstract class SeriesFamily<C extends SeriesSnapshot> {
  readonly name: string;
  readonly help: string;
  abstract readonly type: string;
  protected readonly aggregator: Aggregator = 'sum';
  protected readonly bounds?: readonly number[] | undefined;
  private readonly seriesByKey = new Map<string, C>();
  private readonly labelNames: readonly string[];
  private update: (() => MaybePromise<void>) | undefined = undefined;

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** The series of a label set, created on first use. Labels that are not given are ''. */
  series(labels: Labels = {}): C {
    const key = this.keyOf(labels);
    const known = this.seriesByKey.get(key);
    if (known) return known;
    const series = this.unlisted(labels);
    this.seriesByKey.set(keys.shared(key), series);
    return series;
  }

  /** One that nobody sees, for what still happens to something that is gone. */
  unlisted(labels: Labels): C {
    const all: Record<string, string> = {};
    for (const name of this.labelNames) all[name] = labels[name] ?? '';
    return this.makeSeries(texts.shared(labelsText(all)));
  }

  hasLabel(name: string): boolean {
    return this.labelNames.includes(name);
  }

  /** Removes a series; values added to it later are lost. */
  forget(labels: Labels): void {
    this.seriesByKey.delete(this.keyOf(labels));
  }

  /** Called before the values are read: for figures that are counted only when somebody asks. */
  onScrape(update: () => void): void {
    this.update = update;
  }

  /** The same for very many figures, of which each step sets a few. */
  onScrapeInSteps(update: () => Steps): void {
    this.update = () => inSlices(update());
  }

  /** Counts what is counted only when somebody asks. To await before `scrape`. */
  refresh(): MaybePromise<void> {
    return this.update?.();
  }

  /** The family with its series as they are when they are read. */
  scrape(): FamilySnapshot {
    const { name, help, type, aggregator, bounds } = this;
    return { name, help, type, aggregator, bounds, series: this.seriesByKey.values().toArray() };
  }

  private keyOf(labels: Labels): string {
    return this.labelNames.map((name) => labels[name] ?? '').join('\u0000');
  }

  protected abstract makeSeries(labels: string): C;
}

/** One number that goes up, or for gauges up and down. */
export class NumberSeries implements SeriesSnapshot {
  readonly sum = 0;
  value = 0;
  readonly labels: string;

  constructor(labels = '') {
    this.labels = labels;
  }

  get counts(): ArrayLike<number> {
    return [this.value];
  }

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

  protected override makeSeries(labels: string): NumberSeries {
    return new NumberSeries(labels);
  }
}

const noCounts: readonly number[] = [];

/** Counts by upper bound, and their sum. */
export class HistogramSeries implements SeriesSnapshot {
  readonly labels: string;
  sum = 0;
  private readonly bounds: readonly number[];
  /**
   * As far as values have come: with thousands of resources there are tens of thousands of series, and nearly all values
   * of most of them are in the first buckets.
   */
  private seen = noCounts as number[];

  constructor(bounds: readonly number[], labels = '') {
    this.bounds = bounds;
    this.labels = labels;
  }

  /** Of the buckets up to the last one that a value was in. */
  get counts(): readonly number[] {
    return this.seen;
  }

  /** @param times how often the value was seen */
  observe(value: number, times = 1): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] ?? Infinity)) i++;
    if (i >= this.seen.length)
      this.seen = [...this.seen, ...new Array<number>(i + 1 - this.seen.length).fill(0)];
    this.seen[i] = (this.seen[i] ?? 0) + times;
    this.sum += value * times;
  }
}

export class HistogramFamily extends SeriesFamily<HistogramSeries> {
  readonly type = 'histogram';
  protected override readonly bounds: readonly number[];
  private unseen: HistogramSeries | undefined;

  constructor(options: {
    readonly name: string;
    readonly help: string;
    readonly labelNames: readonly string[];
    readonly bounds: readonly number[];
  }) {
    super(options.name, options.help, options.labelNames);
    this.bounds = options.bounds;
  }

  /** Nobody sees this family, so that one series takes the values of all label sets. */
  hide(): void {
    this.unseen = new HistogramSeries(this.bounds);
  }

  override series(labels: Labels = {}): HistogramSeries {
    return this.unseen ?? super.series(labels);
  }

  protected override makeSeries(labels: string): HistogramSeries {
    return new HistogramSeries(this.bounds, labels);
  }
}
