/** Workers that start together: who listens when. */
import { ListenOrder } from '../../../src/workers/listen-order.ts';
import { HandClock } from '../../support/hand-clock.ts';

let clock: HandClock;
let order: ListenOrder;
let listening: number[];

beforeEach(() => {
  clock = new HandClock();
  order = new ListenOrder(clock, { info: () => undefined });
  listening = [];
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One has the state. */
async function loads(number: number): Promise<void> {
  void order.loaded(number).then(() => listening.push(number));
  await settled();
}

test('the first listens while it loads; the others once they and it have the state', async () => {
  expect([order.begin(1), order.begin(2), order.begin(3)]).toEqual([true, false, false]);
  await loads(2);
  expect(listening).toEqual([]);
  await loads(1);
  expect(listening.sort()).toEqual([1, 2]);
  await loads(3);
  expect(listening).toContain(3);
});

test('when the first ends before it has the state, the others listen', async () => {
  order.begin(1);
  order.begin(2);
  await loads(2);
  order.end(1);
  await settled();
  expect(listening).toEqual([2]);
  expect(order.begin(1)).toBe(false);
});

test('a first one that hangs is not waited for longer than half a minute', async () => {
  order.begin(1);
  order.begin(2);
  await loads(2);
  clock.advance(29_000);
  await settled();
  expect(listening).toEqual([]);
  clock.advance(1_000);
  await settled();
  expect(listening).toEqual([2]);
});

test('one that is replaced while it waits does not count as one that serves', async () => {
  order.begin(1);
  order.begin(2);
  await loads(2);
  order.end(2);
  order.begin(2);
  order.end(1);
  await settled();
  expect(order.begin(1)).toBe(true);
});

test('when all have ended, the next listens early again', async () => {
  order.begin(1);
  await loads(1);
  order.end(1);
  expect(order.begin(2)).toBe(true);
});
