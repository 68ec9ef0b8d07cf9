/** What a request that needs many places in a lane leaves behind, by count. */
import { getEventListeners } from 'node:events';
import { WriteLane, type LaneParts, type Requester } from '../../../src/write-threads/write-lane.ts';
import type { Entry } from '../../../src/storage/types.ts';
import type { FormOrder } from '../../../src/http/representation/large-forms.ts';

const limits = {
  ...{ total: 4, heldBytes: 1_000, maxWaiting: 10, maxWaitMs: 1_000, maxResumeMs: 1_000 },
  ...{ heapMegabytes: 1, idleMs: 1_000 },
};

test('a place that was taken leaves no listener with its request', async () => {
  const { signal } = new AbortController();
  const over = new Error('the request is over');
  // It has its place by then, and no thread is started for it.
  signal.throwIfAborted = () => {
    throw over;
  };
  const lane = new WriteLane(
    {} as LaneParts,
    limits as unknown as ConstructorParameters<typeof WriteLane>[1],
  );
  const scope = { signal, user: { name: 'jane' } } as unknown as Requester;
  const entry = { size: 10 } as unknown as Entry;
  for (let time = 0; time < 20; time += 1)
    await expect(lane.make({} as FormOrder, entry, scope)).rejects.toBe(over);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
