/** What is sent to a write thread: small entries as copies, large ones in memory that both threads have. */
import { Pack } from '../../../src/codec/pack.ts';
import { StoredEntry } from '../../../src/storage/view/stored-entry.ts';
import { memoryOf, receivedEntry, sentEntry } from '../../../src/write-threads/transfer.ts';

function entryOf(bytes: Buffer): StoredEntry {
  return new StoredEntry({ collection: 'core/configmaps', key: 'a/b', modRevision: 7, bytes, mark: 3 });
}

/** As the other thread gets it. */
function received(entry: StoredEntry) {
  const sent = sentEntry(entry);
  return receivedEntry(structuredClone(sent, { transfer: memoryOf(sent) as ArrayBuffer[] }));
}

test.each([1, 1_000, 16 * 1024 - 1, 16 * 1024, 100_000])('%i bytes arrive as they are', (length) => {
  const bytes = Buffer.alloc(length, 'ab');
  const entry = entryOf(Buffer.from(bytes));
  for (let times = 0; times < 2; times += 1) {
    const { bytes: text, ...rest } = received(entry);
    expect(text.equals(bytes)).toBe(true);
    expect(rest).toMatchObject({
      collection: 'core/configmaps',
      key: 'a/b',
      modRevision: 7,
      mark: 3,
      size: length,
    });
  }
  expect(entry.bytes.equals(bytes)).toBe(true);
});

test('a large text is in memory once, however many threads have it', () => {
  const entry = entryOf(Buffer.alloc(100_000, 'a'));
  const [one, two] = [received(entry), received(entry)];
  entry.bytes[5] = 98;
  expect([one.bytes[5], two.bytes[5]]).toEqual([98, 98]);
});

test('a text that lists keep as an item is copied', () => {
  const entry = entryOf(Buffer.alloc(100_000, 'a'));
  const memory = Buffer.alloc(100_001, 'a');
  entry.keepItem(new Pack({ memory, head: Buffer.alloc(0), ends: Uint32Array.of(100_000) }), 0);
  expect(entry.shared()).toBeUndefined();
});
