/** What requests cost, by what is stored and watched, in each release. */
import { Query } from '../../../src/http/query.ts';
import { WatchCounts } from '../../../src/flowcontrol/watch-counts.ts';
import type { WorkEstimate } from '../../../src/flowcontrol/work-estimate.ts';
import { WorkEstimator } from '../../../src/flowcontrol/work-estimator.ts';
import { workRulesOf } from '../../../src/flowcontrol/work-rules.ts';
import { request } from '../../support/flow-control.ts';

interface World {
  readonly minor: number;
  readonly objects?: number;
  readonly meanBytes?: number;
  readonly watches?: number;
  readonly levelSeats?: number;
  /** Gates that are off. */
  readonly off?: readonly string[];
}

function cost(line: string, world: World): WorkEstimate {
  const { minor, objects = 0, meanBytes = 1_000, watches = 0, levelSeats, off = [] } = world;
  const rules = workRulesOf({ major: 1, minor }, (gate) => !off.includes(gate));
  if (!rules) return { seats: 1, finalSeats: 0, extraMs: 0 };
  const stored = () => ({ objects, meanBytes: () => meanBytes });
  const estimator = new WorkEstimator({ rules, stored, watchesOf: () => watches });
  const flow = { mostSeats: levelSeats, noteWatches: () => undefined };
  return estimator.estimate(request(line), new Query(line.split('?')[1] ?? ''), flow);
}

const seats = (line: string, world: World): number => cost(line, world).seats;
const pods = 'GET /api/v1/pods';

describe('lists', () => {
  test('take one seat whatever their size before release 1.23', () => {
    expect(workRulesOf({ major: 1, minor: 21 }, () => true)).toBeUndefined();
    expect(seats(pods, { minor: 22, objects: 5_000 })).toBe(1);
  });

  test.each([
    // From etcd what a page holds is read twice; from the cache each object is looked at.
    [pods, 140, 3],
    [`${pods}?limit=100`, 5_000, 2],
    [`${pods}?limit=100&labelSelector=a%3Db`, 250, 4],
    [`${pods}?resourceVersion=0`, 250, 3],
    [`${pods}?resourceVersion=0&limit=10`, 250, 3],
    [`${pods}?resourceVersion=7&limit=10`, 250, 1],
    [`${pods}?resourceVersion=7&resourceVersionMatch=Exact`, 140, 3],
    [`${pods}?resourceVersion=7&resourceVersionMatch=NotOlderThan`, 140, 2],
    [`${pods}?limit=10&continue=x`, 140, 1],
    [pods, 100_000, 10],
    [pods, 0, 1],
    [`${pods}?limit=some`, 1, 10],
  ])('%s of %i objects: %i seats at release 1.25', (line, objects, expected) => {
    expect(seats(line, { minor: 25, objects })).toBe(expected);
  });

  test('of one name cost what a get costs from release 1.26 on', () => {
    const line = `${pods}?fieldSelector=metadata.name%3Da`;
    expect(seats(line, { minor: 25, objects: 400 })).toBe(8);
    expect(seats(line, { minor: 26, objects: 400 })).toBe(1);
    expect(seats(line, { minor: 36, objects: 400, meanBytes: 90_000 })).toBe(1);
  });

  test('of the newest state come from the cache with ConsistentListFromCache', () => {
    expect(seats(pods, { minor: 31, objects: 250 })).toBe(3);
    expect(seats(pods, { minor: 31, objects: 250, off: ['ConsistentListFromCache'] })).toBe(5);
  });

  test('cost by their bytes from release 1.34 on, unless the gate is off', () => {
    expect(seats(pods, { minor: 34, objects: 250, meanBytes: 2_000 })).toBe(5);
    expect(seats(pods, { minor: 34, objects: 90_000, meanBytes: 2_000 })).toBe(10);
    const past = `${pods}?resourceVersion=7&resourceVersionMatch=Exact`;
    expect(seats(past, { minor: 34, objects: 90_000, meanBytes: 2_000 })).toBe(100);
    expect(seats(`${past}&labelSelector=a&limit=5`, { minor: 34, objects: 1_000, meanBytes: 2_000 })).toBe(
      10,
    );
    expect(seats(pods, { minor: 34, objects: 250, off: ['SizeBasedListCostEstimate'] })).toBe(3);
    expect(seats(pods, { minor: 34, objects: 0 })).toBe(1);
  });

  test('take no more than a part of the level from release 1.28 on', () => {
    const past = `${pods}?resourceVersion=7&resourceVersionMatch=Exact`;
    expect(seats(past, { minor: 27, objects: 9_000, levelSeats: 2 })).toBe(10);
    expect(seats(past, { minor: 28, objects: 9_000, levelSeats: 2 })).toBe(2);
  });
});

