/** Following a collection while the view is loaded again and again. */
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import { followCollection } from '../../../src/storage/follow-collection.ts';
import { createEtcdStorage } from '../../../src/storage/storage.ts';
import { json, noMetrics, pods, recordingLogger } from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Pauses end at once. */
const hurried: Clock = { ...systemClock, setTimeout: (callback) => systemClock.setTimeout(callback, 0) };

test('a state is taken before the next one is given, though the watch has ended meanwhile', async () => {
  const etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  const storage = await createEtcdStorage({
    ...{ endpoints: ['http://etcd:2379'], connectLine: etcd.connectLine },
    ...{ logger: recordingLogger(), metrics: noMetrics },
  });
  await storage.ready();
  const { revision } = await storage.create(pods, 'ns/gone', json(1));
  const told: string[] = [];
  const taken = Promise.withResolvers<undefined>();
  const stopping = new AbortController();
  const listener = {
    onState: async ({ size }: { size: number }) => {
      told.push(`state of ${String(size)}`);
      if (told.length === 1) await taken.promise;
      told.push(`taken ${String(size)}`);
    },
    onEvents: (events: readonly { key: string }[]): void => void told.push(...events.map(({ key }) => key)),
    onBreak: ({ code }: { code: string }): void => void told.push(code),
  };
  followCollection({ random: systemRandom, clock: hurried, storage }, pods, listener, stopping.signal);
  await waitFor('the first state', () => told.length === 1);
  // Another etcd ends the watch while much of its state is still to be taken.
  etcd.restore(etcd.snapshot());
  await waitFor('the end of the watch', () => told.includes('compacted'));
  await waitFor('another load', () => storage.stats().state === 'following');
  await storage.delete(pods, 'ns/gone', revision);
  // Time enough for another watch.
  for (let i = 0; i < 20; i += 1) await storage.get(pods, 'ns/gone', { kind: 'mostRecent' }, stopping.signal);
  taken.resolve(undefined);
  await waitFor('the second state', () => told.includes('taken 0'));
  expect(told).toEqual(['state of 1', 'compacted', 'taken 1', 'state of 0', 'taken 0']);
  stopping.abort();
  await storage.close();
  etcd.close();
});

test('a listener that fails at events later is given the state again', async () => {
  const etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  const storage = await createEtcdStorage({
    ...{ endpoints: ['http://etcd:2379'], connectLine: etcd.connectLine },
    ...{ logger: recordingLogger(), metrics: noMetrics },
  });
  await storage.ready();
  const told: string[] = [];
  const stopping = new AbortController();
  const listener = {
    onState: ({ size }: { size: number }): void => void told.push(`state of ${String(size)}`),
    onEvents: () => Promise.reject(new Error('cannot be read')),
    onBreak: ({ code }: { code: string }): void => void told.push(code),
  };
  followCollection({ random: systemRandom, clock: hurried, storage }, pods, listener, stopping.signal);
  await waitFor('the first state', () => told.length === 1);
  await storage.create(pods, 'ns/a', json(1));
  await waitFor('the second state', () => told.length === 3);
  expect(told).toEqual(['state of 0', 'watcherFailed', 'state of 1']);
  stopping.abort();
  await storage.close();
  etcd.close();
});
