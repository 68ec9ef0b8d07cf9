/** Counts of several threads: totals, rows that are cleared, room that none takes for ever. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../src/base/clock.ts';
import { ownCounts, type Counts } from '../../../src/base/counts.ts';
import { FairBudget } from '../../../src/base/fair-budget.ts';
import { clearRow, countsMemory, sharedCounts } from '../../../src/base/shared-counts.ts';
import { SharedRoom } from '../../../src/base/shared-room.ts';
import { waitFor, within } from '../../support/wait-for.ts';

/** As threads of one process see them. */
function threads(count: number): { memory: SharedArrayBuffer; of: Counts[] } {
  const memory = countsMemory(count, 7n);
  return { memory, of: Array.from({ length: count }, (_none, row) => sharedCounts({ memory, row })) };
}

test('a total is of all threads, and what a thread had is gone with its row', () => {
  const { memory, of } = threads(3);
  const counts = of.map((each) => each.count('seats'));
  for (const [i, count] of counts.entries()) count.add(i + 1);
  of[0]?.count('others').add(50);
  expect(counts.map(({ own, total }) => [own, total])).toEqual([
    [1, 6],
    [2, 6],
    [3, 6],
  ]);
  clearRow({ memory, row: 1 });
  expect(counts.map(({ own, total }) => [own, total])).toEqual([
    [1, 4],
    [0, 4],
    [3, 4],
  ]);
});

test('amounts in units are given back as they were taken, and may be of many gigabytes', () => {
  const { of } = threads(2);
  const [one, other] = of.map((each) => each.count('bytes', 1024));
  one?.add(2 ** 36);
  other?.add(1);
  expect(one?.total).toBe(2 ** 36 + 1024);
  one?.add(-(2 ** 36));
  other?.add(-1);
  expect(other?.total).toBe(0);
});

test('amounts by key are never too low, and nearly always right', () => {
  const { of } = threads(2);
  const [one, other] = of.map((each) => each.keyed('by address'));
  const keys = Array.from({ length: 500 }, (_none, i) => `10.0.0.${String(i)}`);
  for (const key of keys) for (const each of [one, other]) each?.add(key, 2);
  const totals = keys.map((key) => one?.total(key) ?? 0);
  expect(Math.min(...totals)).toBe(4);
  expect(totals.filter((total) => total !== 4).length).toBeLessThan(50);
  for (const key of keys) for (const each of [one, other]) each?.add(key, -2);
  expect(keys.every((key) => one?.total(key) === 0)).toBe(true);
});

test('names beyond the columns are counted by each thread', () => {
  const [one, other] = threads(2).of;
  const names = Array.from({ length: 1_100 }, (_none, i) => `level ${String(i)}`);
  const all = names.map((name) => [one?.count(name), other?.count(name)] as const);
  for (const pair of all) pair[0]?.add(1);
  expect(all.filter(([, count]) => count?.total === 1)).toHaveLength(1_024);
  expect(all.every(([count]) => count?.total === 1)).toBe(true);
});

test('threads that take and give at once never have more than the limit, and none is left out', async () => {
  const memory = countsMemory(3, 7n);
  const held = new SharedArrayBuffer(4);
  const program = join(import.meta.dirname, '../../support/counting-thread.mjs');
  const workers = [0, 1, 2].map(
    (row) => new Worker(program, { workerData: { memory, row, held, limit: 4 } }),
  );
  try {
    const ends = workers.map((worker) => once(worker, 'message'));
    const found = (await within('the threads', 30_000, Promise.all(ends))).map(
      ([message]) => message as { readonly most: number; readonly hasAll: boolean },
    );
    expect(found.every(({ hasAll }) => hasAll)).toBe(true);
    expect(Math.max(...found.map(({ most }) => most))).toBeLessThanOrEqual(4);
    expect(sharedCounts({ memory, row: 0 }).count('room taken').total).toBe(0);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
});

test('a thread that waits gets its part of what another one keeps refilling', async () => {
  const [one, other] = threads(2).of as [Counts, Counts];
  const limit = 4;
  const busy = new SharedRoom({ counts: one, name: 'x', clock: systemClock, onLook: () => undefined });
  let granted = 0;
  const late: SharedRoom = new SharedRoom({
    ...{ counts: other, name: 'x', clock: systemClock },
    onLook: () => {
      while (granted < 2 && late.tryTake(1, limit)) granted += 1;
      late.setWaiting(2 - granted);
    },
  });
  for (let i = 0; i < limit; i += 1) expect(busy.tryTake(1, limit)).toBe(true);
  expect(late.tryTake(1, limit)).toBe(false);
  late.setWaiting(2);
  // What it frees it would take again at once, as something waits here, too.
  let refilled = 0;
  for (let i = 0; i < 2; i += 1) {
    busy.give(1);
    if (busy.tryTake(1, limit)) refilled += 1;
  }
  expect(refilled).toBe(0);
  await waitFor('the part of the other', () => granted === 2);
  expect([busy.own, late.own, late.taken]).toEqual([2, 2, 4]);
});

test('one that waits is granted when another thread ends', async () => {
  const { memory, of } = threads(2);
  const limits = { total: 4_096, perFlow: 4_096, maxWaiting: 10 };
  const [dead, alive] = of.map((counts) => new FairBudget({ ...limits, counts }, systemClock, 'b'));
  const holder = { onClose: () => undefined };
  expect(await dead?.take('a', 4_096, holder, 1_000)).toBeUndefined();
  const waiting = alive?.take('b', 4_096, holder, 60_000);
  expect(alive?.waiting).toBe(1);
  clearRow({ memory, row: 0 });
  expect(await within('the grant', 10_000, Promise.resolve(waiting))).toBeUndefined();
});

test('the limits of a flow and of all hold for all threads', async () => {
  const limits = { total: 8 * 1024, perFlow: 4 * 1024, maxWaiting: 0 };
  const budgets = threads(2).of.map((counts) => new FairBudget({ ...limits, counts }, systemClock, 'b'));
  const holder = { onClose: () => undefined };
  const [one, other] = budgets as [FairBudget, FairBudget];
  const take = (budget: FairBudget, flow: string): Promise<unknown> =>
    budget.take(flow, 3 * 1024, holder, 10);
  expect(await take(one, 'a')).toBeUndefined();
  expect(await take(other, 'a')).toBe('queueFull');
  expect(await take(other, 'b')).toBeUndefined();
  expect(await take(one, 'c')).toBe('queueFull');
  one.give('a', 3 * 1024);
  expect(await take(other, 'a')).toBeUndefined();
});

test('one thread alone waits for nobody', () => {
  const room = new SharedRoom({ counts: ownCounts, name: 'x', clock: systemClock, onLook: () => undefined });
  room.setWaiting(5);
  expect([room.tryTake(3, 4), room.tryTake(2, 4), room.tryTake(1, 4)]).toEqual([true, false, true]);
  room.give(4);
  // More than the limit has to be alone.
  expect([room.tryTake(9, 4), room.tryTake(1, 4), room.taken]).toEqual([true, false, 9]);
});
