/** The objects of flow control at two replicas: made, restored, followed, and told of when they dangle. */
import type { ApiObject } from '../../support/api-object.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startServices, type Services } from '../../support/authorized-server.ts';
import { api, flowSchema, headersOf, priorityLevel } from './support.ts';

const owned = new AsyncDisposableStack();
let services: Services;

beforeAll(async () => {
  services = owned.use(await startServices(2, ['--authorization-mode=AlwaysAllow']));
}, 60_000);
afterAll(() => owned.disposeAsync());

const [schemas, levels] = [`${api}/flowschemas`, `${api}/prioritylevelconfigurations`];
const namesOf = async (path: string): Promise<(string | undefined)[]> =>
  (await services.admin.list(path)).items.map(({ metadata }) => metadata.name);

test('every service begins with the mandatory and the suggested objects', async () => {
  expect(await namesOf(levels)).toEqual([
    'catch-all',
    'exempt',
    'global-default',
    'leader-election',
    'system',
    'workload-high',
    'workload-low',
  ]);
  expect(await namesOf(schemas)).toEqual([
    ...['catch-all', 'exempt', 'global-default', 'orch-controller-manager', 'orch-scheduler'],
    ...['orch-system-service-accounts', 'probes', 'service-accounts', 'system-leader-election'],
    ...['system-nodes', 'workload-leader-election'],
  ]);
  await waitFor('conditions of all', async () => {
    const { items } = await services.admin.list(schemas);
    return items.every((item) => danglingOf(item) === 'False');
  });
});

function danglingOf(object: ApiObject): string | undefined {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.find(({ type }) => type === 'Dangling')?.status;
}

test.each([
  [levels, 'catch-all'],
  [schemas, 'exempt'],
  [schemas, 'probes'],
  [levels, 'workload-low'],
])('%s %s comes back when it is deleted', async (path, name) => {
  const before = await services.admin.ok('GET', `${path}/${name}`);
  await services.admin.ok('DELETE', `${path}/${name}`);
  const after = await waitFor(`${name} to be back`, async () => {
    const answer = await services.admin.get(`${path}/${name}`);
    return answer.status === 200 && answer.json();
  });
  expect(after['spec']).toEqual(before['spec']);
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
});

test('mandatory objects cannot be changed', async () => {
  const body = { spec: { limited: { assuredConcurrencyShares: 6 } } };
  expect((await services.admin.patch(`${levels}/catch-all`, 'merge', body)).status).toBe(422);
});

test('a suggested object that somebody changed stays so, until its annotation says otherwise', async () => {
  const path = `${levels}/workload-high`;
  const shares = async (): Promise<unknown> => {
    const { spec } = (await services.admin.ok('GET', path)) as unknown as {
      spec: { limited: { assuredConcurrencyShares: number } };
    };
    return spec.limited.assuredConcurrencyShares;
  };
  await services.admin.patch(path, 'merge', { spec: { limited: { assuredConcurrencyShares: 41 } } });
  // The next object to come back shows that they were looked at after the change.
  await services.admin.ok('DELETE', `${schemas}/probes`);
  await waitFor('probes', async () => (await services.admin.get(`${schemas}/probes`)).status === 200);
  expect(await shares()).toBe(41);
  const annotations = { 'apf.orch.io/autoupdate-spec': 'true' };
  await services.admin.patch(path, 'merge', { metadata: { annotations } });
  await waitFor('the number of the release', async () => (await shares()) === 40);
});

test('schemas and levels count at every replica as soon as its events are there; answers name them', async () => {
  const level = await services.admin.ok('POST', levels, priorityLevel('own', { shares: 5 }));
  const schema = await services.admin.ok(
    'POST',
    schemas,
    flowSchema('own', 'own', { kind: 'User', user: { name: 'ann' } }),
  );
  for (const replica of [0, 1]) {
    await waitFor(`replica ${String(replica)}`, async () => {
      const uids = await headersOf(services.as('ann', replica));
      return uids[0] === schema.metadata.uid && uids[1] === level.metadata.uid;
    });
    expect((await headersOf(services.as('bob', replica)))[0]).not.toBe(schema.metadata.uid);
  }
  await services.admin.ok('DELETE', `${schemas}/own`);
  await waitFor('the schema to count no more', async () => {
    return (await headersOf(services.as('ann')))[0] !== schema.metadata.uid;
  });
});

test('a schema without its level dangles and is passed over, until the level is there', async () => {
  const bob = { kind: 'User', user: { name: 'bob' } };
  const schema = await services.admin.ok('POST', schemas, flowSchema('early', 'later', bob));
  const dangling = async (): Promise<string | undefined> =>
    danglingOf(await services.admin.ok('GET', `${schemas}/early`));
  await waitFor('the condition', async () => (await dangling()) === 'True');
  expect((await headersOf(services.as('bob')))[0]).not.toBe(schema.metadata.uid);
  await services.admin.ok('POST', levels, priorityLevel('later', { shares: 5 }));
  await waitFor('the condition to change', async () => (await dangling()) === 'False');
  await waitFor('the schema to count', async () => {
    return (await headersOf(services.as('bob')))[0] === schema.metadata.uid;
  });
  await services.admin.ok('DELETE', `${levels}/later`);
  await waitFor('the condition to be back', async () => (await dangling()) === 'True');
});
