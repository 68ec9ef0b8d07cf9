/**
 * The three tables of "Resource version semantics", cell by cell, against a running replica: each cell is checked
 * by its effect. The replica asked (`far`) sees etcd through a proxy that is held while another replica writes, so
 * that what must wait for the write can be told from what may be older.
 */
import type { Answer, ApiObject, EventStream } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  change,
  configMaps,
  create,
  isWaiting,
  linesOf,
  listOf,
  openStage,
  quiet,
  remove,
  stateOf,
  valueOf,
  versionOf,
  withStreamingLists,
  type Stage,
} from '../../support/read-path.ts';

let stage: Stage;
/** A version in the past and what was there then. */
let past = '';
const pastState = ['a-counter=0', 'b=old', 'c=gone since'];
const pastEvents = ['MODIFIED b=new', 'DELETED c=gone since', 'ADDED d=1'];
let count = 0;

beforeAll(async () => {
  stage = await openStage([...quiet, ...withStreamingLists]);
  const { near } = stage;
  await create(near, 'a-counter', '0');
  await create(near, 'b', 'old');
  await create(near, 'c', 'gone since');
  past = (await near.admin.list(configMaps)).metadata.resourceVersion;
  await change(near, 'b', 'new');
  await remove(near, 'c');
  await create(near, 'd');
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

afterEach(async () => {
  stage.proxy.resume();
  await waitFor('far to see all', async () => {
    const seen = await stage.far.admin.ok('GET', `${configMaps}/a-counter`);
    return valueOf(seen) === String(count);
  });
});

/** A write that `far` cannot know of yet. */
async function unseenWrite(): Promise<ApiObject> {
  stage.proxy.suspend();
  count += 1;
  return change(stage.near, 'a-counter', String(count));
}

/** The counter in what was answered, a list or one object. */
function counterIn(answer: Answer): string {
  expect(answer).toMatchObject({ status: 200 });
  const object = answer.json();
  const items = object['items'] as ApiObject[] | undefined;
  return valueOf(items?.find(({ metadata }) => metadata.name === 'a-counter') ?? object);
}

interface Cell {
  readonly cell: string;
  /** Query: RV stands for a version as the cell's meaning wants it, TOKEN for a continue token. */
  readonly query: string;
  readonly means: keyof typeof meanings;
}

/** A path for the query, with these versions in it. */
type PathOf = (rv: string | number, token?: string) => string;

/** It waits until the write is seen. */
async function waitsFor(asked: Promise<Answer>): Promise<Answer> {
  expect(await isWaiting(stage.far, asked)).toBe(true);
  stage.proxy.resume();
  const answer = await asked;
  expect(counterIn(answer)).toBe(String(count));
  return answer;
}

/** What each word of the tables means, as a check of a get or list. */
const meanings = {
  'Most Recent': async (path: PathOf): Promise<void> => {
    const written = await unseenWrite();
    const answer = await waitsFor(stage.far.admin.get(path('')));
    expect(versionOf(answer.json())).toBeGreaterThanOrEqual(versionOf(written));
  },

  Any: async (path: PathOf): Promise<void> => {
    const written = await unseenWrite();
    const answer = await stage.far.admin.get(path('0'));
    expect(counterIn(answer)).toBe(String(count - 1));
    expect(versionOf(answer.json())).toBeLessThan(versionOf(written));
  },

  'Not older than': async (path: PathOf): Promise<void> => {
    const written = await unseenWrite();
    const older = await stage.far.admin.get(path(past));
    expect(counterIn(older)).toBe(String(count - 1));
    if (older.json()['items'] !== undefined) expect(stateOf(listOf(older))).not.toContain('b=old');
    const answer = await waitsFor(stage.far.admin.get(path(written.metadata.resourceVersion)));
    expect(versionOf(answer.json())).toBeGreaterThanOrEqual(versionOf(written));
  },

  Exact: async (path: PathOf): Promise<void> => {
    const first = listOf(await stage.far.admin.get(path(past)));
    expect(first.metadata.resourceVersion).toBe(past);
    const rest = first.metadata.continue;
    const tail = rest === undefined ? [] : await restOf(rest);
    expect([...stateOf(first), ...tail]).toEqual(pastState);
    const next = listOf(await stage.far.admin.get(path(Number(past) + 1)));
    expect(next.metadata.resourceVersion).toBe(String(Number(past) + 1));
  },

  'Continue Token, Exact': async (path: PathOf): Promise<void> => {
    const first = await stage.far.admin.list(`${configMaps}?limit=1`);
    await create(stage.near, 'e', 'after the first chunk');
    await change(stage.near, 'd', 'after the first chunk');
    const rest = listOf(await stage.far.admin.get(path('0', first.metadata.continue)));
    await remove(stage.near, 'e');
    await change(stage.near, 'd', '1');
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(stateOf(rest)).toEqual(['b=new', 'd=1']);
  },
};

async function restOf(token: string): Promise<string[]> {
  const list = await stage.far.admin.list(`${configMaps}?limit=500&continue=${token}`);
  expect(list.metadata.resourceVersion).toBe(past);
  return stateOf(list);
}

function pathOf(base: string, query: string): PathOf {
  return (rv, token = '') => `${base}?${query.replace('RV', String(rv)).replace('TOKEN', token)}`;
}

describe('get', () => {
  const cells: Cell[] = [
    { cell: 'resourceVersion unset', query: '', means: 'Most Recent' },
    { cell: 'resourceVersion "0"', query: 'resourceVersion=0', means: 'Any' },
    { cell: 'resourceVersion other', query: 'resourceVersion=RV', means: 'Not older than' },
  ];
  test.each(cells)('$cell: $means', async ({ query, means }) => {
    await meanings[means](pathOf(`${configMaps}/a-counter`, query));
  });

  test.each([
    ['a malformed version', 'resourceVersion=x', 400, /resourceVersion must be one that a former answer/],
    ['a negative version', 'resourceVersion=-1', 400, /resourceVersion must be one that a former answer/],
    ['a version from the future', 'resourceVersion=1000000', 504, /^Too large resource version: 1000000/],
  ])('Invalid: %s', async (_name, query, code, message) => {
    const answer = await stage.far.admin.get(`${configMaps}/a-counter?${query}`);
    expect(answer.json()).toMatchObject({ kind: 'Status', code });
    expect(answer.json()['message']).toMatch(message);
  });
});

describe('list', () => {
  const cells: Cell[] = [
    { cell: 'match unset, limit unset, rv unset', query: '', means: 'Most Recent' },
    { cell: 'match unset, limit unset, rv 0', query: 'resourceVersion=0', means: 'Any' },
    { cell: 'match unset, limit unset, rv other', query: 'resourceVersion=RV', means: 'Not older than' },
    { cell: 'match unset, limit, rv unset', query: 'limit=2', means: 'Most Recent' },
    { cell: 'match unset, limit, rv 0', query: 'limit=2&resourceVersion=0', means: 'Any' },
    { cell: 'match unset, limit, rv other', query: 'limit=2&resourceVersion=RV', means: 'Exact' },
    {
      cell: 'match unset, limit and continue, rv unset',
      query: 'limit=9&continue=TOKEN',
      means: 'Continue Token, Exact',
    },
    {
      cell: 'match unset, limit and continue, rv 0',
      query: 'limit=9&continue=TOKEN&resourceVersion=0',
      means: 'Continue Token, Exact',
    },
    {
      cell: 'match Exact, limit unset, rv other',
      query: 'resourceVersionMatch=Exact&resourceVersion=RV',
      means: 'Exact',
    },
    {
      cell: 'match Exact, limit, rv other',
      query: 'resourceVersionMatch=Exact&limit=2&resourceVersion=RV',
      means: 'Exact',
    },
    {
      cell: 'match NotOlderThan, limit unset, rv 0',
      query: 'resourceVersionMatch=NotOlderThan&resourceVersion=0',
      means: 'Any',
    },
    {
      cell: 'match NotOlderThan, limit unset, rv other',
      query: 'resourceVersionMatch=NotOlderThan&resourceVersion=RV',
      means: 'Not older than',
    },
    {
      cell: 'match NotOlderThan, limit, rv 0',
      query: 'resourceVersionMatch=NotOlderThan&limit=2&resourceVersion=0',
      means: 'Any',
    },
    {
      cell: 'match NotOlderThan, limit, rv other',
      query: 'resourceVersionMatch=NotOlderThan&limit=2&resourceVersion=RV',
      means: 'Not older than',
    },
  ];
  test.each(cells)('$cell: $means', async ({ query, means }) => {
    await meanings[means](pathOf(configMaps, query));
  });

  const unless = /resourceVersionMatch is forbidden unless resourceVersion is provided/;
  const forZero = /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/;
  const leaveOut = /not allowed when using continue: leave out resourceVersion/;
  const invalid: [cell: string, query: string, code: number, message: RegExp][] = [
    ['match unset, limit and continue, rv other', 'limit=9&continue=TOKEN&resourceVersion=RV', 400, leaveOut],
    ['match Exact, limit unset, rv unset', 'resourceVersionMatch=Exact', 422, unless],
    ['match Exact, limit unset, rv 0', 'resourceVersionMatch=Exact&resourceVersion=0', 422, forZero],
    ['match Exact, limit, rv unset', 'resourceVersionMatch=Exact&limit=2', 422, unless],
    ['match Exact, limit, rv 0', 'resourceVersionMatch=Exact&limit=2&resourceVersion=0', 422, forZero],
    ['match NotOlderThan, limit unset, rv unset', 'resourceVersionMatch=NotOlderThan', 422, unless],
    ['match NotOlderThan, limit, rv unset', 'resourceVersionMatch=NotOlderThan&limit=2', 422, unless],
    [
      'match with continue',
      'resourceVersionMatch=Exact&limit=2&continue=TOKEN',
      422,
      /resourceVersionMatch is forbidden when continue is provided/,
    ],
    [
      'unknown match',
      'resourceVersionMatch=Sometimes&resourceVersion=RV',
      422,
      /Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan"/,
    ],
    ['malformed token', 'limit=2&continue=nonsense!', 400, /continue key is not valid/],
    ['malformed version', 'resourceVersion=x', 400, /resourceVersion must be one that a former answer/],
  ];
  test.each(invalid)('%s: Invalid', async (_cell, query, code, message) => {
    const first = await stage.far.admin.list(`${configMaps}?limit=1`);
    const path = pathOf(configMaps, query)(first.metadata.resourceVersion, first.metadata.continue);
    const answer = await stage.far.admin.get(path);
    expect(answer.status).toBe(code);
    const reason = code === 422 ? 'Invalid' : 'BadRequest';
    expect(answer.json()).toMatchObject({ kind: 'Status', code, reason });
    if (code === 422) expect(answer.json()).toMatchObject({ details: { kind: 'ListOptions' } });
    expect(answer.json()['message']).toMatch(message);
  });
});

describe('watch', () => {
  /** All up to the event that says `line`. */
  async function linesUntil(stream: EventStream, line: string): Promise<string[]> {
    const events = await stream.until((event) => linesOf([event])[0] === line);
    stream.close();
    return linesOf(events);
  }

  const others = ['ADDED b=new', 'ADDED d=1'];
  const changeTo = (value: number): string => `MODIFIED a-counter=${value}`;

  test('rv unset: Get State and Start at Most Recent', async () => {
    await unseenWrite();
    const opening = stage.far.admin.watch(configMaps);
    expect(await isWaiting(stage.far, opening)).toBe(true);
    stage.proxy.resume();
    const state = [`ADDED a-counter=${count}`, ...others];
    const stream = await opening;
    await change(stage.near, 'a-counter', String((count += 1)));
    const seen = await linesUntil(stream, changeTo(count));
    expect(seen).toEqual([...state, changeTo(count)]);
  });

  test('rv 0: Get State and Start at Any', async () => {
    await unseenWrite();
    const stream = await stage.far.admin.watch(`${configMaps}?resourceVersion=0`);
    stage.proxy.resume();
    const seen = await linesUntil(stream, changeTo(count));
    expect(seen).toEqual([`ADDED a-counter=${count - 1}`, ...others, changeTo(count)]);
  });

  test('rv other: Start at Exact', async () => {
    await unseenWrite();
    const stream = await stage.far.admin.watch(`${configMaps}?resourceVersion=${past}`);
    stage.proxy.resume();
    const seen = await linesUntil(stream, changeTo(count));
    expect(seen.slice(0, pastEvents.length)).toEqual(pastEvents);
    expect(seen.filter((line) => line.startsWith('ADDED a-counter'))).toEqual([]);
  });

  const needsInitial = /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/;
  test.each([
    ['malformed version', 'resourceVersion=x', 400, /resourceVersion must be one that a former answer/],
    ['match alone', 'resourceVersionMatch=NotOlderThan&resourceVersion=RV', 422, needsInitial],
    [
      'initial events without match',
      'sendInitialEvents=true&allowWatchBookmarks=true',
      422,
      /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
    ],
    [
      'initial events of an exact version',
      'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=Exact&resourceVersion=RV',
      422,
      /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
    ],
    [
      'no initial events, without match',
      'sendInitialEvents=false',
      422,
      /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
    ],
    ['unknown match', 'resourceVersionMatch=Sometimes&resourceVersion=RV', 422, needsInitial],
  ])('Invalid: %s', async (_name, query, code, message) => {
    const answer = await stage.far.admin.get(`${pathOf(configMaps, query)(past)}&watch=true`);
    expect(answer.status).toBe(code);
    const reason = code === 422 ? 'Invalid' : 'BadRequest';
    expect(answer.json()).toMatchObject({ kind: 'Status', code, reason });
    if (code === 422) expect(answer.json()).toMatchObject({ details: { kind: 'ListOptions' } });
    expect(answer.json()['message']).toMatch(message);
  });
});
