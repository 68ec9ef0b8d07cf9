import { randomUUID } from 'node:crypto';
import { array, assert, constantFrom, oneof, property, string, tuple, uuid } from 'fast-check';
import { WideMap } from '../../../src/base/wide-map.ts';
import { cpuBudget, cpuMsOf, leastShare } from '../../support/cpu-time.ts';

test('is what a map is', () => {
  const key = oneof(constantFrom('', 'a', 'b', 'ab'), string(), uuid());
  const step = tuple(constantFrom('set', 'delete'), key);
  assert(
    property(array(step), (steps) => {
      const map = new Map<string, number>();
      const wide = new WideMap<number>();
      for (const [i, [what, at]] of steps.entries()) {
        if (what === 'delete') expect(wide.delete(at)).toBe(map.delete(at));
        else {
          map.set(at, i);
          wide.set(at, i);
        }
        expect([wide.size, wide.has(at), wide.get(at)]).toEqual([map.size, map.has(at), map.get(at)]);
      }
      expect(new Map(wide.entries())).toEqual(map);
      expect(new Set(wide.keys())).toEqual(new Set(map.keys()));
      expect(Array.from(wide.values()).sort()).toEqual(Array.from(map.values()).sort());
    }),
  );
});

test('is so, too, once it is wide', () => {
  const map = new Map<string, number>();
  const wide = new WideMap<number>();
  const put = (key: string, value: number): void => {
    map.set(key, value);
    wide.set(key, value);
  };
  for (let i = 0; i < 20_000; i += 1) put(`k${String(i)}`, i);
  for (let i = 0; i < 20_000; i += 3) put(`k${String(i)}`, -i);
  for (let i = 0; i < 30_000; i += 2)
    if (wide.delete(`k${String(i)}`) !== map.delete(`k${String(i)}`)) throw new Error(`k${String(i)}`);
  expect([wide.size, wide.has('k2'), wide.get('k3')]).toEqual([map.size, false, -3]);
  expect(new Map(wide.entries())).toEqual(map);
});

test('one of a few entries costs hardly more than a map: there are thousands', async () => {
  const makeMany = (): WideMap<number>[] =>
    Array.from({ length: 10_000 }, () => {
      const wide = new WideMap<number>();
      wide.set('a', 1);
      return wide;
    });
  expect(await leastShare(40, makeMany)).toBeLessThan(1);
});

test('entries may be taken out and put in while others go over them', () => {
  const wide = new WideMap<string>();
  for (let i = 0; i < 1_000; i += 1) wide.set(`k${String(i)}`, `k${String(i)}`);
  const seen = new Set<string>();
  for (const key of wide.values()) {
    seen.add(key);
    wide.delete(key);
    if (seen.size <= 500) wide.set(`new ${key}`, `new ${key}`);
  }
  expect(seen.size).toBeGreaterThanOrEqual(1_000);
  expect(Array.from(wide.values()).every((key) => key.startsWith('new '))).toBe(true);
});

/** Keys as those of a cluster are: random ones, and ones that are counted. */
const kinds = {
  'random UIDs': (): string => randomUUID(),
  'counted names': (i: number): string => `object-${String(i).padStart(7, '0')}`,
};

test.each(Object.entries(kinds))(
  'no step over a million entries is long: %s',
  (_kind, keyOf) => {
    const keys = Array.from({ length: 530_000 }, (_, i) => keyOf(i));
    const long = (): number => {
      const wide = new WideMap<number>();
      let longest = 0;
      const note = (step: () => void): void => {
        longest = Math.max(longest, cpuMsOf(step));
      };
      for (let at = 0; at < keys.length; at += 1_000)
        note(() => {
          for (const key of keys.slice(at, at + 1_000)) wide.set(key, at);
        });
      for (let at = 0; at < keys.length; at += 1_000)
        note(() => {
          for (const key of keys.slice(at, at + 1_000)) wide.delete(key);
        });
      return longest;
    };
    let least = Infinity;
    for (let round = 0; round < 4 && least >= cpuBudget(15); round += 1) least = Math.min(least, long());
    expect(least).toBeLessThan(cpuBudget(15));
  },
  60_000,
);
