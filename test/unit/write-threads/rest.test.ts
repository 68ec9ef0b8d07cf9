/** A write thread without work, as the serving thread sees it. */
import type { FormOrder } from '../../../src/http/representation/large-forms.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { WriteThread, type ThreadParts } from '../../../src/write-threads/write-thread.ts';
import { waitFor } from '../../support/wait-for.ts';

test('each time that it has nothing to do for a while it is asked once to give back memory', async () => {
  const rests = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const parts = {
    program: new URL('../../support/resting-thread.mjs', import.meta.url),
    ...{ config: { rests }, credentials: {}, storage: {}, logger: silentLogger },
    limits: { maxMegabytes: 64, stallMs: 60_000, restMs: 0, idleMs: 3_600_000 },
    onGone: () => undefined,
  } as unknown as ThreadParts;
  const thread = new WriteThread(parts);
  const entry = newEntry('core/pods', 'x/a', Buffer.from('{}'), 1);
  const place = { pause: () => undefined, resume: () => undefined };
  const work = (): Promise<Buffer> =>
    thread.make({} as FormOrder, entry, { signal: new AbortController().signal, place });
  try {
    for (let time = 1; time <= 2; time += 1) {
      expect(await work()).toHaveLength(1);
      expect(Atomics.load(rests, 0)).toBe(time - 1);
      await waitFor('its rest', () => Atomics.load(rests, 0) >= time);
    }
  } finally {
    await thread.close();
  }
});
