/** Signals that are aborted when time is up. */
import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { timeLimit } from '../../../src/base/time-limit.ts';
import { cpuMsOf, leastShare } from '../../support/cpu-time.ts';
import { HandClock } from '../../support/hand-clock.ts';

test('is aborted as AbortSignal.timeout does, when its time is up', () => {
  const clock = new HandClock();
  using limit = timeLimit(clock, 10);
  using later = timeLimit(clock, 10, new AbortController().signal);
  expect([limit.signal.aborted, later.signal.aborted]).toEqual([false, false]);
  clock.advance(9);
  expect([limit.signal.aborted, later.signal.aborted]).toEqual([false, false]);
  clock.advance(1);
  expect([limit.signal.aborted, later.signal.aborted]).toEqual([true, true]);
  expect((limit.signal.reason as Error).name).toBe('TimeoutError');
  expect((later.signal.reason as Error).name).toBe('TimeoutError');
});

test('is aborted by another signal with its reason, and leaves no timer when it is over', () => {
  const clock = new HandClock();
  const other = new AbortController();
  {
    using limit = timeLimit(clock, 10, other.signal);
    expect(clock.timers).toBe(1);
    other.abort('enough');
    expect(limit.signal.reason).toBe('enough');
  }
  expect(clock.timers).toBe(0);
});

test('many that end leave nothing at the signal that they shared, and cost little when they are collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const clock = new HandClock();
  const { signal } = new AbortController();
  collect();
  // Of what other tests left in the heap.
  const heapMs = cpuMsOf(collect);
  const share = await leastShare(300 + heapMs, async () => {
    for (let i = 0; i < 60_000; i += 1) timeLimit(clock, 10, signal)[Symbol.dispose]();
    collect();
    await setTimeout(20);
  });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(share).toBeLessThan(1);
});
