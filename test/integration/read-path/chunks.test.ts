/** Lists in chunks, and lists of versions that are gone or not there yet, at two replicas of one service. */
import type { Answer, ApiList } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import {
  change,
  compact,
  configMaps,
  create,
  createMany,
  listOf,
  openStage,
  quiet,
  remove,
} from '../../support/read-path.ts';
import { stateOf, versionOf, withStreamingLists, type Stage } from '../../support/read-path.ts';

const count = 40;
const nameOf = (index: number): string => `c-${String(index).padStart(3, '0')}`;
const names = Array.from({ length: count }, (_none, index) => nameOf(index));

let stage: Stage;

beforeAll(async () => {
  stage = await openStage([...quiet, ...withStreamingLists]);
  await createMany(stage.near, names, { labels: { part: 'one' } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const pageOf = (limit: number, token: string, more = ''): string =>
  `${configMaps}?limit=${String(limit)}&continue=${token}${more}`;

/** All chunks; `between` happens after each. */
async function readChunks(
  replicaOf: (chunk: number) => Replica,
  query: string,
  between: (chunk: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<ApiList[]> {
  const chunks: ApiList[] = [];
  let token = '';
  do {
    const list: ApiList = await replicaOf(chunks.length).admin.list(
      `${configMaps}?${query}${token === '' ? '' : `&continue=${token}`}`,
    );
    chunks.push(list);
    token = list.metadata.continue ?? '';
    await between(chunks.length);
  } while (token !== '');
  return chunks;
}

test('while the collection changes, chunks of any size, from replicas in turn, are one state', async () => {
  const whole = stateOf(await stage.near.admin.list(configMaps));
  for (const limit of [1, 7, 39, 40, 41]) {
    const chunks = await readChunks(
      (chunk) => (chunk % 2 === 0 ? stage.near : stage.far),
      `limit=${String(limit)}`,
      async (chunk) => {
        if (chunk > 3) return;
        const victim = nameOf(count - chunk);
        await remove(stage.near, victim);
        await create(stage.near, `c-${String(chunk)}-new`);
        await create(stage.near, victim, '1', { labels: { part: 'one' } });
        await remove(stage.near, `c-${String(chunk)}-new`);
      },
    );
    expect(chunks.flatMap(stateOf)).toEqual(whole);
    expect(new Set(chunks.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
    const remaining = chunks.map(({ metadata }) => metadata.remainingItemCount);
    const expected = chunks.map((_chunk, index) => Math.max(0, count - limit * (index + 1)) || undefined);
    expect(remaining).toEqual(expected);
  }
});

test('with selectors the chunks are of what is selected, and what remains is not said', async () => {
  await change(stage.near, nameOf(20), '2', { labels: { part: 'two' } });
  for (const [query, expected] of [
    ['labelSelector=part%3Done', names.filter((name) => name !== nameOf(20))],
    ['labelSelector=part%3Dtwo', [nameOf(20)]],
    [`fieldSelector=metadata.name!%3D${nameOf(3)}`, names.filter((name) => name !== nameOf(3))],
    ['labelSelector=part%3Dthree', []],
  ] as const) {
    const chunks = await readChunks(() => stage.far, `limit=9&${query}`);
    const read = chunks.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
    expect([query, read]).toEqual([query, expected]);
    expect(chunks.map(({ metadata }) => metadata.remainingItemCount)).toEqual(chunks.map(() => undefined));
    for (const { items } of chunks.slice(0, -1)) expect(items.length).toBe(9);
  }
});

test('a token works at a replica that was started after it was given', async () => {
  const first = await stage.near.admin.list(`${configMaps}?limit=10`);
  await remove(stage.near, nameOf(15));
  await stage.far.stop();
  await stage.far.start();
  const rest = await stage.far.admin.list(pageOf(500, first.metadata.continue ?? ''));
  await create(stage.near, nameOf(15), '1', { labels: { part: 'one' } });
  expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(10));
});

test('a chunk may not name a version of its own; malformed tokens are 400', async () => {
  const first = await stage.near.admin.list(`${configMaps}?limit=10`);
  const token = first.metadata.continue ?? '';
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  const malformed = [
    'x',
    'nonsense!',
    `${token}x!`,
    encoded('{}'),
    encoded('[1]'),
    encoded('{"rv":1,"after":""}'),
  ];
  malformed.push(encoded('{"rv":0,"after":"a"}'), encoded('{"rv":"1","after":"a"}'), 'A'.repeat(6_000));
  for (const text of malformed) {
    const answer = await stage.near.admin.get(pageOf(5, encodeURIComponent(text)));
    expect([text, answer.status]).toEqual([text, 400]);
    expect(answer.json()).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
  }
});

describe('after a compaction', () => {
  let first: ApiList;
  let refused: Answer;

  beforeAll(async () => {
    first = await stage.near.admin.list(`${configMaps}?limit=10`);
    await remove(stage.near, nameOf(25));
    const changed = await create(stage.near, 'c-900');
    await compact(stage.etcd, versionOf(changed));
    await stage.far.stop();
    await stage.far.start();
    refused = await stage.far.admin.get(pageOf(500, first.metadata.continue ?? ''));
  });

  test('a token of before is 410 and comes with one that goes on at the newest state', async () => {
    expect(refused.status).toBe(410);
    const body = refused.json() as unknown as ApiList;
    expect(body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    expect(body['message']).toMatch(/too old to display a consistent list.*continue token of this answer/);
    const next = await stage.far.admin.list(pageOf(20, body.metadata.continue ?? ''));
    const last = await stage.far.admin.list(pageOf(20, next.metadata.continue ?? ''));
    const read = [...next.items, ...last.items].map(({ metadata }) => metadata.name);
    expect(read).toEqual([...names.slice(10).filter((name) => name !== nameOf(25)), 'c-900']);
    expect(last.metadata.resourceVersion).toBe(next.metadata.resourceVersion);
    expect(versionOf(next)).toBeGreaterThan(versionOf(first));
  });

  test('the replica that still holds the state goes on with it', async () => {
    const rest = await stage.near.admin.list(pageOf(500, first.metadata.continue ?? ''));
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(10));
  });

  test('an exact version of before is 410', async () => {
    for (const query of ['resourceVersionMatch=Exact', 'limit=5']) {
      const path = `${configMaps}?${query}&resourceVersion=${first.metadata.resourceVersion}`;
      const answer = await stage.far.admin.get(path);
      expect(answer.json()).toMatchObject({ code: 410, reason: 'Expired' });
      expect(answer.json()['message']).toMatch(/^too old resource version: \d+ \(\d+\)/);
    }
  });

  test('not older than a version of before is no matter', async () => {
    const path = `${configMaps}?resourceVersion=${first.metadata.resourceVersion}`;
    expect(listOf(await stage.far.admin.get(path)).items.length).toBe(count);
  });
});

test('a future version is waited for, then 504', async () => {
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const asked = [
    `/${nameOf(0)}?`,
    '?',
    '?resourceVersionMatch=Exact&',
    '?limit=3&',
    '?resourceVersionMatch=NotOlderThan&limit=3&',
    '?watch=true&',
    `?watch=true&${initial}&`,
  ];
  // More digits than a number holds.
  const tooLarge = '18446744073709551615';
  const begun = performance.now();
  const answers = asked.map((path) => stage.far.admin.get(`${configMaps}${path}resourceVersion=${tooLarge}`));
  for (const [index, asking] of answers.entries()) {
    const answer = await asking;
    expect(performance.now() - begun).toBeGreaterThan(2_500);
    expect([asked[index], answer.status, answer.headers['retry-after']]).toEqual([asked[index], 504, '1']);
    expect(answer.json()).toMatchObject({
      reason: 'Timeout',
      message: expect.stringMatching(
        new RegExp(`^Too large resource version: ${tooLarge}, current: \\d+$`),
      ) as string,
      details: {
        retryAfterSeconds: 1,
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      },
    });
  }
});
