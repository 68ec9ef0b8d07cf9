import { LRUCache } from 'lru-cache';
import { atMost } from '../../../src/base/at-most.ts';

test('a cache of so many entries drops the one that was used longest ago', () => {
  const cache = new LRUCache<string, number>(atMost(2));
  cache.set('first', 1).set('second', 2).get('first');
  cache.set('third', 3);
  expect([...cache.keys()].sort()).toEqual(['first', 'third']);
});

test('it takes no room before there are entries', () => {
  const bytes = (): number => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  const before = bytes();
  const caches = Array.from({ length: 20 }, () => new LRUCache<string, number>(atMost(100_000)));
  // With `max`, these take 100 MB.
  expect(bytes() - before).toBeLessThan(20_000_000);
  expect(caches.every(({ size }) => size === 0)).toBe(true);
});
