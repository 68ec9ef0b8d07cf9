import { atOnce } from '../../../src/base/sliced-work.ts';
import { byCodeUnits } from '../../../src/base/by-code-units.ts';
import { sortedInSteps } from '../../../src/base/sorted-in-steps.ts';

const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String((i * 7_919) % 10_007));

test.each([0, 1, 2, 255, 256, 257, 511, 769, 10_000])('%i texts are in the order of sort', (count) => {
  expect(atOnce(sortedInSteps(texts(count), byCodeUnits))).toEqual(texts(count).sort());
});

test('equal items keep their order, and the list that was given stays as it is', () => {
  const given = texts(2_000).map((text, i) => ({ text: text.slice(0, 1), i }));
  const before = [...given];
  const compare = (a: { text: string }, b: { text: string }): number => byCodeUnits(a.text, b.text);
  expect(atOnce(sortedInSteps(given, compare))).toEqual([...given].sort(compare));
  expect(given).toEqual(before);
});
