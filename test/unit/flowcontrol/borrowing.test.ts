/** Levels lend seats that they do not need, and get them back. */
import fc from 'fast-check';
import { claimOf, divideSeats, smoothed, type SeatClaim } from '../../../src/flowcontrol/borrowing.ts';
import type { Flow } from '../../../src/flowcontrol/flow-schema.ts';
import type { Seat } from '../../../src/flowcontrol/seat.ts';
import { SeatDemand } from '../../../src/flowcontrol/seat-demand.ts';
import {
  everythingOf,
  level,
  makeFlows,
  request,
  schema,
  user,
  userSubject,
  type TestFlows,
} from '../../support/flow-control.ts';

const info = request('GET /api/v1/pods');
const queuing = { queues: 8, handSize: 1, queueLengthLimit: 200 };

test('the demand of a period weighs each value by how long it lasted', () => {
  const demand = new SeatDemand(1_000);
  demand.set(10, 1_000);
  demand.set(2, 4_000);
  demand.set(2, 5_000);
  expect(demand.take(11_000)).toEqual({ average: 4.4, deviation: Math.sqrt(32.8 - 4.4 ** 2), high: 10 });
  // The next period begins with what there is.
  expect(demand.take(11_000)).toMatchObject({ average: 2, high: 2 });
  expect(demand.take(21_000)).toEqual({ average: 2, deviation: 0, high: 2 });
});

test('the smoothed demand rises at once and falls slowly', () => {
  const figures = (average: number) => ({ average, deviation: 0, high: average });
  expect(smoothed(1, figures(50))).toBe(50);
  const next = smoothed(50, figures(0));
  expect(next).toBeGreaterThan(45);
  expect(next).toBeLessThan(50);
});

const claims = fc.array(
  fc
    .record({
      nominal: fc.integer({ min: 0, max: 500 }),
      lent: fc.double({ min: 0, max: 1, noNaN: true }),
      more: fc.integer({ min: 0, max: 1_000 }),
      high: fc.integer({ min: 0, max: 2_000 }),
      smooth: fc.double({ min: 0, max: 2_000, noNaN: true }),
    })
    .map(({ nominal, lent, more, high, smooth }): SeatClaim => {
      const lower = nominal - Math.round(nominal * lent);
      return claimOf({ nominal, lower, upper: nominal + more }, high, smooth);
    }),
  { minLength: 1, maxLength: 20 },
);

test('each gets what it must and may have, and all together what there is', () => {
  fc.assert(
    fc.property(claims, fc.integer({ min: 0, max: 5_000 }), (asked, total) => {
      const { seats } = divideSeats(total, asked);
      const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
      for (const [index, { limits }] of asked.entries()) {
        expect(seats[index]).toBeGreaterThanOrEqual(limits.lower - 1e-6);
        expect(seats[index]).toBeLessThanOrEqual(limits.upper + 1e-6);
      }
      const [lower, upper] = [sum(asked.map((c) => c.limits.lower)), sum(asked.map((c) => c.limits.upper))];
      expect(sum(seats)).toBeCloseTo(Math.min(Math.max(total, lower), upper), 3);
    }),
  );
});

test('the same need gets the same seats, more need no fewer', () => {
  const limits = { nominal: 10, lower: 0, upper: 100 };
  const { seats } = divideSeats(
    60,
    [40, 40, 5].map((smooth) => claimOf(limits, 40, smooth)),
  );
  expect(seats[0]).toBeCloseTo(seats[1] ?? 0);
  expect(seats[0]).toBeGreaterThan(seats[2] ?? 0);
});

