/** A thread that has nothing to do any more gives back what its garbage takes; the engine would keep it. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const mebibyte = 2 ** 20;

interface Heap {
  readonly before: number;
  readonly after: number;
  readonly grown: number;
  readonly last: number;
}

test('garbage is collected where that is worth it', async () => {
  const thread = new Worker(new URL('../../support/idle-thread.mjs', import.meta.url));
  const [{ before, after, grown, last }] = (await once(thread, 'message')) as [Heap];
  await thread.terminate();
  expect(before).toBeGreaterThan(150 * mebibyte);
  expect(after).toBeLessThan(before - 100 * mebibyte);
  expect(last).toBe(grown);
});
