/** OpenAPI documents of other servers: what is used of them, and how it joins the document of this service. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../../../src/base/json.ts';
import { check } from '../../../../src/http/openapi/remote/job.ts';
import { linesOf } from '../../../../src/http/openapi/remote/local-definitions.ts';
import { Merging, type Merged } from '../../../../src/http/openapi/remote/merging.ts';
import { OpenApiThread } from '../../../../src/http/openapi/remote/openapi-thread.ts';
import { RemoteOpenApi, type RemoteDescription } from '../../../../src/http/openapi/remote/remote-openapi.ts';
import { createAggregationMetrics } from '../../../../src/observe/aggregation-metrics.ts';
import { silentLogger } from '../../../../src/observe/log.ts';
import { Metrics } from '../../../../src/observe/metrics.ts';
import { HandClock } from '../../../support/hand-clock.ts';
import { repositoryRoot } from '../../../support/paths.ts';
import { waitFor } from '../../../support/wait-for.ts';

const gv = { group: 'g.example.com', version: 'v1' };
const path = '/apis/g.example.com/v1/things';
const thing = 'test.Thing';

function bytes(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

function reference(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

function get(name: string, more: JsonObject = {}): JsonObject {
  const responses = { 200: { description: 'OK', schema: reference(name) } };
  return { get: { produces: ['application/json'], responses, ...more } };
}

function document(more: JsonObject = {}): JsonObject {
  return {
    swagger: '2.0',
    info: { title: 'other', version: 'v7' },
    paths: { [path]: get(thing) },
    definitions: { [thing]: { type: 'object' } },
    ...more,
  };
}

async function checked(
  value: unknown,
): Promise<{ v2: JsonObject | undefined; v3: JsonObject | undefined; problems: readonly string[] }> {
  const { v2, v3, problems } = await check({ ...gv, v2: bytes(value), v3: undefined });
  const parsed = (part: Uint8Array | undefined): JsonObject | undefined =>
    part && (JSON.parse(Buffer.from(part).toString()) as JsonObject);
  return { v2: parsed(v2), v3: parsed(v3?.json), problems };
}

test('only what belongs to the registered group version is used', async () => {
  const { v2, problems } = await checked(
    document({
      paths: {
        [path]: get(thing),
        '/apis/g.example.com/': get('test.Group'),
        '/apis/g.example.com/v1beta1/things': get('test.Old'),
        '/apis/g.example.com/v10/things': get('test.Old'),
        '/apis/apps/v1/deployments': get('test.Forged'),
        '/version/': get('test.Forged'),
      },
      definitions: {
        [thing]: { type: 'object', properties: { part: reference('test.Part') } },
        'test.Part': { type: 'object', properties: { whole: reference(thing) } },
        'test.Group': { type: 'object' },
        'test.Kind': { type: 'object', 'x-kubernetes-group-version-kind': [{ ...gv, kind: 'Kind' }] },
        'test.Old': { type: 'object' },
        'test.Forged': { type: 'object' },
      },
    }),
  );
  expect(problems).toEqual([]);
  expect(Object.keys(v2!['paths'] as JsonObject).sort()).toEqual(['/apis/g.example.com/', path]);
  expect(Object.keys(v2!['definitions'] as JsonObject).sort()).toEqual([
    'test.Group',
    'test.Kind',
    'test.Part',
    thing,
  ]);
});

test('shared parameters are written out', async () => {
  const pretty = { name: 'pretty', in: 'query', type: 'string' };
  const parameters = [{ $ref: '#/parameters/pretty' }];
  const { v2 } = await checked(
    document({ parameters: { pretty }, paths: { [path]: { ...get(thing), parameters } } }),
  );
  expect(v2).toMatchObject({ paths: { [path]: { parameters: [pretty] } } });
});

test.each([
  ['no JSON', '{"swagger":'],
  ['no object', '[]'],
  ['another version', { swagger: '3.0' }],
  ['deep nesting', '['.repeat(200_000)],
  ['a reference that leads nowhere', document({ definitions: {} })],
  ['a reference to another file', document({ definitions: { [thing]: { $ref: 'https://example.com/x' } } })],
  [
    'a parameter that is not there',
    document({ paths: { [path]: { parameters: [{ $ref: '#/parameters/a' }] } } }),
  ],
  ['paths that are none', document({ paths: ['x'] })],
  ['a type that is a number', document({ definitions: { [thing]: { type: 5 } } })],
  ['a definition that is a text', document({ definitions: { [thing]: 'x' } })],
])('%s is refused as a whole', async (_what, value) => {
  const { v2, v3, problems } = await checked(value);
  expect([v2, v3]).toEqual([undefined, undefined]);
  expect(problems).toEqual([expect.stringMatching(/^OpenAPI v2: ./)]);
});

test('a part of more than 8 MiB is refused', async () => {
  const { problems } = await checked(
    document({ definitions: { [thing]: { description: 'x'.repeat(9 * 2 ** 20) } } }),
  );
  expect(problems.join()).toContain('bytes for one group version');
});

test('200,000 paths are refused', async () => {
  const many = Array.from({ length: 200_000 }, (_, i) => [`${path}/${String(i)}`, {}] as const);
  const { v2, problems } = await checked(document({ paths: Object.fromEntries(many) }));
  expect(v2).toBeUndefined();
  expect(problems).toEqual(['OpenAPI v2: more than 20000 paths and definitions for one group version']);
});

test('without v3, a document of v3 says the same', async () => {
  const body = { name: 'body', in: 'body', required: true, schema: reference(thing) };
  const query = { name: 'limit', in: 'query', type: 'integer', description: 'How many.' };
  const { v3 } = await checked(
    document({
      paths: {
        [path]: { ...get(thing, { consumes: ['text/x'], parameters: [body, query] }), parameters: [query] },
      },
    }),
  );
  const schema = { $ref: `#/components/schemas/${thing}` };
  const parameter = { name: 'limit', in: 'query', description: 'How many.', schema: { type: 'integer' } };
  expect(v3).toEqual({
    openapi: '3.0.0',
    info: { title: 'other', version: 'v7' },
    paths: {
      [path]: {
        get: {
          parameters: [parameter],
          requestBody: { content: { 'text/x': { schema } }, required: true },
          responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
        },
        parameters: [parameter],
      },
    },
    components: { schemas: { [thing]: { type: 'object' } } },
  });
});

test('v3 of the server is used as it is, but for paths of others', async () => {
  const own = { get: { responses: { 200: { description: 'OK' } } } };
  const v3 = {
    openapi: '3.0.0',
    info: {},
    paths: { [path]: own, '/apis/apps/v1/x': own },
    components: { schemas: { a: { type: 'string' } } },
  };
  const found = await check({ ...gv, v2: undefined, v3: bytes(v3) });
  expect(found.problems).toEqual([]);
  expect(JSON.parse(Buffer.from(found.v3!.json).toString())).toMatchObject({
    paths: { [path]: own },
    components: v3.components,
  });
  expect(found.v3!.protobuf.byteLength).toBeGreaterThan(0);
  expect(Buffer.from(found.v3!.json).toString()).not.toContain('/apis/apps');
  const broken = await check({
    ...gv,
    v2: undefined,
    v3: bytes({ ...v3, components: { schemas: { a: { $ref: '#/x' } } } }),
  });
  expect(broken).toMatchObject({ v3: undefined, problems: [expect.stringContaining('leads nowhere')] });
});

interface Sources {
  readonly sources: readonly Buffer[];
  readonly paths?: readonly string[];
  /** Of this service as JSON, `"name":value`. */
  readonly definitions?: readonly Buffer[];
}

