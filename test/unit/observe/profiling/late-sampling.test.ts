/** A profiler that is hardly ever asked, as those of control planes for tests: it takes nothing of a start. */
import { Session } from 'node:inspector/promises';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../../../src/base/clock.ts';
import { Profiler } from '../../../../src/observe/profiling/profiler.ts';
import { readProfile } from './profile-form.ts';

test('allocations are sampled from the first heap profile on', async () => {
  const session = new Session();
  session.connect();
  const isSampling = (): Promise<boolean> =>
    session.post('HeapProfiler.getSamplingProfile').then(
      () => true,
      () => false,
    );
  const profiler = new Profiler(systemClock, false);
  expect(await isSampling()).toBe(false);
  expect(readProfile(gzipSync(await profiler.heap())).types).toEqual(['inuse_space/bytes']);
  expect(await isSampling()).toBe(true);
  profiler.close();
  await expect(profiler.heap()).rejects.toThrow('the profiler is closed');
  session.disconnect();
});
