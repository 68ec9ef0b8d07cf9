/** Requests of HTTP/2 that arrive in one turn of the event loop begin in several. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnQueue } from '../../../src/http/http2/turn-queue.ts';

test('a few begin at once, in each turn anew', async () => {
  const queue = new TurnQueue();
  for (let turn = 0; turn < 3; turn += 1) {
    let begun = 0;
    for (let i = 0; i < 10; i += 1) queue.begin(() => (begun += 1));
    expect(begun).toBe(10);
    await nextTurn();
  }
});

test('of many a bounded number begins in a turn, in order, and later ones do not overtake them', async () => {
  const queue = new TurnQueue();
  const begun: number[] = [];
  for (let i = 0; i < 100; i += 1) queue.begin(() => begun.push(i));
  const counts = [begun.length];
  await nextTurn();
  queue.begin(() => begun.push(100));
  counts.push(begun.length);
  while (begun.length < 101) {
    await nextTurn();
    counts.push(begun.length);
  }
  expect(counts).toEqual([32, 64, 96, 101]);
  expect(begun).toEqual(Array.from({ length: 101 }, (_, i) => i));
});
