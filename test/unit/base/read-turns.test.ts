/** Reads of many connections: a costly one ends the turn for all, and costly ones follow each other. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadTurns, type ReadSource } from '../../../src/base/read-turns.ts';

class Source implements ReadSource {
  isReading = true;

  pause(): boolean {
    const was = this.isReading;
    this.isReading = false;
    return was;
  }

  resume(): void {
    this.isReading = true;
  }
}

function sourcesIn(turns: ReadTurns, count: number): Source[] {
  const sources = Array.from({ length: count }, () => new Source());
  for (const source of sources) turns.add(source);
  return sources;
}

const reading = (sources: readonly Source[]): string =>
  sources.map(({ isReading }) => (isReading ? 'x' : '-')).join('');

test('a costly read ends the turn for all; the others go on first', async () => {
  const turns = new ReadTurns();
  const sources = sourcesIn(turns, 3);
  turns.noteCostlyRead(sources[0]!);
  expect(reading(sources)).toBe('---');
  await nextTurn();
  expect(reading(sources)).toBe('-xx');
  await nextTurn();
  expect(reading(sources)).toBe('xxx');
});

test('costly ones read one after the other, and the others in between', async () => {
  const turns = new ReadTurns();
  const [cheap, ...costly] = sourcesIn(turns, 4);
  const [reads, cheapTurns] = [[0, 0, 0], [] as boolean[]];
  for (let turn = 0; turn < 60; turn++) {
    // As the event loop: each that reads has bytes, until one of them stops the others.
    for (const [i, source] of costly.entries()) {
      if (!source.isReading) continue;
      reads[i]! += 1;
      turns.noteCostlyRead(source);
    }
    await nextTurn();
    cheapTurns.push(cheap!.isReading);
  }
  expect(reads.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(60);
  for (const count of reads) expect(count).toBeGreaterThan(5);
  expect(cheapTurns.filter(Boolean).length).toBeGreaterThanOrEqual(30);
});

test('one that is paused already is not resumed', async () => {
  const turns = new ReadTurns();
  const [costly, idle] = sourcesIn(turns, 2);
  idle!.isReading = false;
  turns.noteCostlyRead(costly!);
  await nextTurn();
  await nextTurn();
  expect(reading([costly!, idle!])).toBe('x-');
});

test('one that is gone takes no turn', async () => {
  const turns = new ReadTurns();
  const [gone, next] = sourcesIn(turns, 2);
  turns.noteCostlyRead(gone!);
  turns.noteCostlyRead(next!);
  turns.remove(gone!);
  await nextTurn();
  await nextTurn();
  expect(reading([gone!, next!])).toBe('-x');
});
