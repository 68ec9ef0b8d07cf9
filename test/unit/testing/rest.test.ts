/** Waiting for controllers: what goes on in turns of the event loop is not waited for by timers. */
import { laterTurn } from '../../../src/base/cooperate.ts';
import type { WorkLeft } from '../../../src/controllers/work-left.ts';
import { Rest } from '../../../src/testing/host/rest.ts';

const work: WorkLeft = { queue: 'controllers', key: 'one', state: 'working', dueInMs: 0 };
/** In two milliseconds there are hundreds. */
const few = 60;

/** Work that is over after some turns of the event loop. */
function workFor(turns: number): { readonly rest: Rest; readonly reads: () => number } {
  let [left, reads] = [[work], 0];
  const end = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await laterTurn();
    left = [];
  };
  if (Number.isFinite(turns)) void end();
  const rest = new Rest({
    activity: () => 0,
    undelivered: () => 0,
    left: () => left,
    lookNow: () => undefined,
    caughtUp: () => {
      reads += 1;
      return laterTurn();
    },
  });
  return { rest, reads: () => reads };
}

/** How many turns the event loop makes until then. */
async function turnsOf(wait: Promise<unknown>): Promise<number> {
  let [isOver, turns] = [false, 0];
  const over = wait.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await laterTurn();
    turns += 1;
  }
  await over;
  return turns;
}

test('work that is over after twenty turns is waited for as long, and then looked at again', async () => {
  const { rest, reads } = workFor(20);
  expect(await turnsOf(rest.workDone(10_000))).toBeLessThan(few);
  // What controllers have written meanwhile has to be seen, too.
  expect(reads()).toBe(2);
});

test('work that takes longer is waited for by timers, and in vain no longer than it may take', async () => {
  const { rest, reads } = workFor(Infinity);
  expect(await rest.workDone(20)).toBe(false);
  expect(reads()).toBeGreaterThan(1);
});

test('nothing to do is waited for a few turns', async () => {
  const { rest, reads } = workFor(0);
  await laterTurn();
  expect(await turnsOf(rest.workDone(10_000))).toBeLessThan(few);
  expect(reads()).toBe(1);
});
