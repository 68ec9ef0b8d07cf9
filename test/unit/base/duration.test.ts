import { parseDurationMs } from '../../../src/base/duration.ts';

const cases: [string, number | undefined][] = [
  ['0', 0],
  ['0s', 0],
  ['10s', 10_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1m0s', 60_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['250ms', 250],
  ['1500us', 1.5],
  ['2µs', 0.002],
  ['', undefined],
  ['10', undefined],
  ['s', undefined],
  ['-1s', -1000],
  ['+1s', 1000],
  ['9999999h', undefined],
  ['1 s', undefined],
  ['1d', undefined],
  ['1s2', undefined],
  ['.s', undefined],
];

test.each(cases)('%p is %p ms', (text, want) => {
  const found = parseDurationMs(text);
  if (want === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(want, 9);
});
