/**
 * Metrics as plain data: printed for Prometheus, sent between processes and threads in parts, added up. A replica with
 * thousands of resources has hundreds of thousands of lines, so nothing here handles all of them in one step.
 */
import { inSlices } from '../base/sliced-work.ts';

/** How the values of several processes are aggregated. */
export type Aggregator = 'sum' | 'max' | 'min' | 'average' | 'first';

/** One label set with its numbers. */
export interface SeriesSnapshot {
  /** As printed, without braces: `verb="GET",code="200"`. */
  readonly labels: string;
  /** The value; of a histogram how many values each bucket has by itself, the last one those above all bounds. */
  readonly counts: ArrayLike<number>;
  /** Of the values of a histogram; otherwise 0. */
  readonly sum: number;
}

export interface FamilySnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  /** Of a histogram: the upper bounds of its buckets. */
  readonly bounds?: readonly number[] | undefined;
  readonly series: Iterable<SeriesSnapshot>;
}

/** Metrics of one or several processes. A family may come in several parts, or be that of several processes. */
export type MetricSnapshot = readonly FamilySnapshot[];

/** The content of `/metrics`. */
export interface MetricsText {
  /** The text format of Prometheus, in pieces that are made when they are taken. */
  pieces(): Promise<Iterable<string>>;
  readonly contentType: string;
}

/** Characters of a piece of text: printed in a fraction of a millisecond. */
const pieceLength = 16 * 1024;
/** Series of a part that is sent to another process or thread in one message. */
const partSeries = 500;

/** The text format of Prometheus. Families that come in several parts must have been added up. */
export function* printed(snapshot: MetricSnapshot): Iterable<string> {
  let piece = '';
  for (const [i, family] of snapshot.entries()) {
    piece += `${i > 0 ? '\n' : ''}${headOf(family)}`;
    for (const series of family.series) {
      piece += linesOf(family, series);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}

function headOf({ name, help, type }: FamilySnapshot): string {
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
}

function linesOf({ name, bounds }: FamilySnapshot, { labels, counts, sum }: SeriesSnapshot): string {
  const braces = labels === '' ? '' : `{${labels}}`;
  if (!bounds) return `${name}${braces} ${valueText(counts[0] ?? 0)}\n`;
  const before = labels === '' ? `${name}_bucket{le="` : `${name}_bucket{${labels},le="`;
  let total = 0;
  let lines = '';
  for (let i = 0; i <= bounds.length; i += 1) {
    total += counts[i] ?? 0;
    lines += `${before}${valueText(bounds[i] ?? Infinity)}"} ${valueText(total)}\n`;
  }
  return `${lines}${name}_sum${braces} ${valueText(sum)}\n${name}_count${braces} ${valueText(total)}\n`;
}

function valueText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

/** Labels as they are printed. */
export function labelsText(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${quoted(String(value))}"`);
  return pairs.join(',');
}

const special = /["\\\n]/;

/** Most texts have nothing to escape, and a start has hundreds of them. */
function quoted(text: string): string {
  if (!special.test(text)) return text;
  return escaped(text).replaceAll('"', String.raw`\"`);
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}

/** Parts of plain data that can be sent between processes; none is large. */
export function* partsOf(snapshot: MetricSnapshot): Iterable<MetricSnapshot> {
  let part: FamilySnapshot[] = [];
  let count = 0;
  for (const { series, ...head } of snapshot) {
    let sent: SeriesSnapshot[] = [];
    part.push({ ...head, series: sent });
    for (const { labels, counts, sum } of series) {
      sent.push({ labels, counts: Array.from(counts), sum });
      count += 1;
      if (count < partSeries) continue;
      yield part;
      sent = [];
      part = [{ ...head, series: sent }];
      count = 0;
    }
  }
  yield part;
}

/** Adds up families of the same name by the rules of their aggregators, in slices; others stay as they are. */
export async function joinSnapshots(snapshot: MetricSnapshot): Promise<MetricSnapshot> {
  const byName = Map.groupBy(snapshot, ({ name }) => name);
  const joined: FamilySnapshot[] = [];
  for (const parts of byName.values()) {
    const [first, ...more] = parts;
    if (first) joined.push(more.length === 0 ? first : await joinFamily(first, parts));
  }
  return joined;
}

/** The part that remains valid after the end of a process: counters and histograms. */
export function countedOf(snapshot: MetricSnapshot): MetricSnapshot {
  return snapshot.filter(({ type }) => type === 'counter' || type === 'histogram');
}

interface SeriesSum {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
  /** How many have been added. */
  parts: number;
}

async function joinFamily(first: FamilySnapshot, parts: MetricSnapshot): Promise<FamilySnapshot> {
  const { aggregator } = first;
  const sums = new Map<string, SeriesSum>();
  await inSlices(addAll(sums, first, parts));
  if (aggregator === 'average')
    for (const { counts, parts: n } of sums.values()) counts.forEach((total, i) => (counts[i] = total / n));
  return { ...first, series: [...sums.values()] };
}

function* addAll(
  sums: Map<string, SeriesSum>,
  { aggregator }: FamilySnapshot,
  parts: MetricSnapshot,
): Iterable<void> {
  for (const { series } of parts) {
    for (const { labels, counts, sum } of series) {
      const before = sums.get(labels);
      if (!before) sums.set(labels, { labels, counts: Array.from(counts), sum, parts: 1 });
      else addTo(before, counts, sum, aggregator);
      yield;
    }
  }
}

function addTo(total: SeriesSum, counts: ArrayLike<number>, sum: number, aggregator: Aggregator): void {
  for (let i = 0; i < counts.length; i += 1)
    total.counts[i] = aggregated(aggregator, total.counts[i] ?? 0, counts[i] ?? 0);
  total.sum += sum;
  total.parts += 1;
}

function aggregated(aggregator: Aggregator, before: number, value: number): number {
  if (aggregator === 'first') return before;
  if (aggregator === 'min') return Math.min(before, value);
  return aggregator === 'max' ? Math.max(before, value) : before + value;
}
