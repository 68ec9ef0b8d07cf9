/**
 * Counters and histograms for hot paths. A caller looks its cell up once per label set and then only adds
 * numbers; label objects are hashed when metrics are scraped, not on every request.
 */

export type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels: Record<string, string | number>;
  value: number;
  metricName?: string;
}

/** How the figures of several processes become one. */
export type Aggregator = 'sum' | 'max';

/** What the registry asks of a metric when it is scraped. */
export interface Scraped {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  readonly values: Sample[];
}

/** A family of cells, one per label set. */
abstract class CellFamily<C> {
  readonly name: string;
  readonly help: string;
  abstract readonly type: string;
  protected readonly aggregator: Aggregator = 'sum';
  protected readonly cells = new Map<string, { readonly labels: Labels; readonly cell: C }>();
  private readonly labelNames: readonly string[];

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** The cell of a label set, made at its first use. Labels that are not given are ''. */
  cell(labels: Labels = {}): C {
    const key = this.keyOf(labels);
    const known = this.cells.get(key);
    if (known) return known.cell;
    const all: Record<string, string> = {};
    for (const name of this.labelNames) all[name] = labels[name] ?? '';
    const cell = this.makeCell();
    this.cells.set(key, { labels: all, cell });
    return cell;
  }

  /** Takes a cell off the list; who still holds it adds to it in vain. */
  forget(labels: Labels): void {
    this.cells.delete(this.keyOf(labels));
  }

  get(): Promise<Scraped> {
    const values = [...this.cells.values()].flatMap(({ labels, cell }) => this.samples(labels, cell));
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  private keyOf(labels: Labels): string {
    return this.labelNames.map((name) => labels[name] ?? '').join('\u0000');
  }

  protected abstract makeCell(): C;
  protected abstract samples(labels: Labels, cell: C): Sample[];
}

/** One number that goes up, or for gauges up and down. */
export class NumberCell {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** Counter or gauge. */
export class NumberFamily extends CellFamily<NumberCell> {
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

  protected override makeCell(): NumberCell {
    return new NumberCell();
  }

  protected override samples(labels: Labels, cell: NumberCell): Sample[] {
    return [{ labels: { ...labels }, value: cell.value }];
  }
}

/** Counts by upper bound, and their sum. */
export class HistogramCell {
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

export class HistogramFamily extends CellFamily<HistogramCell> {
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

  protected override makeCell(): HistogramCell {
    return new HistogramCell(this.bounds);
  }

  protected override samples(labels: Labels, cell: HistogramCell): Sample[] {
    let total = 0;
    const buckets = [...cell.counts].map((count, i) => {
      total += count;
      const le = this.bounds[i] ?? '+Inf';
      return { labels: { ...labels, le }, value: total, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels: { ...labels }, value: cell.sum, metricName: `${this.name}_sum` },
      { labels: { ...labels }, value: total, metricName: `${this.name}_count` },
    ];
  }
}
