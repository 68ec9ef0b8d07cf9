import { formatSeconds } from '../../../src/meta/time.ts';

test('times are formatted in seconds of UTC', () => {
  const told = (milliseconds: number): string => formatSeconds(new Date(milliseconds));
  expect([0, 999, 1000, -1, 0, 1_700_000_000_999].map(told)).toEqual([
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:01Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '2023-11-14T22:13:20Z',
  ]);
  expect(() => told(NaN)).toThrow(RangeError);
});
