/** Watches that look through a long past and find little: nobody makes them wait, so they must give way themselves. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision, StoredEvent } from '../../../src/storage/types.ts';
import { forever, json, pods, Recorder, startStorage } from '../../support/storage.ts';

const past = 3_000;
const watches = 20;
const microsecondsPerEvent = 50;

/** Takes as long for each event as one that reads a field of an object does. */
class Reader extends Recorder {
  count = 0;

  override onEvents(events: readonly StoredEvent[]): void {
    this.count += events.length;
    const end = performance.now() + (events.length * microsecondsPerEvent) / 1_000;
    while (performance.now() < end);
  }
}

function openReaders(storage: EtcdStorage, revision: Revision): Reader[] {
  return Array.from({ length: watches }, () => {
    const reader = new Reader();
    const start = { kind: 'after', revision } as const;
    storage.watch({ collection: pods, prefix: '', signal: forever, start }, reader);
    return reader;
  });
}

/**
 * The most milliseconds of reading between two turns of the event loop until all is read. Counted in events: neither what
 * the machine gives to others nor a collection of garbage is a watch that does not give way.
 */
async function longestTurn(readers: readonly Reader[]): Promise<number> {
  const read = (): number => readers.reduce((sum, { count }) => sum + count, 0);
  let most = 0;
  let isOver = false;
  const areDone = (): boolean => readers.every(({ count }) => count >= past);
  const all = waitFor('all to be read', areDone, { timeout: 60_000 }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = read();
    await nextTurn();
    most = Math.max(most, read() - before);
  }
  await all;
  return (most * microsecondsPerEvent) / 1_000;
}

test('a past in memory and a past in etcd are read in short turns', async () => {
  await using cluster = await startEtcdCluster({ how: 'process' });
  const storage = await startStorage(cluster.endpoints);
  const start = storage.revision();
  let next = 0;
  const write = async (): Promise<void> => {
    while ((next += 1) <= past) await storage.create(pods, `p${String(next)}`, json(next));
  };
  await Promise.all(Array.from({ length: 32 }, write));
  await waitFor('the view to hold all', () => storage.stats().ringEvents === past);
  expect(await longestTurn(openReaders(storage, start))).toBeLessThan(80);
  expect(storage.stats().replays).toBe(0);
  const other = await startStorage(cluster.endpoints);
  expect(await longestTurn(openReaders(other, start))).toBeLessThan(80);
  expect(other.stats().replays).toBeGreaterThan(0);
  await Promise.all([storage.close(), other.close()]);
}, 180_000);
