/** Reads of many connections: a costly one ends the turn for all, and costly ones follow each other. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadTurns, type ReadSource } from '../../../src/base/read-turns.ts';
import { leastShare } from '../../support/cpu-time.ts';

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

describe('costs that add up', () => {
  test('over the budget of a turn all are held, and go on in the next one', async () => {
    const turns = new ReadTurns({ budget: 100 });
    const sources = sourcesIn(turns, 4);
    for (const source of sources.slice(0, 2)) turns.note(source, 40);
    expect(reading(sources)).toBe('xxxx');
    turns.note(sources[2]!, 40);
    expect(reading(sources)).toBe('----');
    await nextTurn();
    expect(reading(sources)).toBe('xxxx');
    // The turn before is paid.
    turns.note(sources[2]!, 90);
    expect(reading(sources)).toBe('xxxx');
    await nextTurn();
  });

  test('one that makes up most of it waits in line', async () => {
    const turns = new ReadTurns({ budget: 100 });
    const sources = sourcesIn(turns, 3);
    for (let i = 0; i < 50; i++) turns.note(sources[1]!, 10);
    expect(reading(sources)).toBe('---');
    await nextTurn();
    expect(reading(sources)).toBe('x-x');
    await nextTurn();
    expect(reading(sources)).toBe('xxx');
  });

  test('nobody in line reads while what was read waits', async () => {
    let isBehind = true;
    const turns = new ReadTurns({ budget: 100, isBehind: () => isBehind });
    const sources = sourcesIn(turns, 2);
    turns.note(sources[0]!, 101);
    for (let i = 0; i < 5; i++) await nextTurn();
    expect(reading(sources)).toBe('-x');
    isBehind = false;
    await nextTurn();
    expect(reading(sources)).toBe('xx');
  });

  test('one that reads although it was held is stopped again, and resumed once', async () => {
    const turns = new ReadTurns({ budget: 100 });
    const [costly, other] = sourcesIn(turns, 2);
    turns.note(costly!, 101);
    other!.isReading = true;
    turns.note(other!, 20);
    expect(reading([costly!, other!])).toBe('--');
    await nextTurn();
    await nextTurn();
    expect(reading([costly!, other!])).toBe('xx');
  });

  test('one that is gone holds the others, but takes no turn', async () => {
    const turns = new ReadTurns({ budget: 100 });
    const [gone, other] = sourcesIn(turns, 2);
    turns.remove(gone!);
    turns.note(gone!, 101);
    expect(other!.isReading).toBe(false);
    await nextTurn();
    expect(other!.isReading).toBe(true);
  });

  test('one that is gone is not held for what it has read before', async () => {
    const turns = new ReadTurns({ budget: 100 });
    const [first, gone] = sourcesIn(turns, 2);
    turns.remove(gone!);
    turns.note(first!, 101);
    turns.note(gone!, 20);
    expect(reading([first!, gone!])).toBe('-x');
    await nextTurn();
    await nextTurn();
    expect(reading([first!, gone!])).toBe('xx');
  });
});

describe('thousands of sources', () => {
  const count = 2_000;

  /** What an event loop does with sources that have bytes: each that reads is read, in the order of their starts. */
  class Loop {
    readonly turns: ReadTurns;
    readonly ready = new Set<OrderedSource>();
    readonly reading = new Set<OrderedSource>();
    /** Stops of reading. */
    stops = 0;

    constructor(share?: number) {
      this.turns = new ReadTurns({ budget: 100, ...(share !== undefined && { share }) });
    }

    async turn(read: (source: OrderedSource) => void): Promise<void> {
      for (const source of [...this.reading]) if (source.isReading && this.ready.has(source)) read(source);
      await nextTurn();
    }
  }

  class OrderedSource extends Source {
    readonly #loop: Loop;

    constructor(loop: Loop) {
      super();
      this.#loop = loop;
      loop.reading.add(this);
      loop.turns.add(this);
    }

    override pause(): boolean {
      if (this.isReading) this.#loop.stops += 1;
      this.#loop.reading.delete(this);
      return super.pause();
    }

    override resume(): void {
      this.#loop.reading.add(this);
      super.resume();
    }
  }

  test('half of them end at once: a few in each turn, and not all others stop for each', async () => {
    const loop = new Loop();
    const sources = Array.from({ length: count }, () => new OrderedSource(loop));
    for (const source of sources.slice(count / 2)) loop.ready.add(source);
    let most = 0;
    for (let turn = 0; turn < 300 && loop.ready.size > 0; turn += 1) {
      const before = loop.ready.size;
      await loop.turn((source) => {
        loop.ready.delete(source);
        loop.turns.note(source, 10);
        loop.turns.remove(source);
      });
      most = Math.max(most, before - loop.ready.size);
    }
    expect(loop.ready.size).toBe(0);
    expect(most).toBeLessThanOrEqual(11);
    // Each once, and about 32 in each of 100 turns; to stop all of them in each would be 150,000.
    expect(loop.stops).toBeLessThan(4 * count);
    for (let turn = 0; turn < 20; turn += 1) await loop.turn(() => undefined);
    expect(sources.filter((source) => !source.isReading)).toEqual([]);
  });

  test.each([
    ['a share of them goes on', undefined, 400],
    ['all go on, the oldest first', Infinity, 105],
  ])('costly ones that keep coming are all read where %s', async (_what, share, mostTurns) => {
    const loop = new Loop(share);
    const since = new Map<OrderedSource, number>();
    const arrive = (turn: number): void => {
      const source = new OrderedSource(loop);
      loop.ready.add(source);
      since.set(source, turn);
    };
    for (let i = 0; i < 100; i += 1) arrive(0);
    let waited = 0;
    const end = 2_000;
    for (let turn = 1; turn < end; turn += 1) {
      await loop.turn((source) => {
        waited = Math.max(waited, turn - (since.get(source) ?? 0));
        loop.ready.delete(source);
        loop.turns.remove(source);
        loop.turns.note(source, 101);
      });
      if (loop.ready.size < 100) arrive(turn);
    }
    for (const source of loop.ready) waited = Math.max(waited, end - (since.get(source) ?? 0));
    expect(waited).toBeLessThan(mostTurns);
  });
});

test('one that is removed while it is held reads on', async () => {
  const turns = new ReadTurns({ budget: 100 });
  const [costly, held] = sourcesIn(turns, 2);
  turns.note(costly!, 101);
  turns.remove(held!);
  expect(reading([costly!, held!])).toBe('-x');
  await nextTurn();
  expect(reading([costly!, held!])).toBe('xx');
});

test('a hundred thousand that were held go on in time for each', async () => {
  const share = await leastShare(150, async () => {
    const turns = new ReadTurns();
    const sources = sourcesIn(turns, 100_000);
    turns.noteCostlyRead(sources[0]!);
    while (!sources.every(({ isReading }) => isReading)) await nextTurn();
  });
  expect(share).toBeLessThan(1);
});
