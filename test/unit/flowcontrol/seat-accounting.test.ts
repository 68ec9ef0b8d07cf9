/** Requests that take several seats: none is forgotten, and no level gives more seats than it has. */
import fc from 'fast-check';
import { FlowConfiguration } from '../../../src/flowcontrol/flow-configuration.ts';
import type { Flow } from '../../../src/flowcontrol/flow-schema.ts';
import type { Seat } from '../../../src/flowcontrol/seat.ts';
import type { WorkEstimate } from '../../../src/flowcontrol/work-estimate.ts';
import {
  createDemandMetrics,
  createFlowControlMetrics,
  createSeatMetrics,
} from '../../../src/observe/flow-control-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { bootstrapSources } from '../../../src/flowcontrol/bootstrap-configuration.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { everythingOf, level, objects, request, schema, user } from '../../support/flow-control.ts';

const info = request('GET /api/v1/pods');
const all = everythingOf({ kind: 'User', user: { name: '*' } });
const queuing = { queues: 8, handSize: 2, queueLengthLimit: 1_000 };

/** A level of its own with these seats, and every request in it. */
function levelOf(seats: number, shape: object | 'none' = queuing) {
  const metrics = new Metrics();
  const clock = new HandClock();
  const configuration = new FlowConfiguration({
    serverSeats: 100_000,
    fallback: bootstrapSources(objects.filter(({ isMandatory }) => isMandatory)),
    ...{ catchAll: 'catch-all', headerPrefix: 'X-', seed: 'seed', clock },
    metrics: {
      ...createFlowControlMetrics(metrics),
      ...{ seats: createSeatMetrics(metrics, 10), demand: createDemandMetrics(metrics) },
    },
  });
  const resize = (wanted: number): void => {
    // The catch-all level has the other shares.
    void configuration.use({
      levels: [
        level('own', wanted, shape === 'none' ? undefined : shape),
        level('catch-all', 100_000 - wanted),
      ],
      schemas: [schema('own', 'own', 5, all)],
    });
  };
  resize(seats);
  const flow = configuration.flowOf(user('ann'), info);
  const figure = async (name: string): Promise<number> => {
    const pattern = new RegExp(`flowcontrol_${name}\\{[^}]*flow_schema="own"[^}]*\\} (\\S+)`);
    return Number(pattern.exec(await metrics.text())?.[1] ?? 0);
  };
  return { flow, clock, resize, figure, metrics };
}

const wide = (seats: number, finalSeats = 0, extraMs = 0): WorkEstimate => ({ seats, finalSeats, extraMs });

interface Asked {
  readonly seat: Seat;
  readonly answer: Promise<string | undefined>;
}

/** A request that takes its seats, or waits for them. */
function ask(flow: Flow, work: WorkEstimate, name = 'ann'): Asked {
  const seat = flow.seat('readOnly', work);
  const answer = flow.level.enter(seat)
    ? Promise.resolve(undefined)
    : flow.wait(seat, { user: user(name), info }, 60_000);
  return { seat, answer };
}

test('a request that needs many seats waits until they are free, and others wait behind it', async () => {
  const { flow, figure } = levelOf(4);
  const [first, second] = [ask(flow, wide(1)), ask(flow, wide(1))];
  const broad = ask(flow, wide(3));
  expect(broad.seat.isWaiting).toBe(true);
  flow.level.leave(first.seat);
  expect(broad.seat.isTaken).toBe(true);
  const behind = ask(flow, wide(1));
  expect(behind.seat.isWaiting).toBe(true);
  expect(await figure('request_dispatch_no_accommodation_total')).toBeGreaterThan(0);
  expect(await figure('current_executing_seats')).toBe(4);
  expect(await figure('current_inqueue_seats')).toBe(1);
  flow.level.leave(second.seat);
  await expect(behind.answer).resolves.toBeUndefined();
  for (const { seat } of [broad, behind]) flow.level.leave(seat);
  expect(await figure('current_executing_seats')).toBe(0);
  expect(await figure('work_estimated_seats_count')).toBe(4);
});

test('one that needs more seats than there are runs alone', () => {
  const { flow } = levelOf(2);
  const small = ask(flow, wide(1));
  const broad = ask(flow, wide(10));
  expect(broad.seat.isWaiting).toBe(true);
  flow.level.leave(small.seat);
  expect(broad.seat.isTaken).toBe(true);
  expect(ask(flow, wide(1)).seat.isWaiting).toBe(true);
});

test('when the one that others wait for goes away, they begin', () => {
  const { flow } = levelOf(4);
  ask(flow, wide(2));
  const broad = ask(flow, wide(4));
  const behind = ask(flow, wide(2));
  expect(behind.seat.isWaiting).toBe(true);
  flow.level.leave(broad.seat);
  expect(behind.seat.isTaken).toBe(true);
});

test('the seats of events stay taken behind the request, and no longer', async () => {
  const { flow, clock, figure } = levelOf(4);
  const write = ask(flow, wide(1, 4, 50));
  const next = ask(flow, wide(1));
  expect(next.seat.isWaiting).toBe(true);
  flow.level.leave(write.seat);
  // Its client has its answer: it executes no more.
  expect(await figure('current_executing_requests')).toBe(0);
  expect(next.seat.isWaiting).toBe(true);
  expect(flow.level.isIdle).toBe(false);
  clock.advance(51);
  expect(next.seat.isTaken).toBe(true);
});

