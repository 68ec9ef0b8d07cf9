/** What the controllers' client over HTTPS makes of answers that something is not there. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { LongAnswerError } from '../../../src/base/long-answer.ts';
import { IncompleteDiscovery } from '../../../src/controllers/types.ts';
import { isObjectAlreadyExists, isObjectNotFound, ObjectNotFound } from '../../../src/meta/object-errors.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { alreadyExists, notFound, StatusError, unknownResource } from '../../../src/meta/status.ts';
import { createHttpsClient } from '../../../src/client/https-client.ts';
import type { ApiRequest } from '../../../src/webhook/api-transport.ts';
import type { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { resourceRef } from '../../support/fake-api-client.ts';

const maps = resourceRef('Map');
const ref = { resource: maps, namespace: 'a', name: 'x' };
const { signal } = new AbortController();

function answering(error: StatusError): ReturnType<typeof createHttpsClient> {
  const transport = { json: () => Promise.reject(error) } as unknown as HttpsTransport;
  return createHttpsClient(systemEnvironment, transport, namingProfiles.orch);
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('an object that is not there is undefined, and by type the error of a write', async () => {
  const client = answering(notFound(maps, 'x'));
  expect(await client.get(ref, signal)).toBeUndefined();
  expect(isObjectNotFound(await errorOf(client.patch(ref, {}, signal)), ref)).toBe(true);
  expect(isObjectNotFound(await errorOf(client.delete(ref, {}, signal)), ref)).toBe(true);
});

test.each([
  ['the resource is not served', unknownResource()],
  ['another object is missing', notFound(maps, 'y')],
  ['an object of another resource is missing', notFound({ group: '', resource: 'nodes' }, 'x')],
  ['something is missing', new StatusError(404, 'NotFound', 'maps "x" not found')],
])('where %s, nothing is said of the object', async (_what, error) => {
  const client = answering(error);
  expect(await errorOf(client.get(ref, signal))).toBe(error);
  expect(await errorOf(client.delete(ref, {}, signal))).toBe(error);
});

test('a creation says whether it is the object that exists, or the namespace that does not', async () => {
  const object = { apiVersion: 'v1', kind: 'Map', metadata: { name: 'x' } };
  const create = (error: StatusError): Promise<unknown> =>
    errorOf(answering(error).create(maps, 'a', object, signal));
  expect(isObjectAlreadyExists(await create(alreadyExists(maps, 'x')), ref)).toBe(true);
  expect(isObjectAlreadyExists(await create(alreadyExists(maps, 'y')), ref)).toBe(false);
  const home = { resource: { group: '', resource: 'namespaces' }, namespace: '', name: 'a' };
  const missing = await create(notFound(home.resource, 'a'));
  expect(missing).toBeInstanceOf(ObjectNotFound);
  expect(isObjectNotFound(missing, home)).toBe(true);
});

describe('a server that is silent', () => {
  const never = (_ask: unknown, stop: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      stop.addEventListener('abort', () => reject(stop.reason as Error));
    });

  test('is not waited for beyond the deadline of a request', async () => {
    const transport = { json: never } as unknown as HttpsTransport;
    const client = createHttpsClient(systemEnvironment, transport, namingProfiles.orch, {
      times: { requestMs: 20, watchMs: 1_000 },
    });
    const calls = [
      client.get(ref, signal),
      client.listMetadata(maps, '', signal),
      client.deleteCollection(maps, 'a', signal),
    ];
    for (const call of calls) expect(await errorOf(call)).toMatchObject({ name: 'TimeoutError' });
  });

  test('watches end after different times', async () => {
    const paths: string[] = [];
    const lines = async function* ({ path }: { path: string }): AsyncGenerator<never> {
      paths.push(path);
      await Promise.resolve();
    };
    const client = createHttpsClient(
      systemEnvironment,
      { lines } as unknown as HttpsTransport,
      namingProfiles.orch,
    );
    const watch = { resourceVersion: '1', onEvent: () => undefined, onProgress: () => undefined };
    for (let i = 0; i < 20; i++) await client.watchMetadata(maps, watch, signal);
    const seconds = paths.map((path) => Number(/timeoutSeconds=(\d+)/.exec(path)?.[1]));
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(new Set(seconds).size).toBeGreaterThan(5);
  });
});

test('a group that does not answer hides no other', async () => {
  const json = ({ path }: { path: string }): Promise<object> => {
    const groups = ['good.example.com', 'bad.example.com', 'gone.example.com'];
    if (path === '/apis')
      return Promise.resolve({ groups: groups.map((g) => ({ versions: [{ groupVersion: `${g}/v1` }] })) });
    if (path.includes('bad')) return Promise.reject(new StatusError(503, 'ServiceUnavailable', 'no answer'));
    if (path.includes('gone')) return Promise.reject(unknownResource());
    const groupVersion = path.replace(/^\/apis?\//, '');
    return Promise.resolve({ groupVersion, resources: [{ name: 'things', kind: 'Thing', verbs: ['list'] }] });
  };
  const client = createHttpsClient(
    systemEnvironment,
    { json } as unknown as HttpsTransport,
    namingProfiles.orch,
  );
  const error = await errorOf(client.discover(signal));
  expect(error).toBeInstanceOf(IncompleteDiscovery);
  const { resources, groups } = error as IncompleteDiscovery;
  expect(resources.map(({ group }) => group)).toEqual(['', 'good.example.com']);
  expect([...groups]).toEqual(['bad.example.com']);
});

test.each([
  [{ major: '1', minor: '24+' }, 24],
  [{ major: '1', minor: '9' }, 9],
])('the minor version of %j', async (version, minor) => {
  const transport = { json: () => Promise.resolve(version) } as unknown as HttpsTransport;
  const client = createHttpsClient(systemEnvironment, transport, namingProfiles.orch);
  expect(await client.minorVersion(signal)).toBe(minor);
});

test('a response of /version without one is an error', async () => {
  const transport = { json: () => Promise.resolve({}) } as unknown as HttpsTransport;
  const client = createHttpsClient(systemEnvironment, transport, namingProfiles.orch);
  await expect(client.minorVersion(signal)).rejects.toThrow('has no minor version');
});

test('whole objects are asked for in pages of bounded bytes, and the next page when all of one were handled', async () => {
  const pages: string[] = [];
  const bounds: (number | undefined)[] = [];
  const json = ({ path }: ApiRequest, _signal: AbortSignal, longest?: number): Promise<JsonObject> => {
    bounds.push(longest);
    const limit = Number(/limit=([0-9]+)/.exec(path)?.[1]);
    if (limit > 5) return Promise.reject(new LongAnswerError(longest ?? 0));
    const page = Number(/continue=([0-9]+)/.exec(path)?.[1] ?? '0');
    pages.push(`page ${String(page)}`);
    const items = Array.from({ length: limit }, (_, i) => ({
      metadata: { name: String(page * limit + i) },
    }));
    return Promise.resolve({ metadata: page < 3 ? { continue: String(page + 1) } : {}, items });
  };
  const transport = { json } as unknown as HttpsTransport;
  const client = createHttpsClient(systemEnvironment, transport, namingProfiles.orch);
  const onItem = async ({ metadata }: ApiObject): Promise<void> => {
    await new Promise(setImmediate);
    pages.push(metadata.name ?? '');
  };
  await client.eachObject(maps, { namespace: 'a', onItem }, signal);
  const expected = Array.from({ length: 20 }, (_, i) => [
    ...(i % 5 === 0 ? [`page ${String(i / 5)}`] : []),
    String(i),
  ]);
  expect(pages).toEqual(expected.flat());
  expect(new Set(bounds)).toEqual(new Set([32 * 1024 * 1024]));
  expect(await client.count(maps, 'a', signal)).toBe(20);
});
