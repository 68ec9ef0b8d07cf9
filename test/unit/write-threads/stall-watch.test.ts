/** When a silent thread counts as stalled. */
import { StallWatch } from '../../../src/write-threads/stall-watch.ts';

const [everyMs, patienceMs] = [1_000, 20_000];

/** Looks until a thread counts as stalled whose process gets so much of a processor; a sign of life after so many looks. */
function looksUntilStalled(share: number, signAfter = 0): number {
  let used = 5_000;
  const watch = new StallWatch(everyMs, () => used);
  for (let looks = 1; looks <= 1_000; looks += 1) {
    if (watch.look(patienceMs)) return looks - 1;
    if (looks === signAfter) watch.heard();
    used += share * everyMs;
  }
  return Infinity;
}

test('one that takes a processor is stalled when the patience is over', () => {
  expect(looksUntilStalled(1)).toBe(21);
  expect(looksUntilStalled(2)).toBe(21);
});

test('one whose process gets little of a processor has more time, but not for ever', () => {
  for (const share of [0, 0.1, 0.4]) expect(looksUntilStalled(share)).toBe(61);
});

test('after a sign of life both are counted anew', () => {
  expect(looksUntilStalled(1, 15)).toBe(15 + 21);
  expect(looksUntilStalled(0, 50)).toBe(50 + 61);
});
