/** Of the codings that a client accepts, the first are looked at. */
import { acceptsGzip } from '../../../src/http/sliced-stream.ts';

const accepts = (codings: readonly string[]): boolean => acceptsGzip({ header: () => codings.join(', ') });
const others = (length: number): string[] => Array.from({ length }, (_, i) => `coding-${String(i)}`);

test.each([
  [0, true],
  [63, true],
  [64, false],
  [2_500, false],
])('gzip behind %i others', (before, expected) => {
  expect(accepts([...others(before), 'gzip;q=0.5'])).toBe(expected);
});

test('gzip that is not wanted', () => {
  expect(accepts(['gzip;q=0', ...others(2_500)])).toBe(false);
});

test('no more codings than that are matched', () => {
  const match = jest.spyOn(RegExp.prototype, 'test');
  try {
    accepts(others(2_500));
    expect(match.mock.calls.length).toBeLessThanOrEqual(64);
  } finally {
    match.mockRestore();
  }
});