function merge({ sources, paths = [], definitions = [] }: Sources): Promise<Merged> {
  const merging = new Merging(paths);
  for (const source of sources) merging.addSource(source);
  merging.addLocal(Buffer.from(definitions.join('\n')));
  return merging.finish();
}

async function* batches(...all: Uint8Array<ArrayBuffer>[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const batch of all) yield await Promise.resolve(batch);
}

async function merged(
  local: JsonObject,
  ...sources: JsonObject[]
): Promise<{ paths: JsonObject; definitions: JsonObject }> {
  const definitions = Object.entries(local).map(([name, value]) =>
    bytes(`${JSON.stringify(name)}:${JSON.stringify(value)}`),
  );
  const { paths, definitions: added } = await merge({
    paths: ['/version/'],
    definitions,
    sources: sources.map(bytes),
  });
  const object = (members: Merged['paths']): JsonObject =>
    JSON.parse(`{${members.json.map((member) => Buffer.from(member).toString()).join()}}`) as JsonObject;
  expect([paths.protobuf.length, added.protobuf.length]).toEqual([paths.json.length, added.json.length]);
  return { paths: object(paths), definitions: object(added) };
}

test('definitions that mean the same are shared, others get a new name wherever they are meant', async () => {
  const local = {
    same: { type: 'string', 'x-orch-group-version-kind': [] },
    other: { type: 'string' },
    other_v2: { type: 'boolean' },
  };
  const source = {
    paths: { [path]: get('other'), '/version/': get('same') },
    definitions: {
      same: { type: 'string', 'x-kubernetes-group-version-kind': [{ kind: 'X' }] },
      other: { type: 'object', properties: { again: reference('other'), same: reference('same') } },
      fresh: { type: 'array', items: reference('other') },
    },
  };
  const { paths, definitions } = await merged(local, source);
  expect(paths).toEqual({ [path]: get('other_v3') });
  expect(definitions).toEqual({
    other_v3: { type: 'object', properties: { again: reference('other_v3'), same: reference('same') } },
    fresh: { type: 'array', items: reference('other_v3') },
  });
});

