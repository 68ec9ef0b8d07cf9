import { ageOf, humanDuration } from '../../../../src/api/columns/human-duration.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

test.each([
  [-2 * s, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [119 * s, '119s'],
  [2 * m, '2m'],
  [5 * m + 3 * s, '5m3s'],
  [10 * m + 3 * s, '10m'],
  [179 * m, '179m'],
  [3 * h, '3h'],
  [5 * h + 20 * m, '5h20m'],
  [8 * h + 20 * m, '8h'],
  [47 * h, '47h'],
  [2 * d, '2d'],
  [3 * d + 4 * h, '3d4h'],
  [8 * d + 4 * h, '8d'],
  [700 * d, '700d'],
  [2 * 365 * d, '2y'],
  [3 * 365 * d + 20 * d, '3y20d'],
  [9 * 365 * d, '9y'],
])('%d ms is %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test('age of what was never made', () => {
  expect(ageOf(null)).toBe('<unknown>');
  expect(ageOf(undefined)).toBe('<unknown>');
});
