import { bootstrapSources } from '../../../src/flowcontrol/bootstrap-configuration.ts';
import type { Flow } from '../../../src/flowcontrol/flow-schema.ts';
import type { Seat } from '../../../src/flowcontrol/seat.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  everythingOf,
  level,
  makeFlows,
  objects,
  request,
  schema,
  user,
  userSubject,
} from '../../support/flow-control.ts';

const info = request('GET /api/v1/pods');
const all = everythingOf({ kind: 'User', user: { name: '*' } });
const queuing = { queues: 8, handSize: 1, queueLengthLimit: 2 };

/** Seats that a level gives before it refuses. */
function take(flow: Flow, most = 1_000): Seat[] {
  const seats: Seat[] = [];
  for (
    let seat = flow.seat('readOnly');
    seats.length < most && flow.level.enter(seat);
    seat = flow.seat('readOnly')
  )
    seats.push(seat);
  return seats;
}

function wait(flow: Flow, seat: Seat, maxMs = 60_000, name = 'ann'): Promise<string | undefined> {
  return flow.wait(seat, { user: user(name), info }, maxMs);
}

test('the seats of the server are shared by shares, rounded up; the exempt level takes none and has no end', async () => {
  const { configuration, metrics } = makeFlows(600, bootstrapSources(objects));
  const figures = [
    ...(await metrics.text()).matchAll(/concurrency_limit\{priority_level="([\w-]+)"\} (\d+)/g),
  ];
  expect(Object.fromEntries(figures.map(([, name, seats]) => [name, Number(seats)]))).toEqual({
    'catch-all': 15,
    'global-default': 59,
    'leader-election': 30,
    system: 88,
    'workload-high': 118,
    'workload-low': 293,
  });
  expect(take(configuration.flowOf(user('root', 'system:masters'), info))).toHaveLength(1_000);
  expect(take(configuration.flowOf(user('ann'), info))).toHaveLength(59);
});

test('a level without queues rejects requests without a seat', async () => {
  const { configuration, metrics } = makeFlows(3);
  const flow = configuration.flowOf(user('ann'), info);
  expect(flow.name).toBe('catch-all');
  const seats = take(flow);
  expect(seats).toHaveLength(3);
  await expect(wait(flow, flow.seat('readOnly'))).resolves.toBe('concurrency-limit');
  flow.level.leave(seats[0]!);
  expect(take(flow)).toHaveLength(1);
  expect(await metrics.text()).toContain(
    'rejected_requests_total{priority_level="catch-all",flow_schema="catch-all",reason="concurrency-limit"} 1',
  );
});

