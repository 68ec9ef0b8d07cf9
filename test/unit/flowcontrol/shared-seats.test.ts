/** Threads of a process: its levels have their seats once, whichever thread has the requests. */
import { systemClock } from '../../../src/base/clock.ts';
import { clearRow, countsMemory, sharedCounts } from '../../../src/base/shared-counts.ts';
import { bootstrapSources } from '../../../src/flowcontrol/bootstrap-configuration.ts';
import { FlowConfiguration } from '../../../src/flowcontrol/flow-configuration.ts';
import type { Flow } from '../../../src/flowcontrol/flow-schema.ts';
import type { Seat } from '../../../src/flowcontrol/seat.ts';
import { createFlowControlMetrics } from '../../../src/observe/flow-control-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { everythingOf, level, objects, request, schema, user } from '../../support/flow-control.ts';
import { within } from '../../support/wait-for.ts';

const info = request('GET /api/v1/pods');
const all = everythingOf({ kind: 'User', user: { name: '*' } });
const seats = 6;

/** Threads whose requests all are of one level. */
function threads(count: number, queuing?: object): { memory: SharedArrayBuffer; flows: readonly Flow[] } {
  const memory = countsMemory(count, 7n);
  const flows = Array.from({ length: count }, (_none, row) => {
    const configuration = new FlowConfiguration({
      serverSeats: 1_000,
      fallback: bootstrapSources(objects.filter(({ isMandatory }) => isMandatory)),
      ...{ catchAll: 'catch-all', headerPrefix: 'X-', seed: 'seed', clock: systemClock },
      metrics: createFlowControlMetrics(new Metrics()),
      counts: sharedCounts({ memory, row }),
    });
    const levels = [level('own', seats, queuing), level('catch-all', 1_000 - seats)];
    void configuration.use({ levels, schemas: [schema('own', 'own', 5, all)] });
    return configuration.flowOf(user('ann'), info);
  });
  return { memory, flows };
}

/** Enters at once, as often as it is let. */
function enterAll(flow: Flow): Seat[] {
  const taken: Seat[] = [];
  for (let seat = flow.seat('readOnly'); flow.level.enter(seat); seat = flow.seat('readOnly'))
    taken.push(seat);
  return taken;
}

test('no more seats are taken by all together than the level has', () => {
  const { flows } = threads(3);
  const [first, second] = flows as [Flow, Flow];
  const taken = enterAll(first);
  expect(taken).toHaveLength(seats);
  for (const flow of flows) {
    expect(flow.level.isFull).toBe(true);
    expect(enterAll(flow)).toEqual([]);
  }
  first.level.leave(taken[0] as Seat);
  expect(enterAll(second)).toHaveLength(1);
  expect([first.level.takenSeats, second.level.takenSeats]).toEqual([seats - 1, 1]);
});

test('the seats of a thread that has ended are free', () => {
  const { memory, flows } = threads(2);
  const [dead, alive] = flows as [Flow, Flow];
  expect(enterAll(dead)).toHaveLength(seats);
  expect(enterAll(alive)).toEqual([]);
  clearRow({ memory, row: 0 });
  expect(enterAll(alive)).toHaveLength(seats);
});

test('requests that wait get seats that another thread leaves, though it has more that wait', async () => {
  const { flows } = threads(2, { queues: 8, handSize: 2, queueLengthLimit: 1_000 });
  const [busy, late] = flows as [Flow, Flow];
  const taken = enterAll(busy);
  expect(taken).toHaveLength(seats);
  const wait = (flow: Flow): { readonly seat: Seat; readonly granted: Promise<unknown> } => {
    const seat = flow.seat('readOnly');
    expect(flow.level.enter(seat)).toBe(false);
    return { seat, granted: flow.wait(seat, { user: user('ann'), info }, 60_000) };
  };
  const behind = Array.from({ length: 20 }, () => wait(busy));
  const others = [wait(late), wait(late)];
  for (const seat of taken) busy.level.leave(seat);
  // The other thread's requests go on for ever; its part of the seats is not theirs.
  const granted = within('seats', 10_000, Promise.all(others.map((one) => one.granted)));
  expect(await granted).toEqual([undefined, undefined]);
  expect(busy.level.takenSeats + late.level.takenSeats).toBeLessThanOrEqual(seats);
  expect(late.level.takenSeats).toBe(2);
  for (const { seat } of [...behind, ...others])
    (others.some((one) => one.seat === seat) ? late : busy).level.leave(seat);
  await Promise.all(behind.map((one) => one.granted));
  expect([busy.level.isIdle, late.level.isIdle]).toEqual([true, true]);
});
