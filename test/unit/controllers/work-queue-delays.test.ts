/** Waiting keys and retries of work queues on a virtual clock, against what client-go's queues do. */
import fc from 'fast-check';
import { systemClock } from '../../../src/base/clock.ts';
import { DelayingQueue } from '../../../src/controllers/delaying-queue.ts';
import { RateLimiter } from '../../../src/controllers/rate-limiter.ts';
import { WorkQueue } from '../../../src/controllers/work-queue.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const ignore = (): void => undefined;
const frame = {
  clock: systemClock,
  log: { info: ignore, warn: ignore, error: ignore },
  metrics: noControllerMetrics,
};

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), key, pauseMs: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
);

test('each key waits once, for the earliest time that was asked for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const seen: string[] = [];
      const expected: string[] = [];
      const due = new Map<string, number>();
      let now = 0;
      const delayed = new DelayingQueue<string>((k) => seen.push(`${String(now)} ${k}`), systemClock);
      const passMs = (): void => {
        jest.advanceTimersByTime(1);
        for (const [k, at] of [...due].sort()) {
          if (at !== now) continue;
          due.delete(k);
          expected.push(`${String(now)} ${k}`);
        }
      };
      for (const s of steps) {
        if (s.kind === 'wait') {
          for (let i = 0; i < s.ms; i++) {
            now += 1;
            passMs();
          }
        } else if (s.pauseMs === 0) {
          expected.push(`${String(now)} ${s.key}`);
          delayed.add(s.key, 0);
        } else {
          due.set(s.key, Math.min(due.get(s.key) ?? Infinity, now + s.pauseMs));
          delayed.add(s.key, s.pauseMs);
        }
        expect(delayed.size).toBe(due.size);
        expect(jest.getTimerCount()).toBe(due.size);
      }
      delayed.close();
      expect(seen.sort()).toEqual(expected.sort());
      expect({ waiting: delayed.size, timers: jest.getTimerCount() }).toEqual({ waiting: 0, timers: 0 });
    }),
    { numRuns: 300 },
  );
});

test('a wait beyond the reach of a timer is waited for in pieces, and a closed one takes nothing', () => {
  const seen: string[] = [];
  const delayed = new DelayingQueue<string>((k) => seen.push(k), systemClock);
  const days40 = 40 * 86_400_000;
  delayed.add('late', days40);
  jest.advanceTimersByTime(days40 - 10);
  expect(seen).toEqual([]);
  jest.advanceTimersByTime(20);
  expect(seen).toEqual(['late']);
  delayed.close();
  delayed.add('x', 1);
  delayed.add('y', 0);
  expect({ seen, timers: jest.getTimerCount() }).toEqual({ seen: ['late'], timers: 0 });
});

test('events on a key that asks to be looked at again start no further chain', async () => {
  let calls = 0;
  const handle = (): Promise<number> => {
    calls += 1;
    return Promise.resolve(1_000);
  };
  const queue = new WorkQueue<string>({ ...frame, name: 'test', workers: 2, handle });
  const stopping = new AbortController();
  const done = queue.run(stopping.signal);
  for (let event = 0; event < 50; event++) {
    queue.add('a');
    await jest.advanceTimersByTimeAsync(1);
  }
  expect({ calls, ...queue.size }).toEqual({ calls: 50, waiting: 0, delayed: 1 });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(calls).toBeLessThanOrEqual(60);
  stopping.abort();
  await done;
  queue.addAfter('a', 10);
  expect({ ...queue.size, timers: jest.getTimerCount() }).toEqual({ waiting: 0, delayed: 0, timers: 0 });
});

test('a key waits twice as long with each failure in a row, at most a minute, and from the start after a success', () => {
  const retries = new RateLimiter<string>(systemClock);
  const waits = Array.from({ length: 16 }, () => retries.nextMs('a'));
  expect(waits).toEqual([
    5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 40960, 60000, 60000,
  ]);
  expect(retries.nextMs('b')).toBe(5);
  for (let i = 0; i < 2_000; i++) retries.forget('a');
  expect({ next: retries.nextMs('a'), failures: retries.failures('a') }).toEqual({ next: 5, failures: 1 });
});

test('all keys together are tried a hundred times at once, then ten times a second', () => {
  const retries = new RateLimiter<number>(systemClock);
  const waits = Array.from({ length: 150 }, (_, i) => retries.nextMs(i));
  expect(waits.slice(0, 100).every((ms) => ms === 5)).toBe(true);
  expect(waits.slice(100).map((ms) => Math.round(ms))).toEqual(
    Array.from({ length: 50 }, (_, i) => 100 * (i + 1)),
  );
  for (let i = 150; i < 5_000; i++) expect(retries.nextMs(i)).toBeLessThanOrEqual(60_000);
  // What could not be granted within a minute is not owed for ever.
  jest.advanceTimersByTime(70_000);
  expect(retries.nextMs(5_000)).toBe(5);
});

test('failures are remembered until the key succeeds, and only then forgotten', async () => {
  const at: number[] = [];
  const handle = (): Promise<undefined> => {
    at.push(performance.now());
    return at.length % 4 === 0 ? Promise.resolve(undefined) : Promise.reject(new Error('not yet'));
  };
  const queue = new WorkQueue<string>({ ...frame, name: 'test', workers: 1, handle });
  const stopping = new AbortController();
  const done = queue.run(stopping.signal);
  queue.add('a');
  await jest.advanceTimersByTimeAsync(1_000);
  queue.add('a');
  await jest.advanceTimersByTimeAsync(1_000);
  const pauses = at.map((t, i) => Math.round(t - (at[i - 1] ?? t)));
  expect([pauses.slice(1, 4), pauses.slice(5)]).toEqual([
    [5, 10, 20],
    [5, 10, 20],
  ]);
  stopping.abort();
  await done;
});
