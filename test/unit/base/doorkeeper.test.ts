import fc from 'fast-check';

import { Doorkeeper } from '../../../src/base/doorkeeper.ts';

test('what comes a second time is let in', () => {
  const door = new Doorkeeper<string>(10);
  expect(door.admits('a', 1)).toBe(false);
  expect(door.admits('b', 1)).toBe(false);
  expect(door.admits('a', 1)).toBe(true);
  expect(door.admits('a', 1)).toBe(true);
});

test('what goes round in a circle larger than twice the limit is never let in', () => {
  const door = new Doorkeeper<number>(100);
  for (let i = 0; i < 5_000; i += 1) expect(door.admits(i % 250, 1)).toBe(false);
});

test('a key is known until more than the limit has passed in others', () => {
  const limit = 30;
  const arrival = fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 9 }));
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 200 }), (arrivals) => {
      const door = new Doorkeeper<number>(limit);
      const came: (readonly [number, number])[] = [];
      for (const [key, weight] of arrivals) {
        const last = came.findLastIndex(([other]) => other === key);
        const passed = came.slice(last + 1).reduce((sum, [, other]) => sum + other, 0);
        const isKnown = door.admits(key, weight);
        if (last < 0) expect(isKnown).toBe(false);
        else if (passed <= limit) expect(isKnown).toBe(true);
        came.push([key, weight]);
      }
    }),
  );
});
