/** The controllers' client where other servers serve some group versions. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createAggregatingClient } from '../../../src/client/aggregating-client.ts';
import type { ApiPlace } from '../../../src/client/api-places.ts';
import { LongAnswerError } from '../../../src/base/long-answer.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { IncompleteDiscovery, type ApiClient } from '../../../src/controllers/types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { serviceUnavailable } from '../../../src/meta/status.ts';
import type { ApiRequest, ApiTransport } from '../../../src/webhook/api-transport.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';

const maps = resourceRef('Map');
const things = resourceRef('Thing', { group: 'far.example.com' });
const { signal } = new AbortController();

let local: FakeApiClient;
let remote: { group: string; version: string }[];
let moving: AbortController;
let asked: ApiRequest[];
/** Answers in place of the server. */
let answer: (request: ApiRequest, longest: number | undefined) => JsonObject | Promise<JsonObject>;
let lines: ApiTransport['lines'];
let client: ApiClient;

beforeEach(() => {
  local = new FakeApiClient([maps]);
  local.put(maps, 'n', 'here');
  remote = [{ group: 'far.example.com', version: 'v1' }];
  moving = new AbortController();
  asked = [];
  answer = ({ path }) =>
    path === '/apis/far.example.com/v1' ? listOf('far.example.com/v1') : { metadata: {}, items: [] };
  lines = async function* () {
    // Nothing happens until the watch is ended.
    await new Promise((_resolve, reject) =>
      moving.signal.addEventListener('abort', () => reject(new Error('ended'))),
    );
    yield {};
  };
  const transport: ApiTransport = {
    json: async (request, _signal, longest) => {
      asked.push(request);
      return answer(request, longest);
    },
    lines: (request, stop) => lines(request, stop),
  };
  const here: ApiPlace = { transport: undefined, moved: new AbortController().signal };
  const of = (group: string, version: string): ApiPlace =>
    remote.some((one) => one.group === group && one.version === version)
      ? { transport, moved: moving.signal }
      : here;
  client = createAggregatingClient({
    ...systemEnvironment,
    ...{ local, naming: namingProfiles.kubernetes },
    places: { of, remote: () => remote },
  });
});

function listOf(groupVersion: string): JsonObject {
  const verbs = ['delete', 'list'];
  const entries = [
    { name: 'things', kind: 'Thing', namespaced: true, verbs },
    { name: 'things/status', kind: 'Thing', namespaced: true, verbs: ['get'] },
    { name: '../../../api/v1/pods', kind: 'Pod', namespaced: true, verbs },
  ];
  return { kind: 'APIResourceList', groupVersion, resources: entries };
}

function thing(name: string, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name, namespace: 'n', uid: name, ...metadata }, spec: { big: 'x' } };
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('resources of other servers are found beside those of this one; names that are no plurals are left out', async () => {
  const found = await client.discover(signal);
  expect(found.map(({ group, resource, verbs }) => [group, resource, verbs.length])).toEqual([
    ['', 'maps', 7],
    ['far.example.com', 'things', 2],
  ]);
});

test('a group version that moved away is not served here any more', async () => {
  local.resources = [maps, { ...things, verbs: [] }];
  const found = await client.discover(signal);
  expect(found.filter(({ resource }) => resource === 'things')).toMatchObject([
    { verbs: ['delete', 'list'] },
  ]);
});

test.each([
  ['does not answer', () => Promise.reject(serviceUnavailable('no answer')), 'far.example.com/v1: no answer'],
  ['answers for another group', () => listOf('apps/v1'), 'no APIResourceList of far.example.com/v1'],
  ['answers something else', () => ({}), 'no APIResourceList of far.example.com/v1'],
])('a server that %s hides no other', async (_what, how, message) => {
  answer = how;
  const error = (await errorOf(client.discover(signal))) as IncompleteDiscovery;
  expect(error).toBeInstanceOf(IncompleteDiscovery);
  expect(error.resources).toEqual([maps]);
  expect([...error.groups]).toEqual(['far.example.com']);
  expect(error.message).toContain(
    'unable to retrieve the complete list of server APIs: far.example.com/v1: ',
  );
  expect(error.message).toContain(message);
});

