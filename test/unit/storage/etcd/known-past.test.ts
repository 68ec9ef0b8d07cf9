/** Answers of etcd against the past that is followed. */
import { KnownPast } from '../../../../src/storage/etcd/known-past.ts';

let reasons: string[];
let past: KnownPast;
beforeEach(() => {
  reasons = [];
  past = new KnownPast((why) => reasons.push(why));
  past.follow(7);
});

const header = (revision: number, cluster_id = 7) => ({ cluster_id, revision });

test('a linearizable answer older than what was known when the call was sent is of another past', () => {
  const early = past.sentNow();
  past.take(header(10), past.sentNow(), true);
  // Sent before 10 was known, and only late.
  past.take(header(9), early, true);
  expect(() => past.take(header(9), past.sentNow(), true)).toThrow('went back from revision 10 to 9');
  expect([past.epoch, reasons]).toEqual([1, ['etcd went back from revision 10 to 9']]);
  past.take(header(3), past.sentNow(), true);
});

test('what only a member knows may be older', () => {
  past.take(header(10), past.sentNow(), true);
  past.take(header(9), past.sentNow(), false);
  expect(past.epoch).toBe(0);
});

test('another cluster is another past; what was sent before is of no past', () => {
  const sent = past.sentNow();
  expect([past.isOf(header(1)), past.isOf(header(1, 8))]).toEqual([true, false]);
  past.follow(7);
  expect(past.epoch).toBe(0);
  past.follow(8);
  expect(reasons).toEqual(['etcd is another cluster: 8 instead of 7']);
  expect(() => past.take(header(99, 8), sent, true)).toThrow('another past than when this call was sent');
});