test('documents are merged one after the other: the first one keeps path and name', async () => {
  const one = { paths: { [path]: get('a') }, definitions: { a: { type: 'string' } } };
  const two = {
    paths: { [path]: get('a'), [`${path}/more`]: get('a') },
    definitions: { a: { type: 'object' } },
  };
  const { paths, definitions } = await merged({}, one, two, two);
  expect(paths).toEqual({ [path]: get('a'), [`${path}/more`]: get('a_v2') });
  expect(definitions).toEqual({ a: { type: 'string' }, a_v2: { type: 'object' } });
});

test('a document of more values than a heap has room for is not read: the end of its thread may be that of the process', async () => {
  const text = `[${'{},'.repeat(5_000_000)}{}]`;
  const { problems } = await check({ ...gv, v2: bytes(text), v3: bytes(text) });
  expect(problems).toEqual(['OpenAPI v2: more than 500000 values', 'OpenAPI v3: more than 500000 values']);
});

test('of documents that are too many together the last are left out, those that are small are not', async () => {
  // A comma is taken for a value, wherever it is.
  const source = (name: string, description: string): Buffer =>
    bytes({ paths: { [`${path}/${name}`]: get('a') }, definitions: { [name]: { description } } });
  const sources = ['a', 'b', 'c', 'd'].map((name) => source(name, ','.repeat(490_000)));
  const { leftOut, paths } = await merge({
    sources: [...sources, source('small', '')],
  });
  expect(leftOut).toBe(1);
  const members = paths.json.map((member) => Buffer.from(member).toString());
  expect(members.map((member) => /things\/(\w+)/.exec(member)?.[1])).toEqual(['a', 'b', 'c', 'small']);
});

test('names of JavaScript are names', async () => {
  const text = `{"paths":{},"definitions":{"__proto__":{"type":"string"},"constructor":{"type":"object"}}}`;
  const { definitions } = await merge({ sources: [bytes(text)] });
  expect(definitions.json.map((member) => Buffer.from(member).toString())).toEqual([
    '"__proto__":{"type":"string"}',
    '"constructor":{"type":"object"}',
  ]);
});

