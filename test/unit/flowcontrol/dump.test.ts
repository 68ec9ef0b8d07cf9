/** What people are told of levels, queues and requests that wait, and how full levels were. */
import { createFlowDumps } from '../../../src/flowcontrol/debug-dump.ts';
import type { Flow } from '../../../src/flowcontrol/flow-schema.ts';
import type { Seat } from '../../../src/flowcontrol/seat.ts';
import { everythingOf, level, makeFlows, request, schema, user } from '../../support/flow-control.ts';

const all = everythingOf({ kind: 'User', user: { name: '*' } });
const info = request('GET /apis/apps/v1/namespaces/web/deployments/a/scale');
const start = Date.parse('2020-07-23T15:26:57.179Z');

/** A level with one seat, which is taken, and where one waits. */
function busy(queues = 2, name = 'ann') {
  const { configuration, metrics, clock } = makeFlows(1);
  const queuing = { queues, handSize: 1, queueLengthLimit: 5 };
  void configuration.use({ levels: [level('own', 1, queuing)], schemas: [schema('mine', 'own', 5, all)] });
  const flow = configuration.flowOf(user(name), info);
  const seat = flow.seat('readOnly');
  expect(flow.level.enter(seat)).toBe(true);
  const waiting = flow.seat('readOnly');
  const outcome = flow.wait(waiting, { user: user(name), info }, 60_000);
  const wall = { now: () => start + clock.time, monotonic: () => clock.time };
  const dumps = createFlowDumps(() => configuration.dumpedLevels(), wall);
  const end = async (): Promise<void> => {
    for (const one of [seat, waiting]) flow.level.leave(one);
    await outcome;
  };
  return { configuration, metrics, clock, dumps, flow, seat, waiting, end };
}

const cells = (table: string): string[][] =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()));

test('a row for each level', async () => {
  const { dumps, end } = busy();
  expect(dumps.levels()).toBe(
    [
      'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests,',
      'catch-all,         0,            true,   false,       0,               0,',
      'exempt,            <none>,       <none>, <none>,      <none>,          <none>,',
      'own,               1,            false,  false,       1,               1,',
      '',
    ].join('\n'),
  );
  await end();
});

test('a level whose object is gone is quiescing until its last request is over', async () => {
  const { configuration, dumps, end } = busy();
  await configuration.use({ levels: [], schemas: [] });
  expect(cells(dumps.levels()).at(-1)).toEqual(['own', '1', 'false', 'true', '1', '1', '']);
  await end();
  expect(dumps.levels()).not.toContain('own');
});

test('a row for each queue', async () => {
  const { dumps, end } = busy();
  const rows = cells(dumps.queues());
  expect(rows[0]).toEqual([
    ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'VirtualStart', ''],
  ]);
  expect(rows[1]).toEqual(['exempt', '<none>', '<none>', '<none>', '<none>', '']);
  expect(rows.slice(2).map((row) => row.slice(0, 2))).toEqual([
    ['own', '0'],
    ['own', '1'],
  ]);
  expect(rows.slice(2).map((row) => row[2])).toEqual(expect.arrayContaining(['0', '1']));
  await end();
});

test('of very many queues only those that hold something', async () => {
  const { dumps, end } = busy(10_000_000);
  expect(cells(dumps.queues()).slice(2)).toHaveLength(1);
  await end();
});

test('a row for each waiting request, with its user and attributes', async () => {
  const { dumps, clock, end } = busy();
  clock.time = 5_000;
  const [head, exempt, row] = cells(dumps.requests(false));
  expect(head?.slice(2)).toEqual(['QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime', '']);
  expect(exempt).toHaveLength(7);
  expect(row).toEqual([
    'own',
    'mine',
    expect.stringMatching(/^[01]$/),
    '0',
    '',
    '2020-07-23T15:26:57.179Z',
    '',
  ]);
  expect(cells(dumps.requests(true))[2]?.slice(6)).toEqual([
    ...['ann', 'get', '/apis/apps/v1/namespaces/web/deployments/a/scale', 'web', 'a', 'apps/v1'],
    ...['deployments', 'scale', ''],
  ]);
  await end();
});

test('user input cannot forge a row', async () => {
  const { dumps, end } = busy(2, 'ann\nexempt,');
  expect(cells(dumps.requests(true))).toHaveLength(3);
  expect(dumps.requests(true)).toContain('ann\\u000aexempt');
  await end();
});

describe('how full a level was', () => {
  function seats(flow: Flow, count: number): Seat[] {
    return Array.from({ length: count }, () => {
      const seat = flow.seat('readOnly');
      expect(flow.level.enter(seat)).toBe(true);
      return seat;
    });
  }

  test('each millisecond is a sample, with minimum and maximum marks', async () => {
    const { configuration, metrics, clock } = makeFlows(10);
    await configuration.use({ levels: [level('own', 1e9)], schemas: [schema('mine', 'own', 5, all)] });
    const flow = configuration.flowOf(user('ann'), info);
    const five = seats(flow, 5);
    clock.time = 100;
    for (const seat of five) flow.level.leave(seat);
    clock.time = 200;
    seats(flow, 1);
    const text = await metrics.text();
    const figure = (name: string, labels: string): number => {
      const line = text
        .split('\n')
        .find((one) => one.includes(`request_count_${name}`) && one.includes(labels));
      return Number(line?.slice(line.lastIndexOf(' ') + 1));
    };
    const own = 'phase="executing",priority_level="own"';
    expect(figure('samples_count', own)).toBe(200);
    expect(figure('samples_bucket', `${own},le="0"}`)).toBe(100);
    expect(figure('samples_bucket', `${own},le="0.5"`)).toBe(200);
    expect(figure('samples_sum', own)).toBeCloseTo(50);
    expect(figure('watermarks_count', `mark="high",${own}`)).toBe(200);
    // The first millisecond of each hundred had both.
    expect(figure('watermarks_bucket', `mark="low",${own},le="0"}`)).toBe(101);
    expect(figure('watermarks_bucket', `mark="high",${own},le="0"}`)).toBe(99);
    await configuration.use({ levels: [], schemas: [] });
  });

  test('a level that is gone takes its figures with it; exempt ones have none', async () => {
    const { configuration, metrics, clock, end } = busy();
    clock.time = 10;
    await end();
    expect(await metrics.text()).toContain('phase="waiting",priority_level="own"');
    await configuration.use({ levels: [], schemas: [] });
    const text = await metrics.text();
    expect(text).not.toContain('priority_level="own"');
    expect(text).not.toMatch(/request_count.*priority_level="exempt"/);
  });
});
