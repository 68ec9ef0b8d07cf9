import fc from 'fast-check';
import { dealHand, flowHash } from '../../../src/flowcontrol/shuffle-shard.ts';

/** Sizes that validation lets through: fewer than 2^60 hands. */
const sizes = fc
  .tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 6 }))
  .filter(([queues, handSize]) => handSize <= queues && handSize * Math.log2(queues) < 60);
const value = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test('a hand has as many different queues as it should, the same ones every time', () => {
  fc.assert(
    fc.property(sizes, value, ([queues, handSize], v) => {
      const hand = dealHand(v, queues, handSize);
      expect(new Set(hand).size).toBe(handSize);
      expect(hand.every((card) => card >= 0 && card < queues)).toBe(true);
      expect(dealHand(v, queues, handSize)).toEqual(hand);
    }),
  );
});

test('every hand is dealt, each as often as any other', () => {
  const [queues, handSize, rounds] = [7, 3, 10];
  const hands = 7 * 6 * 5;
  const seen = new Map<string, number>();
  for (let v = 0n; v < hands * rounds; v++) {
    const key = dealHand(v, queues, handSize).join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  expect(seen.size).toBe(hands);
  expect(new Set(seen.values())).toEqual(new Set([rounds]));
});

test('a whole set of queues can be dealt', () => {
  expect(dealHand(123_456_789n, 12, 12).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, i) => i),
  );
});

test('against one heavy flow hardly any other flow has its whole hand taken', () => {
  const taken = new Set(dealHand(flowHash('seed', 'schema', 'noisy'), 128, 6));
  let blocked = 0;
  for (let i = 0; i < 10_000; i++) {
    const hand = dealHand(flowHash('seed', 'schema', `user-${String(i)}`), 128, 6);
    if (hand.every((card) => taken.has(card))) blocked += 1;
  }
  expect(blocked).toBe(0);
});

test('the value tells seeds, schemas and distinguishers apart', () => {
  const values = [
    flowHash('a', 'x', 'y'),
    flowHash('b', 'x', 'y'),
    flowHash('a', 'xy', ''),
    flowHash('a', '', 'xy'),
    flowHash('a', 'y', 'x'),
  ];
  expect(new Set(values).size).toBe(values.length);
});
