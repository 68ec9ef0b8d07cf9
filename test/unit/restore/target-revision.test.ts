import { targetRevision } from '../../../src/restore/target-revision.ts';

const now = new Date('2026-11-23T00:00:00Z');

test('it is beyond whatever an etcd could have reached by now, and grows faster than any etcd', () => {
  const first = targetRevision(now, [5]);
  expect(first).toBe((now.getTime() / 1000) * 100_000);
  const aDayLater = targetRevision(new Date(now.getTime() + 86_400_000), [5]);
  const servedMeanwhile = 86_400 * 50_000;
  expect(aDayLater).toBeGreaterThan(first + servedMeanwhile);
});

test('revisions that are known count with a margin, whatever the clock says', () => {
  expect(targetRevision(new Date(0), [7, 3_000, 20])).toBe(1_000_003_000);
});

test('numbers that clients cannot count to are refused', () => {
  expect(() => targetRevision(now, [Number.MAX_SAFE_INTEGER])).toThrow(RangeError);
});
