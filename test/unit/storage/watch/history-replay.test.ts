import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import type { WatchListener } from '../../../../src/storage/etcd/client.ts';
import { EtcdError } from '../../../../src/storage/etcd/etcd-error.ts';
import { KeySpace } from '../../../../src/storage/keys.ts';
import { defaultTimes } from '../../../../src/storage/options.ts';
import { replayHistory, type ReplayDependencies } from '../../../../src/storage/watch/history-replay.ts';

/** A replay at an etcd that refuses each watch with the error, and how often it was tried. */
async function replayRefused(
  error: EtcdError,
): Promise<{ readonly end: unknown; readonly attempts: number }> {
  let attempts = 0;
  const client = {
    epoch: 0,
    watch: () => {
      attempts += 1;
      return Promise.reject(error);
    },
  };
  const parts = {
    ...{ client, keys: new KeySpace('/registry'), entries: {} },
    ...{ clock: systemClock, random: systemRandom, times: { ...defaultTimes, operation: 200 } },
  } as unknown as ReplayDependencies;
  const replay = replayHistory(parts, {
    ...{ collection: 'core/pods', after: 1, epoch: 0, signal: new AbortController().signal },
    ...{ isCaughtUp: () => false, onEvents: () => undefined, onUnreadable: () => undefined },
    ready: () => Promise.resolve(true),
  });
  const end = await replay.catch((failure: unknown) => failure);
  return { end, attempts };
}

test('a replay pauses between attempts at members that refuse at once', async () => {
  const { end, attempts } = await replayRefused(new EtcdError('notSent', 'left alone for a while'));
  expect(String(end)).toContain('left alone');
  // With pauses of 25 ms at least, that double.
  expect(attempts).toBeLessThan(10);
});

test('a replay ends at once when etcd holds corrupt data: no mark of its end can be written', async () => {
  const { end, attempts } = await replayRefused(new EtcdError('corrupt', 'etcd put: corrupt cluster'));
  expect(end).toMatchObject({ code: 'corrupt' });
  expect(attempts).toBe(1);
});

test('a replay that went on when etcd had become another one tells nothing of that', async () => {
  let attempts = 0;
  const told: number[] = [];
  const event = {
    type: 0,
    kv: {
      key: Buffer.from('/registry/core/pods/a/x'),
      value: Buffer.from('{}'),
      mod_revision: 5,
      create_revision: 5,
    },
  };
  const client = {
    // While the replay pauses, a call finds out that etcd was replaced.
    get epoch() {
      return attempts < 2 ? 0 : 1;
    },
    watch: (_request: unknown, listener: WatchListener) => {
      attempts += 1;
      if (attempts === 1) return Promise.reject(new EtcdError('notSent', 'left alone for a while'));
      setImmediate(() => listener.onResponse({ events: [event], compact_revision: 0 } as never));
      return Promise.resolve({ pause: () => undefined, resume: () => undefined, cancel: () => undefined });
    },
  };
  const parts = {
    client,
    ...{
      keys: new KeySpace('/registry'),
      entries: {
        prepare: () => Promise.resolve(),
        read: () => ({ bytes: Buffer.from('{}'), size: 2, text: { length: 2 } }),
      },
    },
    ...{ clock: systemClock, random: systemRandom, times: defaultTimes },
  } as unknown as ReplayDependencies;
  const replay = replayHistory(parts, {
    ...{ collection: 'core/pods', after: 1, epoch: 0, signal: new AbortController().signal },
    isCaughtUp: (position) => position >= 5,
    onEvents: (_events, until) => void told.push(until),
    ...{ onUnreadable: () => undefined, ready: () => Promise.resolve(true) },
  });
  await expect(replay).rejects.toMatchObject({ code: 'compacted' });
  expect(told).toEqual([]);
});
