/** Figures of a store of one size beside their bounds, and curves over several sizes as SVG. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { print } from './report.ts';

export interface Figure {
  readonly name: string;
  /** NaN where it could not be measured. */
  readonly value: number;
  readonly unit: string;
  /** What it must not exceed, or fall below if `atLeast`. */
  readonly bound?: number;
  readonly atLeast?: boolean;
}

/** One store, with the number of its objects (or of its definitions). */
export interface Sized {
  readonly total: number;
  readonly figures: readonly Figure[];
}

export function printFigures(title: string, figures: readonly Figure[]): void {
  print(`\n${title}`);
  for (const figure of figures) print(`  ${figure.name.padEnd(64)}${inWords(figure)}`);
}

function inWords({ value, unit, bound, atLeast = false }: Figure): string {
  const text = `${short(value)} ${unit}`.padStart(18);
  if (bound === undefined || Number.isNaN(value)) return text;
  const isKept = atLeast ? value >= bound : value <= bound;
  return `${text}   ${atLeast ? 'at least' : 'at most'} ${short(bound)}${isKept ? '' : ' (not kept)'}`;
}

function short(value: number): string {
  if (Number.isNaN(value)) return '-';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Writes a file for each figure that all sizes have: both axes are logarithmic. */
export async function writeCurves(folder: string, sizes: readonly Sized[], of = 'objects'): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [index, { name, unit }] of (sizes[0]?.figures ?? []).entries()) {
    const points = sizes.map(({ total, figures }) => [total, figures[index]?.value ?? NaN] as const);
    const file = `${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.svg`;
    await writeFile(join(folder, file), curve(`${name}, ${unit}, by number of ${of}`, points));
  }
}

const [width, height, margin] = [640, 400, 60];

/** A curve through these points, each with its value. Points that are not above 0 have no place and are left out. */
export function curve(title: string, points: readonly (readonly [number, number])[]): string {
  const shown = points.filter(([x, y]) => x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y));
  const xOf = axis(
    shown.map(([x]) => x),
    [margin, width - margin],
  );
  const yOf = axis(
    shown.map(([, y]) => y),
    [height - margin, margin],
  );
  const places = shown.map(([x, y]) => ({
    x: xOf(x).toFixed(1),
    y: yOf(y).toFixed(1),
    texts: [x, y] as const,
  }));
  const line = places.map(({ x, y }) => `${x},${y}`).join(' ');
  const marks = places.map(
    ({ x, y, texts: [of, value] }) =>
      `<circle cx="${x}" cy="${y}" r="4"/><text x="${x}" y="${Number(y) - 10}">${short(value)}</text>` +
      `<text x="${x}" y="${height - margin / 2}">${of}</text>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" ` +
    `font-size="12" text-anchor="middle"><rect width="100%" height="100%" fill="#fff"/>` +
    `<text x="${width / 2}" y="24">${escaped(title)}</text>` +
    `<polyline points="${line}" fill="none" stroke="#246" stroke-width="2"/>${marks.join('')}</svg>\n`
  );
}

/** From a value to its place between two ends, by logarithms; equal values are in the middle. */
function axis(values: readonly number[], [from, to]: readonly [number, number]): (value: number) => number {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  if (!(high > low)) return () => (from + to) / 2;
  return (value) => from + ((Math.log(value) - low) / (high - low)) * (to - from);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