test('definitions of this service are given away about a megabyte at a time, each name once', async () => {
  const member = (name: string): [string, Buffer] => [name, bytes(`"${name}":"${'x'.repeat(100_000)}"`)];
  const names = (from: number): string[] => Array.from({ length: 30 }, (_, i) => `name${String(from + i)}`);
  async function* groups(): AsyncGenerator<ReadonlyMap<string, Buffer>> {
    for (const from of [0, 10, 20]) yield await Promise.resolve(new Map(names(from).map(member)));
  }
  const found: string[] = [];
  for await (const batch of linesOf(groups())) {
    expect([batch.byteOffset, batch.byteLength]).toEqual([0, batch.buffer.byteLength]);
    expect(batch.byteLength).toBeLessThan(1_300_000);
    const lines = Buffer.from(batch).toString().trimEnd().split('\n');
    found.push(...lines.map((line) => line.slice(1, line.indexOf('"', 1))));
  }
  expect(found).toEqual(Array.from({ length: 50 }, (_, i) => `name${String(i)}`));
});

test('documents that cannot be merged are an error, not a document without them', async () => {
  const merge = (): Promise<Merged> => Promise.reject(new Error('the thread of the document ended'));
  const thread = { merge } as unknown as OpenApiThread;
  const metrics = createAggregationMetrics(new Metrics());
  const remote = new RemoteOpenApi({ thread, metrics, log: silentLogger });
  const merging = remote.merge([], { paths: [], definitions: batches() });
  await expect(merging).rejects.toMatchObject({ code: 503 });
});

describe('in a thread', () => {
  const clock = new HandClock();
  const thread = new OpenApiThread(join(repositoryRoot, 'src/server/openapi-thread-main.ts'), clock);
  afterAll(() => thread.close());
  const job = { ...gv, v2: bytes(document()), v3: undefined };

  /** The highest number that a thread of this process has; each gets the next one. */
  async function threadsSoFar(): Promise<number> {
    const last = new Worker('', { eval: true });
    const { threadId } = last;
    await last.terminate();
    return threadId;
  }

  test('one thread works on many documents; it ends after a while without work', async () => {
    await thread.check(job);
    const before = await threadsSoFar();
    for (let i = 0; i < 5; i += 1) expect((await thread.check(job)).problems).toEqual([]);
    expect(await threadsSoFar()).toBe(before + 1);

    clock.advance(10_000);
    expect(clock.timers).toBe(0);
    expect((await thread.check(job)).problems).toEqual([]);
    expect(await threadsSoFar()).toBe(before + 3);
  }, 60_000);

  test('documents are merged into one that is larger than the heap of the thread', async () => {
    const own = { [thing]: { type: 'string' } };
    const line = (name: string, value: unknown): string =>
      `${JSON.stringify(name)}:${JSON.stringify(value)}\n`;
    const filler = { description: 'x'.repeat(1_000_000) };
    async function* definitions(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      for (let i = 0; i < 300; i += 1)
        yield await Promise.resolve(Uint8Array.from(bytes(line(`a${String(i)}`, filler))));
      yield Uint8Array.from(bytes(line(thing, own[thing])));
    }
    const made = await thread.merge({ paths: [], sources: [bytes(document())], definitions: definitions() });
    expect(made.definitions.json.map((member) => Buffer.from(member).toString())).toEqual([
      `"${thing}_v2":{"type":"object"}`,
    ]);
  }, 60_000);

  test('documents are checked and merged beside the one that is refused', async () => {
    const metrics = new Metrics();
    const remote = new RemoteOpenApi({
      thread,
      metrics: createAggregationMetrics(metrics),
      log: silentLogger,
    });
    const good: RemoteDescription = { name: 'v1.g.example.com', ...gv, v2: bytes(document()), v3: undefined };
    const bad = { ...good, name: 'v1.bad.example.com', v2: bytes('['.repeat(10_000_000)) };
    remote.update([bad, good]);
    const current = await waitFor(
      'both are checked',
      () => remote.current().length === 2 && remote.current(),
      { timeout: 45_000 },
    );
    expect(current.map(({ v2 }) => v2 === undefined)).toEqual([true, false]);
    const result = await remote.merge(current, { paths: [], definitions: batches() });
    expect(result.paths.json.map((member) => Buffer.from(member).toString())).toEqual([
      expect.stringContaining(path),
    ]);
    remote.update([]);
    expect(remote.current()).toEqual([]);
    await remote.merge([], { paths: [], definitions: batches() });
    expect(await metrics.text()).toMatch(/count\{apiservice="v1\.g\.example\.com",reason="delete"\} 1/);
  });
});
