/** Validators accept right histories, whatever happens in them. */
import fc from 'fast-check';

import { validate } from '../../../support/histories/validate.ts';
import { TrueHistory } from './true-history.ts';

test('no validator finds fault with a right history', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: 600 }), (seed, steps) => {
      const { history, truth } = new TrueHistory(seed).run(steps);
      expect(validate(history, truth)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('they have all kinds of records', () => {
  const { history, truth } = new TrueHistory(7).run(4_000);
  const { gets, lists, writes, watches } = history;
  const outcomes = new Set(
    writes.map(({ outcome }) => (outcome.kind === 'refused' ? outcome.reason : outcome.kind)),
  );
  expect(outcomes).toEqual(new Set(['done', 'unknown', 'exists', 'notFound', 'conflict']));
  expect(new Set(gets.map(({ freshness }) => freshness.kind)).size).toBe(4);
  expect(new Set(lists.map(({ pages }) => Math.min(3, pages.length)))).toEqual(new Set([1, 2, 3]));
  expect(new Set(watches.flatMap(({ events }) => events.map(({ type }) => type))).size).toBe(4);
  expect(watches.some(({ continues }) => continues !== undefined)).toBe(true);
  expect(truth.pasts[0]?.commits.some(({ changes }) => changes.length > 1)).toBe(true);
});
