/** Watches that look through a long past and find little: nobody makes them wait, so they must give way themselves. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision, StoredEvent } from '../../../src/storage/types.ts';
import { forever, json, longestTurn, pods, Recorder, startStorage } from './support.ts';

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

/** How long all takes is a matter of the machine; how long a turn takes is not. */
function allRead(readers: readonly Reader[]): Promise<unknown> {
  const isRead = (): boolean => readers.every(({ count }) => count >= past);
  return waitFor('all to be read', isRead, { timeout: 60_000 });
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
  expect(await longestTurn(allRead(openReaders(storage, start)))).toBeLessThan(80);
  expect(storage.stats().replays).toBe(0);
  const other = await startStorage(cluster.endpoints);
  expect(await longestTurn(allRead(openReaders(other, start)))).toBeLessThan(80);
  expect(other.stats().replays).toBeGreaterThan(0);
  await Promise.all([storage.close(), other.close()]);
}, 180_000);