test.each([
  ['GET /api/v1/pods?watch=1', 27, 1],
  ['GET /api/v1/pods?watch=1&resourceVersion=5', 36, 1],
  ['GET /api/v1/pods?watch=1&resourceVersion=0', 36, 8],
  ['GET /api/v1/pods?watch=1&resourceVersion=5&sendInitialEvents=true', 36, 8],
])('%s at release 1.%i: %i seats', (line, minor, expected) => {
  expect(seats(line, { minor, objects: 800 })).toBe(expected);
});

describe('writes', () => {
  const put = 'PUT /api/v1/namespaces/a/pods/b';

  test('take seats behind them for those that watch, from release 1.24 on', () => {
    expect(cost(put, { minor: 23, watches: 50 })).toEqual({ seats: 1, finalSeats: 0, extraMs: 0 });
    expect(cost(put, { minor: 24, watches: 9 })).toEqual({ seats: 1, finalSeats: 0, extraMs: 0 });
    expect(cost(put, { minor: 24, watches: 51 })).toEqual({ seats: 1, finalSeats: 6, extraMs: 5 });
  });

  test('that concern many take no more than ten, for longer', () => {
    expect(cost(put, { minor: 36, watches: 1_000 })).toEqual({ seats: 1, finalSeats: 10, extraMs: 50 });
    expect(cost(put, { minor: 36, watches: 1_000, levelSeats: 2 })).toEqual({
      ...{ seats: 1, finalSeats: 2, extraMs: 250 },
    });
  });

  test('of tokens are no event', () => {
    const line = 'POST /api/v1/namespaces/a/serviceaccounts/b/token';
    expect(cost(line, { minor: 36, watches: 1_000 }).finalSeats).toBe(0);
  });
});

test('gets and requests without a resource take one seat', () => {
  for (const line of ['GET /api/v1/namespaces/a/pods/b', 'GET /version', 'DELETE /api/v1/namespaces/a/pods'])
    expect(cost(line, { minor: 36, objects: 9_000, watches: 900 })).toEqual({
      ...{ seats: 1, finalSeats: 0, extraMs: 0 },
    });
});

test('a write concerns the watches of its resource, its namespace and its name', () => {
  const counts = new WatchCounts();
  const none = new Query('');
  const watch = (line: string): (() => void) => counts.add(request(line), none);
  const ends = [
    watch('GET /api/v1/pods?watch=1'),
    watch('GET /api/v1/namespaces/a/pods?watch=1'),
    watch('GET /api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name%3Db'),
    watch('GET /api/v1/namespaces/other/pods?watch=1'),
    watch('GET /apis/metrics.orch.io/v1/pods?watch=1'),
  ];
  const one = request('PUT /api/v1/namespaces/a/pods/b');
  expect(counts.interestedIn(one)).toBe(3);
  expect(counts.interestedIn(request('PUT /api/v1/namespaces/a/pods/c'))).toBe(2);
  expect(counts.interestedIn(request('POST /api/v1/namespaces/a/pods'))).toBe(2);
  for (const end of ends) end();
  expect(counts.interestedIn(one)).toBe(0);
});

test('watches of the pods of one node are found by an index, and do not count', () => {
  const counts = new WatchCounts();
  const of = (text: string): void => {
    counts.add(request(`GET /api/v1/pods?watch=1&${text}`), new Query(text));
  };
  of('fieldSelector=spec.nodeName%3Done');
  of('fieldSelector=status.phase%3DRunning%2C%20spec.nodeName%3D%3Done');
  expect(counts.interestedIn(request('PUT /api/v1/namespaces/a/pods/b'))).toBe(0);
  of('fieldSelector=spec.nodeName%3D');
  of('fieldSelector=spec.nodeName!%3Done');
  expect(counts.interestedIn(request('PUT /api/v1/namespaces/a/pods/b'))).toBe(2);
});
