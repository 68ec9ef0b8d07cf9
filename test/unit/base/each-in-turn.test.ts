import { SharedSlice } from '../../../src/base/cooperate.ts';
import { eachInTurn } from '../../../src/base/each-in-turn.ts';

/** Counts how often the clock is looked at. */
class CountingSlice extends SharedSlice {
  looks = 0;

  override shouldYield(): boolean {
    this.looks += 1;
    return false;
  }
}

const { signal } = new AbortController();
const items = Array.from({ length: 80 }, (_, i) => i);

test('the clock is looked at for every eighth item, and in front of the first', async () => {
  const slice = new CountingSlice();
  const handled: number[] = [];
  await eachInTurn(items, (item) => handled.push(item), { slice, signal });
  expect(handled).toEqual(items);
  expect(slice.looks).toBe(10);
});

test('it is looked at behind each large item', async () => {
  const slice = new CountingSlice();
  const bytesOf = (item: number): number => (item < 40 ? 100_000 : 10);
  await eachInTurn(items, () => undefined, { slice, signal, bytesOf });
  expect(slice.looks).toBe(45);
});