describe('two levels of 50 seats', () => {
  function two(lends: object, borrows = true): TestFlows & { readonly ann: Flow; readonly bob: Flow } {
    const flows = makeFlows(100, undefined, borrows);
    void flows.configuration.use({
      levels: [level('ann', 1_000_000, queuing), level('bob', 1_000_000, queuing, lends)],
      schemas: ['ann', 'bob'].map((name, i) => schema(name, name, i + 5, everythingOf(userSubject(name)))),
    });
    const flowOf = (name: string): Flow => flows.configuration.flowOf(user(name), info);
    return { ...flows, ann: flowOf('ann'), bob: flowOf('bob') };
  }

  /** Requests of a flow, of which those that find no seat wait. */
  function ask(flow: Flow, name: string, count: number): Seat[] {
    return Array.from({ length: count }, () => {
      const seat = flow.seat('readOnly');
      if (!flow.level.enter(seat)) void flow.wait(seat, { user: user(name), info }, 600_000);
      return seat;
    });
  }

  const taken = (seats: readonly Seat[]): number => seats.filter(({ isTaken }) => isTaken).length;

  function adjust({ clock, configuration }: TestFlows): void {
    clock.time += 10_000;
    void configuration.adjust();
  }

  test('a busy one borrows what an idle one lends, which gets it back when it needs it', async () => {
    const flows = two({ lendablePercent: 80 });
    const busy = ask(flows.ann, 'ann', 150);
    expect(taken(busy)).toBe(50);
    adjust(flows);
    expect(taken(busy)).toBeGreaterThanOrEqual(88);
    expect(taken(busy)).toBeLessThanOrEqual(91);
    expect(await flows.metrics.text()).toMatch(/current_limit_seats\{priority_level="bob"\} 1\d\n/);
    const own = ask(flows.bob, 'bob', 60);
    expect(taken(own)).toBeGreaterThanOrEqual(9);
    expect(taken(own)).toBeLessThanOrEqual(11);
    adjust(flows);
    // Its own seats are its own as soon as the period says that it needs them.
    expect(taken(own)).toBeGreaterThanOrEqual(49);
    for (const seat of [...busy, ...own]) (busy.includes(seat) ? flows.ann : flows.bob).level.leave(seat);
    expect([flows.ann.level.isIdle, flows.bob.level.isIdle]).toEqual([true, true]);
  });

  test('a limit of borrowing holds, and what is not lendable is not lent', () => {
    const flows = two({});
    const busy = ask(flows.ann, 'ann', 150);
    adjust(flows);
    expect(taken(busy)).toBeLessThanOrEqual(52);
    const limited = two({ borrowingLimitPercent: 0 });
    const waiting = ask(limited.bob, 'bob', 150);
    adjust(limited);
    expect(taken(waiting)).toBe(50);
  });

  test('who has lent everything still serves one request', () => {
    const flows = two({ lendablePercent: 100 });
    ask(flows.ann, 'ann', 200);
    adjust(flows);
    expect(taken(ask(flows.bob, 'bob', 1))).toBe(1);
  });

  test('a change of objects leaves lent seats where they are until they are divided by the new limits', () => {
    const flows = two({ lendablePercent: 80 });
    const busy = ask(flows.ann, 'ann', 150);
    adjust(flows);
    const before = taken(busy);
    const sources = (percent: number) => ({
      levels: [
        level('ann', 1_000_000, queuing),
        level('bob', 1_000_000, queuing, { lendablePercent: percent }),
      ],
      schemas: [schema('ann', 'ann', 5, everythingOf(userSubject('ann')))],
    });
    void flows.configuration.use(sources(80));
    busy
      .filter(({ isTaken }) => isTaken)
      .slice(0, 10)
      .forEach((seat) => flows.ann.level.leave(seat));
    expect(taken(busy)).toBe(before);
    void flows.configuration.use(sources(10));
    adjust(flows);
    busy
      .filter(({ isTaken }) => isTaken)
      .slice(0, 10)
      .forEach((seat) => flows.ann.level.leave(seat));
    expect(taken(busy)).toBe(before - 10);
  });

  test('before release 1.26 nothing is lent', () => {
    const flows = two({ lendablePercent: 80 }, false);
    const busy = ask(flows.ann, 'ann', 150);
    adjust(flows);
    expect(taken(busy)).toBe(50);
  });
});
