/** What the serving thread answers a write thread that waits for it. */
import {
  StorageError,
  type CollectionSnapshot,
  type Entry,
  type Storage,
  type WatchSubscriber,
} from '../../../src/storage/types.ts';
import { Mirror } from '../../../src/write-threads/mirror.ts';
import { StorageService } from '../../../src/write-threads/storage-service.ts';
import type { SentPage, ToThread } from '../../../src/write-threads/thread-messages.ts';

function entry(n: number, bytes: number): Entry {
  const key = String(n).padStart(4, '0');
  return { collection: 'c', key, modRevision: n, bytes: Buffer.alloc(bytes), memo: undefined };
}

function serviceOver(all: readonly Entry[]): StorageService {
  const entries = (prefix: string, after: string): Entry[] =>
    all.filter(({ key }) => key.startsWith(prefix) && key > after);
  const view = { entries } as Partial<CollectionSnapshot> as CollectionSnapshot;
  const storage = { view: () => view } as Partial<Storage> as Storage;
  return new StorageService(storage, () => undefined, new AbortController().signal);
}

function pagesOf(service: StorageService, limit: number): SentPage[] {
  const pages: SentPage[] = [];
  for (let left = limit, after = ''; ;) {
    const page = service.answerNow({ method: 'page', args: ['c', '', after, left] }) as SentPage;
    pages.push(page);
    if (page.isLast) return pages;
    left -= page.entries.length;
    after = page.entries.at(-1)?.key ?? after;
  }
}

test('a page of many megabytes is answered in parts', () => {
  const all = Array.from({ length: 100 }, (_, n) => entry(n, 50_000));
  const pages = pagesOf(serviceOver(all), Infinity);
  expect(pages.flatMap(({ entries }) => entries.map(({ key }) => key))).toEqual(all.map(({ key }) => key));
  const sizes = pages.map(({ entries }) => entries.reduce((sum, { bytes }) => sum + bytes.length, 0));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(350_000);
});

test('a page has as many as were asked for, and one that is large is sent alone', () => {
  const service = serviceOver([0, 1, 2, 3, 4].map((n) => entry(n, 1_000_000)));
  const pages = pagesOf(service, 3);
  expect(pages.map(({ entries }) => entries.length)).toEqual([1, 1, 1]);
  expect(pagesOf(serviceOver([]), 500)).toEqual([{ entries: [], isLast: true }]);
});

test('what cannot be read of a collection is told with its state, and to who asks', async () => {
  const problem = new StorageError('unreadable', 'c/a cannot be read');
  const view = { entries: () => [], revision: 1, unreadableIn: () => problem } as Partial<CollectionSnapshot>;
  const snapshot = view as CollectionSnapshot;
  const watch: Storage['watch'] = (_options, subscriber) => {
    subscriber.onInitial(snapshot);
    return { close: () => undefined };
  };
  const told = Promise.withResolvers<CollectionSnapshot>();
  const hear = { onEstablished: () => undefined, onInitial: told.resolve } as Partial<WatchSubscriber>;
  const mirror = new Mirror('c', hear as WatchSubscriber, undefined, () => undefined);
  const send = (message: ToThread): void => {
    if (message.kind === 'state') mirror.hear(message);
  };
  const storage = { view: () => snapshot, watch } as Partial<Storage> as Storage;
  const service = new StorageService(storage, send, new AbortController().signal);
  service.watch(1, 'c');
  expect((await told.promise).unreadableIn?.('')).toEqual(problem);
  expect(service.answerNow({ method: 'unreadable', args: ['c', ''] })).toMatchObject({ code: 'unreadable' });
});
