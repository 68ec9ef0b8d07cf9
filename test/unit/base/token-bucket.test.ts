import fc from 'fast-check';
import { TokenBucket } from '../../../src/base/token-bucket.ts';

test('a burst at once, then as many as time brings', () => {
  let now = 0;
  const bucket = new TokenBucket({ qps: 2, burst: 3 }, { monotonic: () => now });
  const taken = (): number => [1, 2, 3, 4, 5].filter(() => bucket.tryTake()).length;
  expect(taken()).toBe(3);
  now += 499;
  expect(taken()).toBe(0);
  now += 1;
  expect(taken()).toBe(1);
  now += 60_000;
  expect(taken()).toBe(3);
});

test('never more tokens than the burst and the refill', () => {
  const rates = fc.record({ qps: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 20 }) });
  const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(rates, pauses, (rate, steps) => {
      let now = 0;
      const bucket = new TokenBucket(rate, { monotonic: () => now });
      let taken = 0;
      for (const step of steps) {
        now += step;
        if (bucket.tryTake()) taken += 1;
        // Sums of fractions may be a little off.
        expect(taken).toBeLessThanOrEqual(rate.burst + (now / 1_000) * rate.qps + 1e-6);
      }
    }),
  );
});
