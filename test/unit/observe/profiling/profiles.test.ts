/** Profiles at /debug/pprof/: what they say of the program, who may read them, and how long they last. */
import { systemClock } from '../../../../src/base/clock.ts';
import { Profiler } from '../../../../src/observe/profiling/profiler.ts';
import { profilingRoutes } from '../../../../src/http/plain/profiling-routes.ts';
import { openRoom, type HttpRoom } from '../../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../../support/temp-folder.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { readProfile, totalOf } from './profile-form.ts';

let folder: TempFolder;
let room: HttpRoom;
let profiler: Profiler;
let begun = 0;
/** Not the name of the function, which V8 may have put into its caller. */
const thisFile = /\/profiles\.test\.ts$/;

beforeAll(async () => {
  folder = await makeTempFolder('profiles');
  profiler = new Profiler(systemClock);
  const counted: Pick<Profiler, 'cpu' | 'heap'> = {
    cpu: (ms, signal) => {
      begun += 1;
      return profiler.cpu(ms, signal);
    },
    heap: () => profiler.heap(),
  };
  room = await openRoom(folder.path, { plainRoutes: profilingRoutes(counted), requestTimeoutMs: 10_000 });
});
afterAll(async () => {
  await room.close();
  profiler.close();
  await folder.remove();
});

function spendProcessorTime(): number {
  let sum = 0;
  for (const end = performance.now() + 20; performance.now() < end;) sum += Math.sqrt(sum + 1);
  return sum;
}

function allocateMuch(): object[] {
  return Array.from({ length: 400_000 }, (_, i) => ({ i, text: [i, i, i, i] }));
}

test('processor time: where it is spent', async () => {
  const before = Date.now();
  let isDone = false;
  const asking = room.ask('/debug/pprof/profile?seconds=1').finally(() => (isDone = true));
  await waitFor('the profile', () => {
    spendProcessorTime();
    return isDone;
  });
  const answer = await asking;
  expect([answer.code, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
    200,
    'application/octet-stream',
    'attachment; filename="profile"',
  ]);
  const profile = readProfile(answer.bytes);
  expect([profile.types, profile.isSymbolized]).toEqual([['samples/count', 'cpu/nanoseconds'], true]);
  expect(profile.startedAt).toBeGreaterThanOrEqual(before - 1);
  expect(profile.durationMs).toBeGreaterThanOrEqual(1_000);
  expect(totalOf(profile, thisFile)).toBeGreaterThan(0);
  const names = profile.samples.flatMap(({ stack }) => stack.map(({ name }) => name));
  expect(names).not.toContain('(root)');
  expect(names).not.toContain('(idle)');
});

test('memory: where what is in use was allocated', async () => {
  const kept = allocateMuch();
  const profile = readProfile((await room.ask('/debug/pprof/heap')).bytes);
  expect(profile.types).toEqual(['inuse_space/bytes']);
  // About 40 MB by about 80 samples.
  expect(totalOf(profile, thisFile)).toBeGreaterThan(8_000_000);
  expect(kept).toHaveLength(400_000);
});

test('a profiler that ends leaves the profiles of others of the process alone', async () => {
  new Profiler(systemClock).close();
  expect((await room.ask('/debug/pprof/heap')).code).toBe(200);
});

test('one of processor time at a time; one whose client has gone makes room', async () => {
  const before = begun;
  const first = room.raw('GET /debug/pprof/profile?seconds=6 HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor('the first to begin', () => begun > before);
  const again = () => room.ask('/debug/pprof/profile?seconds=1');
  const refused = await again();
  expect(refused.json()).toMatchObject({ code: 429, message: expect.stringMatching(/profile/) as string });
  first.destroy();
  await waitFor('a profile', async () => (await again()).code === 200);
});

test.each(['0', '-1', 'x', '1.5', '9', '99999', '%00'])('seconds=%s is 400', async (seconds) => {
  const answer = await room.ask(`/debug/pprof/profile?seconds=${seconds}`);
  expect([answer.code, answer.json()['message']]).toEqual([
    400,
    expect.stringMatching(/^seconds must be a number from 1 to [78], before the request times out$/),
  ]);
});

test('the index, also by a redirect; other names are 404, other methods 405', async () => {
  const index = await room.ask('/debug/pprof/');
  expect([index.code, index.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(index.text).toContain('href="heap"');
  const redirect = await room.ask('/debug/pprof');
  expect([redirect.code, redirect.headers.location]).toEqual([302, '/debug/pprof/']);
  expect((await room.ask('/debug/pprof/goroutine')).code).toBe(404);
  expect((await room.ask('/debug/pprof/heap', { method: 'POST' })).code).toBe(405);
  expect(JSON.stringify((await room.ask('/')).json())).not.toContain('pprof');
});
