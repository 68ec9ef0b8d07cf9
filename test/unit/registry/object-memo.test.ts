/** What is made of stored objects: once for each revision, and of large ones in slices. */
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { DecodeError } from '../../../src/codec/decode-error.ts';
import { ObjectMemo } from '../../../src/registry/object-memo.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';

afterEach(() => useEventLoop(undefined));

function accountOf(references: number): Entry {
  const secrets = Array.from({ length: references }, (_, i) => ({ name: `secret-${String(i)}` }));
  const text = JSON.stringify({ kind: 'ServiceAccount', metadata: { name: 'a' }, secrets });
  return newEntry('core/serviceaccounts', 'n/a', Buffer.from(text), 7);
}

/** The number of its references, and how often that was made. */
function countingMemo(): { readonly memo: ObjectMemo<number>; readonly made: () => number } {
  let made = 0;
  const memo = new ObjectMemo((object) => {
    made += 1;
    return (object['secrets'] as unknown[]).length;
  });
  return { memo, made: () => made };
}

test('a small object is read at once, and once', () => {
  const { memo, made } = countingMemo();
  const entry = accountOf(3);
  expect([memo.peek(entry), memo.read(entry), memo.now(entry), made()]).toEqual([3, 3, 3, 1]);
});

test('a large object is read in several turns, once for all who ask, and is known from then on', async () => {
  // A millisecond goes by with each look at the time.
  let [looks, inTurn, most] = [0, 0, 0];
  const now = (): number => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += 1;
    most = Math.max(most, inTurn);
    return (looks += 1);
  };
  useEventLoop({ now, nextTurn: (callback) => void setImmediate(callback) });
  const { memo, made } = countingMemo();
  const entry = accountOf(30_000);
  expect(memo.peek(entry)).toBeUndefined();
  const asked = Promise.all(Array.from({ length: 8 }, async () => memo.read(entry)));
  expect([memo.peek(entry), made()]).toEqual([undefined, 0]);
  expect(await asked).toEqual(Array.from({ length: 8 }, () => 30_000));
  expect([memo.peek(entry), memo.read(entry), made()]).toEqual([30_000, 30_000, 1]);
  expect(looks).toBeGreaterThan(40);
  expect(most).toBeLessThan(16);
});

test('what cannot be read is an error each time', async () => {
  const { memo } = countingMemo();
  const entry = newEntry('core/secrets', 'n/a', Buffer.from(`{"a":"${'x'.repeat(100_000)}`), 7);
  for (let i = 0; i < 2; i += 1) await expect(memo.read(entry)).rejects.toBeInstanceOf(DecodeError);
  expect(memo.peek(entry)).toBeUndefined();
});
