/** Requests that arrive in one turn of the event loop begin in several. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { TurnQueue } from '../../../src/http/turn-queue.ts';
import { leastShare } from '../../support/cpu-time.ts';

const small = { url: '/livez', rawHeaders: ['Host', 'a'] };
const large = { url: '/api', rawHeaders: ['Impersonate-Group', 'g'.repeat(10_000)] };

function holdThread(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

afterEach(() => {
  useEventLoop(undefined);
});

test('a few begin at once, in each turn anew', async () => {
  // By the clock another program may take the processor for longer than a turn begins requests.
  useEventLoop({ now: () => 0, nextTurn: (callback) => void setImmediate(callback) });
  const queue = new TurnQueue();
  for (let turn = 0; turn < 3; turn += 1) {
    let begun = 0;
    for (let i = 0; i < 10; i += 1) queue.begin(small, () => (begun += 1));
    expect(begun).toBe(10);
    await nextTurn();
  }
});

test('of many a bounded number begins in a turn, in order, and later ones do not overtake them', async () => {
  const queue = new TurnQueue();
  const begun: number[] = [];
  for (let i = 0; i < 100; i += 1) queue.begin(small, () => begun.push(i));
  let most = begun.length;
  await nextTurn();
  queue.begin(small, () => begun.push(100));
  while (begun.length < 101) {
    const before = begun.length;
    await nextTurn();
    most = Math.max(most, begun.length - before);
  }
  expect(most).toBeLessThanOrEqual(64);
  expect(begun).toEqual(Array.from({ length: 101 }, (_, i) => i));
});

test('those that take long begin one in a turn, also where what they take comes behind a promise', async () => {
  const queue = new TurnQueue();
  let begun = 0;
  const work = async (): Promise<void> => {
    begun += 1;
    await Promise.resolve();
    holdThread(6);
  };
  for (let i = 0; i < 10; i += 1) queue.begin(large, () => void work());
  for (let before = begun; begun < 10; before = begun) {
    await nextTurn();
    expect(begun - before).toBeLessThanOrEqual(2);
  }
});

test('small heads do not wait for large ones, and large ones do begin', async () => {
  const queue = new TurnQueue();
  const begun: string[] = [];
  const request = (what: string) => (): void => {
    begun.push(what);
    holdThread(6);
  };
  for (let i = 0; i < 20; i += 1) queue.begin(large, request('large'));
  for (let i = 0; i < 3; i += 1) queue.begin(small, request('small'));
  while (begun.filter((what) => what === 'small').length < 3) await nextTurn();
  expect(begun.filter((what) => what === 'large').length).toBeLessThanOrEqual(4);
  while (queue.waiting > 0) await nextTurn();
  expect(begun.length).toBe(23);
});

test('those that wait cost the same however many they are', async () => {
  const count = 60_000;
  const beginAll = async (): Promise<void> => {
    const queue = new TurnQueue();
    let begun = 0;
    for (let i = 0; i < count; i += 1) queue.begin(small, () => (begun += 1));
    while (begun < count) await nextTurn();
  };
  // In an array from which the first was taken each time they took four seconds.
  expect(await leastShare(500, beginAll)).toBeLessThan(1);
}, 60_000);
