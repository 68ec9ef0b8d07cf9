/** The room for what a write thread copies: it grows with what is stored, up to a limit. */
import { expect, test } from '@jest/globals';
import type { Entry } from '../../../src/storage/types.ts';
import { copiedMegabytes } from '../../../src/write-threads/copied-state.ts';

const megabyte = 1024 * 1024;

/** A storage whose one collection has that many entries of a megabyte each, and how many of them were looked at. */
function storageOf(megabytes: number) {
  let looked = 0;
  const entry = { size: megabyte, bytes: Buffer.alloc(0) } as unknown as Entry;
  function* entries(): Iterable<Entry> {
    for (; looked < megabytes; looked++) yield entry;
  }
  const storage = { view: () => ({ entries }) } as unknown as Parameters<typeof copiedMegabytes>[0];
  return { storage, looked: () => looked };
}

test('the heap has twelve bytes for each that is stored', async () => {
  expect(await copiedMegabytes(storageOf(3).storage, ['bindings'])).toBe(36);
});

test('it has 1,536 MB at most, and what is stored beyond that is not counted', async () => {
  const many = storageOf(10_000);
  expect(await copiedMegabytes(many.storage, ['bindings', 'definitions'])).toBe(1_536);
  expect(many.looked()).toBeLessThanOrEqual(128);
  expect(await copiedMegabytes(storageOf(127).storage, ['bindings'])).toBe(1_524);
});