describe('a level with queues', () => {
  function busy() {
    const flows = makeFlows(2);
    void flows.configuration.use({
      levels: [level('own', 1_000_000, queuing)],
      schemas: [schema('own', 'own', 5, all)],
    });
    const flow = flows.configuration.flowOf(user('ann'), info);
    return { ...flows, flow, seats: take(flow) };
  }

  test('lets requests wait in order, and refuses when the queue is full', async () => {
    const { flow, seats, clock, metrics } = busy();
    expect(seats).toHaveLength(2);
    const waiting = [flow.seat('readOnly'), flow.seat('readOnly')];
    const answers = waiting.map((seat) => wait(flow, seat));
    await expect(wait(flow, flow.seat('readOnly'))).resolves.toBe('queue-full');
    expect(await metrics.text()).toContain(
      'current_inqueue_requests{priority_level="own",flow_schema="own"} 2',
    );
    clock.time = 700;
    flow.level.leave(seats[0]!);
    await expect(answers[0]).resolves.toBeUndefined();
    expect(waiting.map((seat) => [seat.isWaiting, seat.isTaken])).toEqual([
      [false, true],
      [true, false],
    ]);
    flow.level.leave(seats[1]!);
    flow.level.leave(waiting[0]!);
    await expect(answers[1]).resolves.toBeUndefined();
    flow.level.leave(waiting[1]!);
    const text = await metrics.text();
    expect(text).toContain('current_inqueue_requests{priority_level="own",flow_schema="own"} 0');
    expect(text).toContain('current_executing_requests{priority_level="own",flow_schema="own"} 0');
    expect(text).toContain('dispatched_requests_total{priority_level="own",flow_schema="own"} 4');
    expect(text).toMatch(/wait_duration_seconds_sum\{[^}]*execute="true"\} 1.4/);
    expect(text).toMatch(/execution_seconds_count\{[^}]*"own"\} 4/);
  });

  test('a wait has an end', async () => {
    const { flow, seats, metrics } = busy();
    await expect(wait(flow, flow.seat('readOnly'), 10)).resolves.toBe('time-out');
    for (const seat of seats) flow.level.leave(seat);
    expect(flow.level.isIdle).toBe(true);
    expect(await metrics.text()).toContain('reason="time-out"} 1');
  });

  test('who goes away while waiting leaves no trace; a seat is given back once', async () => {
    const { flow, seats, metrics } = busy();
    const gone = flow.seat('readOnly');
    const answer = wait(flow, gone);
    flow.level.leave(gone);
    flow.level.leave(gone);
    await expect(answer).resolves.toBe('cancelled');
    for (const seat of [...seats, ...seats]) flow.level.leave(seat);
    expect(take(flow)).toHaveLength(2);
    expect(await metrics.text()).toContain('reason="cancelled"} 1');
  });

  test('more seats are given out at once; who waits keeps waiting through other changes', async () => {
    const { configuration, flow, seats } = busy();
    const waiting = flow.seat('readOnly');
    const answer = wait(flow, waiting);
    const use = (levelSource: ReturnType<typeof level>): void => {
      void configuration.use({ levels: [levelSource], schemas: [schema('own', 'own', 5, all)] });
    };
    use(level('own', 2_000_000));
    expect(waiting.isWaiting).toBe(true);
    // No queues any more: only new requests are refused.
    const next = configuration.flowOf(user('ann'), info);
    await expect(wait(next, next.seat('readOnly'))).resolves.toBe('concurrency-limit');
    flow.level.leave(seats[0]!);
    await expect(answer).resolves.toBeUndefined();
  });
});

test('a level that is gone keeps its seats until its last request is over; its schemas dangle', async () => {
  const { configuration, metrics } = makeFlows(100);
  const own = { levels: [level('own', 5, queuing)], schemas: [schema('own', 'own', 5, all)] };
  await configuration.use(own);
  const limitOf = async (name: string): Promise<string | undefined> =>
    new RegExp(`limit\\{priority_level="${name}"\\} (\\d+)`).exec(await metrics.text())?.[1];
  expect([await limitOf('own'), await limitOf('catch-all')]).toEqual(['50', '50']);
  const flow = configuration.flowOf(user('ann'), info);
  const [seat] = take(flow, 1);
  await configuration.use({ levels: [], schemas: own.schemas });
  expect(configuration.hasLevel('own')).toBe(false);
  expect(configuration.hasLevel('catch-all')).toBe(true);
  expect(configuration.flowOf(user('ann'), info).name).toBe('catch-all');
  expect([await limitOf('own'), await limitOf('catch-all')]).toEqual(['50', '50']);
  flow.level.leave(seat!);
  expect([await limitOf('own'), await limitOf('catch-all')]).toEqual([undefined, '100']);
  expect(await metrics.text()).not.toContain('flow_schema="own"');
});

test('a mandatory schema whose stored form names no level is in force as built in', async () => {
  const { configuration } = makeFlows();
  const stored = [schema('exempt', 'nowhere', 1, all), { name: 'catch-all', uid: 'u', spec: {} }];
  await configuration.use({ levels: [], schemas: stored });
  expect(configuration.flowOf(user('root', 'system:masters'), info).name).toBe('exempt');
  expect(configuration.flowOf(user('ann'), info).name).toBe('catch-all');
});

