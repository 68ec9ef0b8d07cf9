/** Local APIServices follow what is served, whichever replica sees to them. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiClient, ApiObject } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Pair } from '../../support/custom-resources.ts';
import {
  definition,
  definitions,
  establish,
  startPair,
  widgetVersion,
} from '../../support/custom-resources.ts';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;
const services = '/apis/apiregistration.orch.io/v1/apiservices';

beforeAll(async () => {
  pair = await startPair();
  one = pair.one.admin;
  two = pair.two.admin;
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

function present(name: string, look: (found: ApiObject) => boolean = () => true): Promise<ApiObject> {
  return waitFor(`${name} is there`, async () => {
    const answer = await two.get(`${services}/${name}`);
    return answer.status === 200 && look(answer.json()) && answer.json();
  });
}

function absent(name: string): Promise<boolean> {
  return waitFor(`${name} is gone`, async () => (await two.get(`${services}/${name}`)).status === 404);
}

async function change(path: string, spec: JsonObject): Promise<void> {
  expect((await one.patch(path, 'merge', { spec })).status).toBe(200);
}

function version(name: string, served: boolean, storage = false): JsonObject {
  return { ...widgetVersion, name, served, storage };
}

test('those of built-in groups are recreated when they are deleted', async () => {
  const before = await one.ok('GET', `${services}/v1.apps`);
  await one.ok('DELETE', `${services}/v1.apps`);
  const after = await present('v1.apps', ({ metadata }) => metadata.uid !== before.metadata.uid);
  expect(after['spec']).toEqual(before['spec']);
  expect(after.metadata.labels).toEqual(before.metadata.labels);
});

test('that of the core group has a name without a group, keeps what users say, and leads nowhere else by itself', async () => {
  const path = `${services}/v1.`;
  const before = await one.ok('GET', path);
  expect(before).toMatchObject({
    spec: { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
  expect((before['spec'] as JsonObject)['group'] ?? '').toBe('');
  await change(path, { versionPriority: 2 });
  expect(await two.ok('GET', path)).toMatchObject({ spec: { versionPriority: 2 } });
  const refused = await one.post(services, {
    metadata: { name: 'v2.' },
    spec: { version: 'v2', groupPriorityMinimum: 5, versionPriority: 5 },
  });
  expect([refused.status, String(refused.json()['message'])]).toEqual([
    422,
    expect.stringContaining('spec.group: Required value'),
  ]);
  await one.ok('DELETE', path);
  const again = await present('v1.', ({ metadata }) => metadata.uid !== before.metadata.uid);
  expect(again['spec']).toEqual(before['spec']);
  // A user who is faster than the service makes the same object.
  const copy = { metadata: { name: 'v1.' }, spec: before['spec'] as JsonObject };
  expect((await one.post(services, copy)).status).toBe(409);
  expect((await one.get('/api/v1/namespaces')).status).toBe(200);
});

test('a definition has one for each version that is served, until it is served no more', async () => {
  const made = definition('wheels', 'Wheel', {
    group: 'cars.example.com',
    versions: [version('v1', true, true), version('v2beta1', true), version('v3', false)],
  });
  (made['metadata'] as JsonObject)['name'] = 'wheels.cars.example.com';
  await establish(one, made);
  expect(await present('v1.cars.example.com')).toMatchObject({
    metadata: { labels: { 'kube-aggregator.orch.io/automanaged': 'true' } },
    spec: { group: 'cars.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
  await present('v2beta1.cars.example.com');

  const path = `${definitions}/wheels.cars.example.com`;
  const versions = [version('v1', true, true), version('v2beta1', false), version('v3', true)];
  await change(path, { versions });
  await absent('v2beta1.cars.example.com');
  await present('v3.cars.example.com');

  await change(`${services}/v3.cars.example.com`, { versionPriority: 7 });
  await present('v3.cars.example.com', ({ spec }) => (spec as JsonObject)['versionPriority'] === 100);

  await one.ok('DELETE', path);
  await absent('v1.cars.example.com');
  await absent('v3.cars.example.com');
});

test('what people made themselves under such a name stays theirs', async () => {
  const spec = { group: 'mine.example.com', version: 'v1', groupPriorityMinimum: 5, versionPriority: 5 };
  const own = await one.ok('POST', services, { metadata: { name: 'v1.mine.example.com' }, spec });
  const made = definition('tools', 'Tool', { group: 'mine.example.com' });
  made['metadata'] = { name: 'tools.mine.example.com' };
  await establish(one, made);
  // What follows a later definition tells that this one was looked at.
  const later = definition('wrenches', 'Wrench', { group: 'later.example.com' });
  later['metadata'] = { name: 'wrenches.later.example.com' };
  await establish(one, later);
  await present('v1.later.example.com');
  await one.ok('DELETE', `${definitions}/tools.mine.example.com`);
  await one.ok('DELETE', `${definitions}/wrenches.later.example.com`);
  await absent('v1.later.example.com');
  expect(await one.ok('GET', `${services}/v1.mine.example.com`)).toEqual(own);
});

test('readiness reports that all are registered, and remembers registered ones', async () => {
  expect((await one.get('/readyz?verbose')).text).toContain('[+]autoregister-completion ok');
  expect((await one.get('/livez/autoregister-completion')).status).toBe(200);
  await one.ok('DELETE', `${services}/v1.batch`);
  expect((await one.get('/readyz/autoregister-completion')).status).toBe(200);
  await present('v1.batch');
});