test('events that need more seats than the level has take them for longer', () => {
  const { flow, clock } = levelOf(2);
  const write = ask(flow, wide(1, 10, 5));
  const next = ask(flow, wide(1));
  flow.level.leave(write.seat);
  clock.advance(24);
  expect(next.seat.isWaiting).toBe(true);
  clock.advance(2);
  expect(next.seat.isTaken).toBe(true);
});

test('what a level could use is sampled as a part of its own seats', async () => {
  const { flow, clock, metrics } = levelOf(4);
  const first = ask(flow, wide(4));
  const second = ask(flow, wide(2));
  clock.advance(100);
  flow.level.leave(first.seat);
  clock.advance(100);
  flow.level.leave(second.seat);
  const text = await metrics.text();
  const sum = /demand_seats_sum\{priority_level="own"\} (\S+)/.exec(text)?.[1];
  // 6 of 4 seats for 100 ms, then 2 of 4.
  expect(Number(sum)).toBeCloseTo(100 * 1.5 + 100 * 0.5);
});

test('a level without queues refuses what does not fit', async () => {
  const { flow } = levelOf(4, 'none');
  ask(flow, wide(3));
  await expect(ask(flow, wide(2)).answer).resolves.toBe('concurrency-limit');
  await expect(ask(flow, wide(1)).answer).resolves.toBeUndefined();
});

test('a request takes a part of its level at most', () => {
  expect(levelOf(600).flow.level.mostPerRequest).toBe(90);
  expect(levelOf(20).flow.level.mostPerRequest).toBe(3);
  expect(levelOf(2).flow.level.mostPerRequest).toBe(1);
  expect(levelOf(600, 'none').flow.level.mostPerRequest).toBeUndefined();
});

type Step =
  | { readonly kind: 'ask'; readonly work: WorkEstimate; readonly name: string }
  | { readonly kind: 'leave' | 'cancel'; readonly which: number }
  | { readonly kind: 'resize'; readonly seats: number }
  | { readonly kind: 'time'; readonly ms: number };

const works = fc.record({
  seats: fc.integer({ min: 1, max: 10 }),
  finalSeats: fc.integer({ min: 0, max: 10 }),
  extraMs: fc.constantFrom(0, 5, 50),
});
const which = fc.nat(100);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      work: works,
      name: fc.constantFrom('ann', 'bob', 'eve'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('leave' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('resize' as const), seats: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 10, 100) }),
  },
);

/** Takes the steps of a history, and looks at the seats after each. */
async function live(history: readonly Step[]): Promise<void> {
  const { flow, clock, resize, figure } = levelOf(6);
  const asked: Asked[] = [];
  const among = (state: 'isTaken' | 'isWaiting', index: number): Asked | undefined => {
    const some = asked.filter(({ seat }) => seat[state]);
    return some[index % Math.max(1, some.length)];
  };
  for (const step of history) {
    const before = new Set(asked.filter(({ seat }) => seat.isTaken));
    if (step.kind === 'ask') asked.push(ask(flow, step.work, step.name));
    else if (step.kind === 'resize') resize(step.seats);
    else if (step.kind === 'time') clock.advance(step.ms);
    else {
      const found = among(step.kind === 'leave' ? 'isTaken' : 'isWaiting', step.which);
      if (found) flow.level.leave(found.seat);
    }
    const running = asked.filter(({ seat }) => seat.isTaken);
    const held = running.reduce((sum, { seat }) => sum + seat.width, 0);
    expect(flow.level.takenSeats).toBeGreaterThanOrEqual(held);
    // More than there are only for one that is alone, or for those that began when there were more.
    const [begun] = running.filter((one) => !before.has(one));
    if (begun && flow.level.takenSeats > begun.seat.width)
      expect(flow.level.takenSeats).toBeLessThanOrEqual(flow.level.seats);
    // Whoever waits, waits for someone.
    if (among('isWaiting', 0)) expect(flow.level.takenSeats).toBeGreaterThan(0);
  }
  clock.advance(1_000);
  for (let found = among('isTaken', 0); found; found = among('isTaken', 0)) {
    flow.level.leave(found.seat);
    clock.advance(1_000);
  }
  expect(asked.filter(({ seat }) => seat.isWaiting)).toEqual([]);
  expect(flow.level.takenSeats).toBe(0);
  expect(flow.level.isIdle).toBe(true);
  for (const name of ['current_executing_seats', 'current_inqueue_seats', 'current_executing_requests'])
    expect([name, await figure(name)]).toEqual([name, 0]);
  for (const { answer } of asked) expect([undefined, 'cancelled']).toContain(await answer);
}

test('of any history of requests, cancellations and resizings no seat is lost, and all are served', async () => {
  await fc.assert(fc.asyncProperty(fc.array(steps, { maxLength: 60 }), live), { numRuns: 300 });
});
