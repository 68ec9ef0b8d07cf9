/** What earlier states of many collections retain is bounded for all together. */
import { PastStates } from '../../../../src/storage/view/past-states.ts';
import { StateTree } from '../../../../src/storage/view/state-tree.ts';
import { trimPastStates } from '../../../../src/storage/view/trim-past-states.ts';

const megabyte = 1024 * 1024;
const limits = { maxPastStates: 64, maxPastStateBytes: 32 * megabyte, maxAgeMs: 60_000 };

class Collection {
  readonly pastStates = new PastStates(limits);
  churn = 0;

  /** Lists it and replaces so much of it, again and again. */
  constructor(rounds: number, bytes: number) {
    for (let revision = 1; revision <= rounds; revision += 1) {
      const state = { tree: new StateTree(), from: revision, to: revision, ownBytes: 0, churn: this.churn };
      this.pastStates.keep(state, revision);
      this.churn += bytes;
    }
  }

  get bytes(): number {
    return this.pastStates.bytesAt(this.churn);
  }

  has(revision: number): boolean {
    return this.pastStates.find(revision, '') !== undefined;
  }
}

const sum = (collections: readonly Collection[]): number =>
  collections.reduce((bytes, collection) => bytes + collection.bytes, 0);
const progress = { now: 100, compactedAt: 0 };

test('of many busy ones; the newest states of each stay', () => {
  const collections = Array.from({ length: 100 }, () => new Collection(40, 0.5 * megabyte));
  expect(sum(collections)).toBe(2_000 * megabyte);
  trimPastStates(collections, progress);
  expect(sum(collections)).toBeLessThanOrEqual(256 * megabyte);
  expect(sum(collections)).toBeGreaterThan(200 * megabyte);
  expect(collections.every((collection) => collection.has(40) && !collection.has(1))).toBe(true);
});

test('a quiet one keeps what it has, and one of few busy ones its own limit', () => {
  const quiet = new Collection(3, 1_000);
  const few = [quiet, ...Array.from({ length: 8 }, () => new Collection(40, 0.75 * megabyte))];
  trimPastStates(few, progress);
  expect([quiet.bytes, few[1]?.bytes]).toEqual([3_000, 30 * megabyte]);
  const many = [quiet, ...Array.from({ length: 50 }, () => new Collection(40, 0.5 * megabyte))];
  trimPastStates(many, progress);
  expect(quiet.bytes).toBe(3_000);
  expect(sum(many)).toBeLessThanOrEqual(256 * megabyte);
});

test('those that are too old go in any case', () => {
  const collection = new Collection(3, 1_000);
  trimPastStates([collection], { now: limits.maxAgeMs + 3, compactedAt: 0 });
  expect(collection.pastStates.size).toBe(1);
  trimPastStates([collection], { now: 100, compactedAt: 4 });
  expect(collection.pastStates.size).toBe(0);
});
