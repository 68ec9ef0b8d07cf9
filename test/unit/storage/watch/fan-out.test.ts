import { useEventLoop } from '../../../../src/base/event-loop.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import type { StoredEvent } from '../../../../src/storage/types.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { FanOut, type FanOutOptions } from '../../../../src/storage/watch/fan-out.ts';
import { Subscription } from '../../../../src/storage/watch/subscription.ts';
import { leastOfThree } from '../../../support/cpu-time.ts';
import { turnsOf } from '../../../support/turns.ts';
import { waitFor } from '../../../support/wait-for.ts';

const collection = 'c';

function fail(): void {
  throw new Error('nobody is behind');
}

function event(revision: number, size: number): StoredEvent {
  const entry = new StoredEntry({
    ...{ collection, key: 'k', modRevision: revision, mark: 0 },
    bytes: Buffer.alloc(size),
  });
  return { type: 'put', revision, collection, key: 'k', entry, previous: undefined };
}

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** As a connection does: what is written in a turn is encrypted when everything else of the turn is done. */
class Watcher {
  /** Revisions up to which it was told that it has everything. */
  readonly told: number[] = [];
  private waiting: number[] = [];
  readonly sent: number[] = [];
  private readonly sendMs: number;
  records = 0;
  private isCorked = false;

  constructor(sendMs: number) {
    this.sendMs = sendMs;
  }

  onEvents(events: readonly StoredEvent[]): void {
    this.waiting.push(...events.map(({ revision }) => revision));
    if (this.isCorked) return;
    this.isCorked = true;
    process.nextTick(() => {
      this.isCorked = false;
      this.records += 1;
      work(this.sendMs);
      this.sent.push(...this.waiting.splice(0));
    });
  }
}

function watchWith(fanOut: FanOut, watcher: Watcher, prefix: string): void {
  const nothing = (): void => undefined;
  const logger = { info: nothing, warn: nothing, error: nothing, debug: nothing };
  const subscriber = {
    onEstablished: nothing,
    onInitial: nothing,
    onEvents: (events: readonly StoredEvent[]) => {
      watcher.onEvents(events);
    },
    onProgress: (revision: number) => {
      watcher.told.push(revision);
    },
    onEnd: nothing,
    ready: () => Promise.resolve(),
  };
  const start = { kind: 'after', revision: 1 } as const;
  const { signal } = new AbortController();
  const options = { collection, prefix, start, signal };
  const subscription = new Subscription(options, subscriber, { clock: systemClock, logger, onOver: nothing });
  subscription.establish(undefined, 1);
  subscription.goLive();
  fanOut.add(subscription);
}

function watchedBy(watchers: readonly Watcher[], onBehind: FanOutOptions['onBehind'] = fail): FanOut {
  const fanOut = new FanOut({ onBehind });
  for (const watcher of watchers) watchWith(fanOut, watcher, '');
  return fanOut;
}

test('what sending takes counts: a large event for many watches holds no turn', async () => {
  const longest = await leastOfThree(async () => {
    const watchers = Array.from({ length: 600 }, () => new Watcher(0.1));
    const fanOut = watchedBy(watchers);
    const took = await longestTurn(async () => {
      fanOut.publish([event(2, 20_000)], 2);
      fanOut.publish([event(3, 20_000)], 3);
      await waitFor('all events', () => watchers.every(({ sent }) => sent.length === 2));
    });
    expect(watchers.every(({ sent }) => sent.join() === '2,3')).toBe(true);
    return took;
  });
  expect(longest).toBeLessThan(20);
});

test('small events of one turn still leave in one record', async () => {
  // Without the time that other processes take: the slice does not end.
  useEventLoop({ now: () => 0, nextTurn: (callback) => void setImmediate(callback) });
  const watchers = Array.from({ length: 10 }, () => new Watcher(0));
  const fanOut = watchedBy(watchers);
  for (let revision = 2; revision < 12; revision += 1) fanOut.publish([event(revision, 500)], revision);
  await waitFor('all events', () => watchers.every(({ sent }) => sent.length === 10));
  expect(Math.max(...watchers.map(({ records }) => records))).toBe(1);
});

afterEach(() => {
  useEventLoop(undefined);
});

test('a full queue does not block a turn: watches that are behind leave with their position', async () => {
  const watchers = Array.from({ length: 100 }, () => new Watcher(0.1));
  const behind = new Map<Subscription, number>();
  const fanOut = watchedBy(watchers, (subscription, from) => behind.set(subscription, from));
  const longest = await longestTurn(async () => {
    for (let revision = 2; revision < 602; revision += 1) fanOut.publish([event(revision, 20_000)], revision);
    await waitFor('all to leave or to be told', () => fanOut.size === 0);
  });
  expect(behind.size).toBe(watchers.length);
  for (const [{ position }, from] of behind) expect(from).toBe(position);
  expect(longest).toBeLessThan(20);
});

test('those who want nothing of what is queued stay', () => {
  const [busy, quiet] = [new Watcher(0), new Watcher(0)];
  const fanOut = watchedBy([busy], () => undefined);
  watchWith(fanOut, quiet, 'other/');
  for (let revision = 2; revision < 602; revision += 1) fanOut.publish([event(revision, 300_000)], revision);
  expect(fanOut.size).toBe(1);
});

/** The most time that this thread works between two turns of the loop meanwhile, in milliseconds. */
async function longestTurn(meanwhile: () => Promise<void>): Promise<number> {
  return (await turnsOf(meanwhile))[0] ?? Infinity;
}

/** Tells progress so often, each time when the last one is done. */
async function tell(fanOut: FanOut, times: number, after: () => void = () => undefined): Promise<void> {
  for (let tick = 0; tick < times; tick += 1) {
    fanOut.publish([], 2 + tick);
    await waitFor('progress', () => fanOut.undelivered === 0, { interval: 1 });
    after();
  }
}

test('a few watches are told of progress at once', async () => {
  const watchers = Array.from({ length: 100 }, () => new Watcher(0));
  await tell(watchedBy(watchers), 3);
  expect(watchers.every(({ told }) => told.join() === '2,3,4')).toBe(true);
});

test('very many watches are told of progress in turn, whoever comes and goes meanwhile', async () => {
  const watchers = Array.from({ length: 20_000 }, () => new Watcher(0));
  const fanOut = watchedBy(watchers);
  const toldSoFar = (): number => watchers.reduce((sum, { told }) => sum + told.length, 0);
  const steps: number[] = [];
  let before = 0;
  await tell(fanOut, 8, () => {
    steps.push(toldSoFar() - before);
    before = toldSoFar();
    // Another collection's.
    watchWith(fanOut, new Watcher(0), `other-${before}/`);
  });
  expect(Math.max(...steps)).toBeLessThanOrEqual(5_000);
  expect(watchers.every(({ told }) => told.length >= 1 && told.length <= 2)).toBe(true);
});
