/** A range in parts, so that each request of etcd is about a few keys. */
import type { KeyRange } from '../keys.ts';

/** The parts of `range` between the cuts that are in it, in order and without gaps; a cut behind a later one is left out. */
export function* spansOf(range: KeyRange, cuts: Iterable<Buffer>): Generator<KeyRange, KeyRange> {
  let from = range.key;
  for (const cut of cuts) {
    if (cut.compare(from) <= 0 || cut.compare(range.range_end) >= 0) continue;
    yield { key: from, range_end: cut };
    from = cut;
  }
  return { key: from, range_end: range.range_end };
}
