/** Writes of objects that expire, while etcd becomes another one. */
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { MemoryEtcd } from '../../../../src/memory-etcd/memory-etcd.ts';
import type { ConnectLine } from '../../../../src/storage/etcd/etcd-line.ts';
import { createEtcdStorage } from '../../../../src/storage/storage.ts';
import { json, noMetrics, recordingLogger } from '../../../support/storage.ts';
import { waitFor } from '../../../support/wait-for.ts';

const events = 'core/events';

test('until the state of another etcd is loaded, they are refused as other writes are', async () => {
  const etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  let mayLoad = Promise.resolve();
  const connectLine: ConnectLine = async (url, timeoutMs) => {
    const line = await etcd.connectLine(url, timeoutMs);
    return {
      get isUp() {
        return line.isUp;
      },
      useToken: (token) => line.useToken(token),
      stream: (...request) => line.stream(...request),
      close: (graceMs) => line.close(graceMs),
      call: async (method, ...rest) => {
        if (method.path.endsWith('/Range')) await mayLoad;
        return line.call(method, ...rest);
      },
    };
  };
  const storage = await createEtcdStorage({
    ...{ endpoints: ['http://etcd:2379'], connectLine },
    ...{ logger: recordingLogger(), metrics: noMetrics },
    expiry: { collections: new Set([events]), ttlSeconds: 3_600, leaseReuseSeconds: 60 },
  });
  await storage.ready();
  await storage.create(events, 'ns/first', json(1));
  const gate = Promise.withResolvers<undefined>();
  mayLoad = gate.promise.then(() => undefined);
  etcd.restore(etcd.snapshot());
  await waitFor('another load', () => storage.stats().state === 'loading');
  await expect(storage.create(events, 'ns/second', json(1))).rejects.toMatchObject({ code: 'unavailable' });
  gate.resolve(undefined);
  await waitFor('the state', () => storage.stats().state === 'following');
  await storage.create(events, 'ns/third', json(1));
  await storage.close();
  etcd.close();
});
