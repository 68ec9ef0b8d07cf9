/** When objects that the service maintains are compared: at the start, unless that has just been done, and after changes. */
import { HandClock } from '../../support/hand-clock.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { ControllerWork } from '../../../src/controllers/work-left.ts';
import { ReconcileLoop } from '../../../src/server/reconcile-loop.ts';

const everyMs = 10_000;
const mostSettleMs = 500;

async function passTurns(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

function build() {
  const clock = new HandClock();
  let rounds = 0;
  const reconcile = (): Promise<void> => {
    rounds += 1;
    return Promise.resolve();
  };
  const loop = new ReconcileLoop({
    ...{ clock, random: systemRandom, what: 'objects', everyMs, logger: silentLogger, reconcile },
  });
  const pass = async (ms: number): Promise<number> => {
    await passTurns();
    clock.advance(ms);
    await passTurns();
    clock.advance(mostSettleMs);
    await passTurns();
    return rounds;
  };
  return { loop, pass };
}

test('a start compares at once', async () => {
  const { loop, pass } = build();
  const stop = loop.start();
  expect(await pass(0)).toBe(1);
  await stop();
});

test('a round is work that is left: the first of a start, and each behind it', async () => {
  const [clock, work] = [new HandClock(), new ControllerWork()];
  let round = Promise.withResolvers<undefined>();
  const loop = new ReconcileLoop({
    ...{ clock, random: systemRandom, what: 'objects', logger: silentLogger, work },
    reconcile: () => round.promise,
  });
  const stop = loop.start();
  const left = { queue: 'objects', key: 'all', dueInMs: 0 };
  expect([...work.left()]).toEqual([{ ...left, state: 'starting' }]);
  round.resolve(undefined);
  await passTurns();
  expect([...work.left()]).toEqual([]);
  round = Promise.withResolvers();
  loop.noteChange();
  await passTurns();
  clock.advance(mostSettleMs);
  await passTurns();
  expect([...work.left()]).toEqual([{ ...left, state: 'working' }]);
  round.resolve(undefined);
  await stop();
  expect([...work.left()]).toEqual([]);
});

test('where all is as it should be, the first comparison is after the interval', async () => {
  const { loop, pass } = build();
  const stop = loop.start(true);
  expect(await pass(0)).toBe(0);
  expect(await pass(everyMs)).toBe(1);
  await stop();
});

test.each(['before', 'after'])('a change that is noted %s the start is seen all the same', async (when) => {
  const { loop, pass } = build();
  if (when === 'before') loop.noteChange();
  const stop = loop.start(true);
  if (when === 'after') loop.noteChange();
  expect(await pass(0)).toBe(1);
  await stop();
});

test('one that has compared nothing yet stops', async () => {
  const { loop, pass } = build();
  await loop.start(true)();
  expect(await pass(everyMs)).toBe(0);
});
