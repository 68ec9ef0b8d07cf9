/** ServiceCIDR and IPAddress: who has an address, ranges that come and go while two replicas, and one of release 1.21, serve. */
import type { ApiClient } from '../../support/client.ts';
import { shareEtcd } from '../../support/etcd/shared.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

const networking = '/apis/networking.orch.io/v1';
const services = '/api/v1/namespaces/default/services';
const stack = new AsyncDisposableStack();
let one: Replica;
let two: Replica;
let old: Replica;
let admin: ApiClient;

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
    readonly spec: { readonly parentRef: Record<string, string>; readonly clusterIP: string };
  }[];
}

beforeAll(async () => {
  const etcd = stack.use(await shareEtcd());
  const pki = stack.use(await makeServicePki());
  // Six addresses, of which the first is that of the API.
  const args = ['--service-cluster-ip-range=10.77.0.0/29'];
  const start = (more: readonly string[]): Promise<Replica> =>
    startReplica({ etcd, pki, args: [...args, ...more], readyTimeout: 90_000 });
  const late = ['--emulated-release=1.36'];
  [one, two, old] = await Promise.all([start(late), start(late), start(['--controllers='])]);
  for (const replica of [one, two, old]) stack.use(replica);
  ({ admin } = one);
}, 120_000);
afterAll(() => stack.disposeAsync());

async function listed(path: string): Promise<Listed['items']> {
  return ((await admin.get(path)).json() as unknown as Listed).items;
}

const shown = async (): Promise<string[]> =>
  (await listed(`${networking}/ipaddresses`)).map(({ metadata }) => metadata.name).sort();

async function made(client: ApiClient, name: string, spec: object = {}): Promise<string> {
  const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
  const answer = await client.post(services, body);
  const { spec: stored, message } = answer.json() as unknown as {
    spec?: { clusterIP: string };
    message?: string;
  };
  return stored?.clusterIP ?? `${String(answer.status)} ${message ?? ''}`;
}

function readiness(object: unknown): string {
  const { status } = object as {
    status?: { conditions?: { type: string; status: string; reason: string }[] };
  };
  return (status?.conditions ?? [])
    .map(({ type, status: is, reason }) => `${type} ${is} ${reason}`.trim())
    .join();
}

const range = async (name: string): Promise<string> => {
  const answer = await admin.get(`${networking}/servicecidrs/${name}`);
  return answer.status === 200 ? readiness(answer.json()) : String(answer.status);
};

test('the configured range and the address of the API are shown from the start', async () => {
  await waitFor('the range to be ready', async () => (await range('orch')) === 'Ready True');
  const cidr = (await admin.get(`${networking}/servicecidrs/orch`)).json();
  expect(cidr).toMatchObject({
    metadata: { finalizers: ['networking.orch.io/service-cidr-finalizer'] },
    spec: { cidrs: ['10.77.0.0/29'] },
  });
  await waitFor('the address', async () => (await shown()).includes('10.77.0.1'));
  const [address] = await listed(`${networking}/ipaddresses`);
  expect(address).toMatchObject({
    metadata: {
      labels: {
        'ipaddress.orch.io/ip-family': 'IPv4',
        'ipaddress.orch.io/managed-by': 'ipallocator.orch.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'orch' } },
  });
  expect((await old.admin.get(`${networking}/ipaddresses`)).status).toBe(404);
});

test('an address of another object is given to no service, whichever replica and release serves it', async () => {
  const parentRef = { group: 'gateway.example.com', resource: 'gateways', namespace: 'default', name: 'g' };
  const reserved = { metadata: { name: '10.77.0.4' }, spec: { parentRef } };
  expect((await admin.post(`${networking}/ipaddresses`, reserved)).status).toBe(201);
  for (const client of [one.admin, two.admin, old.admin])
    expect(await made(client, 'taken', { clusterIP: '10.77.0.4' })).toContain(
      '422 Service "taken" is invalid',
    );
  const given = [await made(one.admin, 'a'), await made(old.admin, 'b'), await made(two.admin, 'c')];
  given.push(await made(old.admin, 'd'));
  expect(given.sort()).toEqual(['10.77.0.2', '10.77.0.3', '10.77.0.5', '10.77.0.6']);
  expect(await made(one.admin, 'e')).toContain('failed to allocate a serviceIP: range is full');
  await waitFor('all addresses to be shown', async () => (await shown()).length === 6);
  const free = { ...reserved, metadata: { name: '10.77.0.2' } };
  expect((await admin.post(`${networking}/ipaddresses`, free)).status).toBe(409);
});

test('a range that is added gives addresses at every replica, and stays while services have them', async () => {
  const added = { metadata: { name: 'more' }, spec: { cidrs: ['10.78.0.0/29'] } };
  expect((await two.admin.post(`${networking}/servicecidrs`, added)).status).toBe(201);
  await waitFor('the range to be ready', async () => (await range('more')) === 'Ready True');
  const given = await Promise.all(
    ['f', 'g', 'h', 'i', 'j', 'k'].map((name, i) => made((i % 2 === 0 ? one : two).admin, name)),
  );
  expect(given.sort()).toEqual([1, 2, 3, 4, 5, 6].map((last) => `10.78.0.${String(last)}`));
  await waitFor('all addresses to be shown', async () => (await shown()).length === 12);
  await admin.ok('DELETE', `${networking}/servicecidrs/more`);
  await waitFor(
    'the range to say why it stays',
    async () => (await range('more')) === 'Ready False Terminating',
  );
  expect(await made(one.admin, 'l')).toContain('range is full');
  for (const name of ['f', 'g', 'h', 'i', 'j', 'k'])
    await (name === 'f' ? old : two).admin.ok('DELETE', `${services}/${name}`);
  await waitFor('their addresses to go', async () => (await shown()).length === 6);
  await waitFor('the range to go', async () => (await range('more')) === '404', { timeout: 30_000 });
}, 90_000);

test('an address that was removed by somebody is shown again, one that was added by somebody goes', async () => {
  await admin.ok('DELETE', `${networking}/ipaddresses/10.77.0.1`);
  await waitFor('the address', async () => (await shown()).includes('10.77.0.1'));
  await admin.ok('POST', `${networking}/ipaddresses`, {
    metadata: { name: '10.99.0.1', labels: { 'ipaddress.orch.io/managed-by': 'ipallocator.orch.io' } },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'none' } },
  });
  await waitFor('the other to go', async () => !(await shown()).includes('10.99.0.1'));
});

test('at release 1.21 there is nothing of it', async () => {
  expect((await old.admin.get('/apis/networking.orch.io/v1/servicecidrs')).status).toBe(404);
});
