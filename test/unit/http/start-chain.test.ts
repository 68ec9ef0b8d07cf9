/** Requests that come while the state is loaded. */
import { retryAfterSeconds } from '../../../src/http/start-chain.ts';

test.each([
  [0, 1],
  [900, 1],
  [1_001, 2],
  [3_500, 4],
  [60_000, 5],
])('%d ms after the begin of a load, a client is asked to try again after %d s', (ms, seconds) => {
  expect(retryAfterSeconds(ms)).toBe(seconds);
});
