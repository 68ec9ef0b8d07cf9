/** Steps over large values: about one in a turn of the event loop. */
import { turnFor } from '../../../src/base/cooperate.ts';
import { countedTurns } from '../../support/counted-turns.ts';

const turns = countedTurns();
const large = 100_000;

async function step(): Promise<void> {
  await turnFor(large);
  turns.step(6);
}

test('those that come together take a turn each', async () => {
  await Promise.all(Array.from({ length: 5 }, step));
  expect(turns.most()).toBe(1);
});

test('those that come together take a turn each, too, where the last step was a short one', async () => {
  await turnFor(large);
  turns.step(0);
  await new Promise(setImmediate);
  await Promise.all(Array.from({ length: 5 }, step));
  expect(turns.most()).toBe(1);
});

test('small values do not wait', () => {
  expect(turnFor(1_000)).toBeUndefined();
});