test('every call goes where the group version is served', async () => {
  expect(await client.get({ resource: maps, namespace: 'n', name: 'here' }, signal)).toBeDefined();
  expect(asked).toEqual([]);
  answer = ({ method }) => (method === 'GET' ? thing('there') : {});
  const ref = { resource: things, namespace: 'n', name: 'there' };
  expect(await client.get(ref, signal)).toMatchObject({ metadata: { name: 'there' } });
  await client.patch(ref, { metadata: { finalizers: [] } }, signal);
  await client.delete(ref, { uid: 'there', propagationPolicy: 'Background' }, signal);
  await client.deleteCollection(things, 'n', signal);
  const path = '/apis/far.example.com/v1/namespaces/n/things';
  expect(asked.map((request) => `${request.method} ${request.path}`)).toEqual([
    `GET ${path}/there`,
    `PATCH ${path}/there`,
    `DELETE ${path}/there`,
    `DELETE ${path}`,
  ]);
});

test('metadata have the types that controllers rely on, whatever a server sends', async () => {
  const owner = { apiVersion: 'v1', kind: 'Map', name: 'm', uid: 'u', controller: 'yes' };
  const metadata = { ownerReferences: [owner, null, { uid: 5 }], finalizers: ['f', 7], labels: 'none' };
  answer = () => ({
    metadata: { resourceVersion: '7' },
    items: [thing('a', { ...metadata, managedFields: [{}] })],
  });
  expect(await client.listMetadata(things, 'n', signal)).toEqual({
    resourceVersion: '7',
    items: [
      {
        apiVersion: 'far.example.com/v1',
        kind: 'Thing',
        metadata: {
          ...{ name: 'a', namespace: 'n', uid: 'a', finalizers: ['f'] },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Map', name: 'm', uid: 'u' }],
        },
      },
    ],
  });
});

test('a page that is too long is asked for in smaller ones', async () => {
  answer = ({ path }, longest) => {
    if (!path.includes('limit=50&') && !path.endsWith('limit=50')) throw new LongAnswerError(longest ?? 0);
    return path.includes('continue')
      ? { metadata: { resourceVersion: '7' }, items: [thing('b')] }
      : { metadata: { resourceVersion: '7', continue: 'more' }, items: [thing('a')] };
  };
  const { items } = await client.listMetadata(things, 'n', signal);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  answer = (_request, longest) => {
    throw new LongAnswerError(longest ?? 0);
  };
  expect(await errorOf(client.listMetadata(things, 'n', signal))).toBeInstanceOf(LongAnswerError);
});

test('a list without an end ends with an error', async () => {
  answer = () => ({ metadata: { continue: 'more' }, items: [] });
  expect(String(await errorOf(client.listMetadata(things, 'n', signal)))).toContain('a page without objects');
  const page = Array.from({ length: 20_000 }, (_, i) => thing(String(i)));
  answer = () => ({ metadata: { continue: 'more' }, items: page });
  expect(String(await errorOf(client.listMetadata(things, 'n', signal)))).toContain(
    'more than 100000 objects',
  );
});

test('a watch ends with 410 when another server takes over, in both directions', async () => {
  const watch = { resourceVersion: '1', onEvent: () => undefined, onProgress: () => undefined };
  const far = errorOf(client.watchMetadata(things, watch, signal));
  moving.abort();
  expect(await far).toMatchObject({ code: 410 });
  moving = new AbortController();
  const near = createAggregatingClient({
    ...systemEnvironment,
    ...{ local, naming: namingProfiles.kubernetes },
    places: { of: () => ({ transport: undefined, moved: moving.signal }), remote: () => [] },
  });
  const here = errorOf(near.watchMetadata(maps, watch, signal));
  expect(local.isWatched(maps)).toBe(true);
  moving.abort();
  expect(await here).toMatchObject({ code: 410 });
  expect(local.isWatched(maps)).toBe(false);
});