test('requests that read and requests that write are counted apart, those of the exempt level, too', async () => {
  const { configuration, metrics, clock } = makeFlows();
  await configuration.use({
    levels: [level('own', 1_000_000, queuing)],
    schemas: [schema('own', 'own', 5, everythingOf(userSubject('ann')))],
  });
  const own = configuration.flowOf(user('ann'), info);
  const exempt = configuration.flowOf(user('root', 'system:masters'), info);
  const running = take(own);
  const [wanted, writing] = [own.seat('readOnly'), exempt.seat('mutating')];
  expect(exempt.level.enter(writing)).toBe(true);
  const granted = wait(own, wanted);
  clock.time += 10;
  for (const seat of running) own.level.leave(seat);
  await granted;
  clock.time += 10;
  own.level.leave(wanted);
  exempt.level.leave(writing);
  const text = await metrics.text();
  const figure = (name: string, kind: string, phase: string, mark = ''): (string | undefined)[] =>
    ['count', 'sum'].map(
      (part) =>
        text
          .split('\n')
          .find(
            (line) =>
              line.startsWith(`apiserver_flowcontrol_read_vs_write_request_count_${name}_${part}{`) &&
              line.includes(`request_kind="${kind}"`) &&
              line.includes(`phase="${phase}"`) &&
              (mark === '' || line.includes(`mark="${mark}"`)),
          )
          ?.split(' ')[1],
    );
  const seats = running.length;
  expect(figure('samples', 'readOnly', 'executing')).toEqual(['20', String(10 * seats + 10)]);
  expect(figure('samples', 'readOnly', 'waiting')).toEqual(['10', '10']);
  expect(figure('samples', 'mutating', 'executing')).toEqual(['20', '20']);
  expect(figure('samples', 'mutating', 'waiting')).toEqual([undefined, undefined]);
  expect(figure('watermarks', 'readOnly', 'executing', 'low')).toEqual(['20', String(9 * seats + 10)]);
  expect(figure('watermarks', 'readOnly', 'waiting', 'high')).toEqual(['10', '10']);
});

test('responses have the uid of schema and level, if they are stored', () => {
  const { configuration } = makeFlows();
  const ann = everythingOf(userSubject('ann'));
  void configuration.use({ levels: [level('own', 1)], schemas: [schema('own', 'own', 5, ann)] });
  expect(configuration.flowOf(user('ann'), info).headers).toEqual([
    ...['X-Test-PF-FlowSchema-UID', 'uid-own'],
    ...['X-Test-PF-PriorityLevel-UID', 'uid-own'],
  ]);
  expect(configuration.flowOf(user('bob'), info).headers).toEqual([]);
});

test('a noisy flow delays another by a turn of each of its queues, no more', async () => {
  const { configuration, clock } = makeFlows(4);
  const shape = { queues: 128, handSize: 6, queueLengthLimit: 50 };
  const byUser = { distinguisherMethod: { type: 'ByUser' } };
  const own = schema('own', 'own', 5, all);
  await configuration.use({
    levels: [level('own', 1_000_000, shape)],
    schemas: [{ ...own, spec: { ...own.spec, ...byUser } }],
  });
  const flow = configuration.flowOf(user('noisy'), info);
  const running = take(flow);
  const order: string[] = [];
  const enter = (name: string): void => {
    const seat = flow.seat('readOnly');
    void wait(flow, seat, 60_000, name).then((refusal) => {
      if (refusal !== undefined) return;
      order.push(name);
      running.push(seat);
    });
  };
  for (let i = 0; i < 300; i++) enter('noisy');
  for (let i = 0; i < 3; i++) enter('quiet');
  while (order.filter((name) => name === 'quiet').length < 3) {
    const before = order.length;
    clock.time += 10;
    flow.level.leave(running.shift()!);
    await waitFor('the next one', () => order.length > before, { interval: 0 });
  }
  // Six queues of the noisy one and three of the quiet one take turns.
  expect(order.length).toBeLessThanOrEqual(6 + 3 + 4);
});
