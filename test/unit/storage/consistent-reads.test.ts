/** Reads that wait until the view has caught up do not all go on in the turn in which it has. */
import { systemClock } from '../../../src/base/clock.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import { ConsistentReads, type ConsistentReadsDependencies } from '../../../src/storage/consistent-reads.ts';
import { countedTurns } from '../../support/counted-turns.ts';

const turns = countedTurns();
/** Milliseconds that a read takes here once it goes on. */
const readMs = 0.1;

function readsOf(reached: Promise<undefined>): ConsistentReads {
  return new ConsistentReads({
    newest: { fences: 0, ask: () => Promise.resolve({ revision: 7, epoch: 0 }), reach: () => reached },
    ...{ clock: systemClock, metrics: {} },
  } as unknown as ConsistentReadsDependencies);
}

test.each([
  ['a few go on at once', 20, 20],
  ['of many, some at once and a slice in a turn', 600, 32 + 3 / readMs + 2],
])('%s', async (_what, count, most) => {
  const reached = Promise.withResolvers<undefined>();
  const reads = readsOf(reached.promise);
  const done: number[] = [];
  const all = Array.from({ length: count }, async (_none, i) => {
    await reads.mostRecent();
    turns.step(readMs);
    done.push(i);
  });
  // By then all have the answer of etcd, of which a few are told in a turn.
  for (let turn = 0; turn < count; turn += 1) await laterTurn();
  reached.resolve(undefined);
  await Promise.all(all);
  expect(reads.counters.probes).toBe(1);
  expect(done).toEqual(Array.from({ length: count }, (_none, i) => i));
  expect(turns.most()).toBeLessThanOrEqual(most);
});
