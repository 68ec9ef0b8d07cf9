/** When a process counts as silent. */
import { systemClock } from '../../../src/base/clock.ts';
import { SilenceWatch } from '../../../src/workers/silence-watch.ts';
import { HandClock } from '../../support/hand-clock.ts';

const ms = 400;

test('one that gives signs of life is left alone, one that gives none is told of once', () => {
  const clock = new HandClock();
  let silences = 0;
  const watch = new SilenceWatch(clock, ms, () => (silences += 1));
  for (let times = 0; times < 60; times += 1) {
    clock.advance(ms / 2);
    watch.heard();
  }
  expect(silences).toBe(0);
  clock.advance(ms - 1);
  expect(silences).toBe(0);
  clock.advance(10 * ms);
  expect(silences).toBe(1);
});

test('the time for which this process stood still is not the silence of the other', async () => {
  let silences = 0;
  const watch = new SilenceWatch(systemClock, ms, () => (silences += 1));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * ms);
  // The look that is overdue comes first, and then what the other said meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise(setImmediate);
  expect(silences).toBe(0);
  watch.stop();
});
