/** What a request that needs many places in a lane leaves behind, by count; and a thread that the system does not give. */
import { getEventListeners } from 'node:events';
import { WriteLane, type LaneParts, type Requester } from '../../../src/write-threads/write-lane.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import type { Entry } from '../../../src/storage/types.ts';
import type { FormOrder } from '../../../src/http/representation/large-forms.ts';

const limitsOfTest = {
  ...{ total: 4, heldBytes: 1_000, maxWaiting: 10, maxWaitMs: 1_000, maxResumeMs: 1_000 },
  ...{ heapMegabytes: 1, idleMs: 1_000 },
};
const limits = limitsOfTest as unknown as ConstructorParameters<typeof WriteLane>[1];

test('a place that was taken leaves no listener with its request', async () => {
  const { signal } = new AbortController();
  const over = new Error('the request is over');
  // It has its place by then, and no thread is started for it.
  signal.throwIfAborted = () => {
    throw over;
  };
  const lane = new WriteLane({} as LaneParts, limits);
  const scope = { signal, user: { name: 'jane' } } as unknown as Requester;
  const entry = { size: 10 } as unknown as Entry;
  for (let time = 0; time < 20; time += 1)
    await expect(lane.make({} as FormOrder, entry, scope)).rejects.toBe(over);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('where no thread can be made a client is told to try again, and each that comes later has a thread made for it', async () => {
  const logged: string[] = [];
  const parts = {
    // Node makes no thread for it, and throws, as it does where the system has none left.
    program: 'no-path',
    copies: [],
    logger: { ...silentLogger, error: (message: string) => logged.push(message) },
  };
  const lane = new WriteLane(parts as unknown as LaneParts, limits);
  const scope = { signal: new AbortController().signal, user: { name: 'jane' } } as unknown as Requester;
  const entry = { size: 10 } as unknown as Entry;
  // More than there are places: none is kept.
  for (let time = 1; time <= 6; time += 1) {
    const made = lane.make({} as FormOrder, entry, scope);
    await expect(made).rejects.toMatchObject({ status: { code: 503, details: { retryAfterSeconds: 1 } } });
    expect(logged).toHaveLength(time);
  }
  expect(lane.isRunning).toBe(false);
  await lane.close();
});
