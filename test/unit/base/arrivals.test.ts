/** What arrives in one turn of the event loop is worked on in several. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Arrivals } from '../../../src/base/arrivals.ts';
import { written } from '../../../src/base/cooperate.ts';
import type { EventLoop } from '../../../src/base/event-loop.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { holdThread, TurnCounts } from '../../support/turn-counts.ts';

const workMs = 6;

test('the first of a turn goes on at once; those behind it do, a few in a turn, peers in turn', async () => {
  const arrivals = new Arrivals();
  const done: string[] = [];
  const work = async (peer: string): Promise<void> => {
    await arrivals.begin(peer);
    done.push(peer);
    holdThread(workMs);
  };
  for (const peer of ['many', 'many', 'many', 'many', 'other']) void work(peer);
  await Promise.resolve();
  expect(done).toEqual(['many']);
  for (let before = done.length; before < 5; before = done.length) {
    await nextTurn();
    expect(done.length - before).toBeLessThanOrEqual(1);
  }
  expect(done.indexOf('other')).toBeLessThanOrEqual(2);
  await nextTurn();
  expect(arrivals.begin('many')).toBeUndefined();
});

test('work whose costs come behind other waits is bounded by number', async () => {
  const arrivals = new Arrivals();
  const turns = new TurnCounts();
  const work = async (): Promise<void> => {
    await arrivals.begin('a');
    for (let i = 0; i < 50; i += 1) await written();
    turns.note();
    holdThread(workMs);
  };
  await Promise.all(Array.from({ length: 40 }, work));
  turns.end();
  expect(turns.most).toBeLessThanOrEqual(6);
});

test('a simulation that ends before its next turn holds up nothing', async () => {
  const arrivals = new Arrivals();
  const abandoned: EventLoop = { now: () => 0, nextTurn: () => undefined };
  useEventLoop(abandoned);
  try {
    expect(arrivals.begin('a')).toBeUndefined();
    void arrivals.begin('a');
  } finally {
    useEventLoop(undefined);
  }
  expect(arrivals.begin('a')).toBeUndefined();
  await arrivals.begin('a');
});
