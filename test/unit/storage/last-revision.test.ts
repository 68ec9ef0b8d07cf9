/** A resumed stream against the events that were seen last. */
import type { EtcdEvent } from '../../../src/storage/etcd/message-types.ts';
import { LastRevision } from '../../../src/storage/last-revision.ts';

function event(key: string, revision: number, value = 'v', type = 0): EtcdEvent {
  const kv = {
    ...{ key: Buffer.from(key), value: Buffer.from(value) },
    ...{ create_revision: 1, mod_revision: revision, version: 1 },
  };
  return { type, kv, prev_kv: undefined };
}

let last: LastRevision;
beforeEach(() => {
  last = new LastRevision();
  last.note([event('a', 4), event('a', 5), event('b', 5)]);
  last.expectAgain();
});

const again = [event('a', 5), event('b', 5)];

test.each<[string, readonly EtcdEvent[], boolean]>([
  ['the same', again, true],
  ['the same, and newer ones', [...again, event('c', 6)], true],
  ['the same twice', [...again, ...again], true],
  ['another value', [event('a', 5), event('b', 5, 'w')], false],
  ['a deletion instead', [event('a', 5), event('b', 5, 'v', 1)], false],
  ['one of them', [event('a', 5)], false],
  ['one more', [...again, event('c', 5)], false],
  ['only newer ones', [event('c', 6)], false],
])('it begins with %s', (_, events, isSame) => {
  expect(last.isContinuedBy(events, 5)).toBe(isSame);
  // Only the beginning of a stream tells.
  expect(last.isContinuedBy([event('c', 9)], 5)).toBe(true);
});

test('nothing is compared after a load, or if the stream begins elsewhere', () => {
  expect(last.isContinuedBy([event('c', 9)], 8)).toBe(true);
  last.expectAgain();
  last.forget();
  last.expectAgain();
  expect(last.isContinuedBy([event('c', 9)], 5)).toBe(true);
});
