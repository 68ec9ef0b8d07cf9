/**
 * Aggregated APIs by endpoints of a Service, and the controllers of this service: what other servers hold is owned,
 * collected and deleted as here.
 */
import type { JsonObject } from '../../../src/base/json.ts';
import { apiServiceMaker, conditionOf } from '../../support/aggregation.ts';
import type { ApiClient, ApiObject } from '../../support/client.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';

import { makeAuthority } from '../../support/pki.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { directClient, json } from '../../support/storage.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let owned: AsyncDisposableStack;
let front: Replica;
let behind: Replica;
let admin: ApiClient;
let apiService: ReturnType<typeof apiServiceMaker>;

function available(name: string, wanted = 'Available True Passed'): Promise<unknown> {
  return waitFor(
    `${name} is ${wanted}`,
    async () => conditionOf(await admin.ok('GET', `${apiServices}/${name}`)) === wanted,
    { timeout: 45_000, details: () => front.logs() },
  );
}

const gadgets = '/apis/far.example.com/v1/namespaces/far/gadgets';
const maps = '/api/v1/namespaces/far/configmaps';
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const gadget = (metadata: JsonObject): JsonObject => ({
  ...{ apiVersion: 'far.example.com/v1', kind: 'Gadget', metadata },
});
const isGone = async (path: string): Promise<boolean> => (await admin.get(path)).status === 404;

function ownedBy({ apiVersion, kind, metadata: { name, uid } }: ApiObject): JsonObject[] {
  return [{ apiVersion: apiVersion!, kind: kind!, name, uid: uid! }];
}

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await makeTempFolder('aggregated'), (made) => made.remove());
  const authority = await makeAuthority(`${folder.path}/proxies`, 'proxy authority');
  apiService = apiServiceMaker(authority.ca);
  const proxy = await authority.client({ commonName: 'front-proxy' });
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const other = { etcd, naming: 'kubernetes' } as const;
  const trusting = [
    `--requestheader-client-ca-file=${authority.caFile}`,
    '--requestheader-allowed-names=front-proxy',
    // What becomes of its objects is up to the controllers in front.
    '--controllers=*,-garbagecollector,-namespace',
  ];
  behind = stack.use(await startReplica({ ...other, prefix: '/behind', args: trusting }));
  const showing = [
    `--proxy-client-cert-file=${proxy.certFile}`,
    `--proxy-client-key-file=${proxy.keyFile}`,
    '--enable-aggregator-routing',
  ];
  front = stack.use(await startReplica({ ...other, args: showing }));
  admin = front.admin;
  // Nothing forwards its cluster IP.
  const ports = [{ name: 'https', port: 443 }];
  await admin.ok('POST', '/api/v1/namespaces/kube-system/services', {
    metadata: { name: 'metrics' },
    spec: { ports },
  });
  await putEndpoints(etcd.endpoints, {
    addresses: ['127.0.0.1'],
    notReady: ['127.0.0.9'],
    port: behind.port,
  });
  owned = stack.move();
  for (const client of [front.admin, behind.admin])
    await client.ok('POST', '/api/v1/namespaces', { metadata: { name: 'far' } });
  await behind.admin.ok('POST', definitions, {
    metadata: { name: 'gadgets.far.example.com' },
    spec: {
      ...{ group: 'far.example.com', scope: 'Namespaced', names: { plural: 'gadgets', kind: 'Gadget' } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const registered = apiService(['v1', 'far.example.com'], 443, { insecureSkipTLSVerify: true });
  delete (registered['spec'] as JsonObject)['caBundle'];
  await admin.ok('POST', apiServices, registered);
  await available('v1.far.example.com');
  await waitFor('gadgets are served', async () => (await admin.get(gadgets)).status === 200);
}, 120_000);
afterAll(() => owned.disposeAsync());

/** Endpoints at loopback, which the API does not take. */
async function putEndpoints(
  endpoints: readonly string[],
  { addresses, notReady, port }: { addresses: string[]; notReady: string[]; port: number },
): Promise<void> {
  const asIps = (ips: string[]): JsonObject[] => ips.map((ip) => ({ ip }));
  const subset = { addresses: asIps(addresses), notReadyAddresses: asIps(notReady) };
  const object = {
    ...{ apiVersion: 'v1', kind: 'Endpoints' },
    metadata: { name: 'metrics', namespace: 'kube-system', uid: 'made-by-the-test' },
    subsets: [{ ...subset, ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  const client = directClient(endpoints);
  const key = Buffer.from('/registry/core/endpoints/kube-system/metrics');
  await client.put({ key, value: json(object) });
  client.close();
}

test('requests go to an endpoint that is ready, at its port', async () => {
  for (let i = 0; i < 20; i += 1) expect((await admin.get(gadgets)).status).toBe(200);
  const seen = await admin.watch(gadgets);
  await admin.ok('POST', gadgets, gadget({ name: 'watched' }));
  expect(await seen.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'watched' } } });
  seen.close();
  expect((await behind.admin.list(gadgets)).items.map(({ metadata }) => metadata.name)).toEqual(['watched']);
});

test('the Service of this API is this process', async () => {
  const service = { name: 'kubernetes', namespace: 'default', port: 443 };
  const own = apiService(['v1', 'own.example.com'], 443, { service, insecureSkipTLSVerify: true });
  delete (own['spec'] as JsonObject)['caBundle'];
  await admin.ok('POST', apiServices, own);
  const message = await waitFor('it is asked', async () => {
    const { status } = await admin.ok('GET', `${apiServices}/v1.own.example.com`);
    const { conditions = [] } = (status ?? {}) as { conditions?: Record<string, string>[] };
    return conditions.find(({ reason }) => reason === 'FailedDiscoveryCheck')?.['message'];
  });
  const url = `https://127.0.0.1:${String(front.port)}/apis/own.example.com/v1`;
  // It is asked without a user that it would believe.
  expect(message).toBe(`failing or missing response from ${url}: bad status from ${url}: 401`);
  await admin.ok('DELETE', `${apiServices}/v1.own.example.com`);
});

test('dependents go with their owners, wherever either is', async () => {
  const [here, there] = [
    await admin.ok('POST', maps, { metadata: { name: 'owner' } }),
    await admin.ok('POST', gadgets, gadget({ name: 'owner' })),
  ];
  await admin.ok('POST', gadgets, gadget({ name: 'of-map', ownerReferences: ownedBy(here) }));
  await admin.ok('POST', maps, { metadata: { name: 'of-gadget', ownerReferences: ownedBy(there) } });
  await admin.ok('POST', gadgets, gadget({ name: 'free' }));
  await admin.ok('DELETE', `${maps}/owner`);
  await admin.ok('DELETE', `${gadgets}/owner`);
  const patience = { timeout: 45_000, details: () => front.logs() };
  await waitFor('the gadget goes with its map', () => isGone(`${gadgets}/of-map`), patience);
  await waitFor('the map goes with its gadget', () => isGone(`${maps}/of-gadget`), patience);
  expect(await isGone(`${gadgets}/free`)).toBe(false);
});

test('a namespace takes its content there with it, and stays while a server cannot be asked', async () => {
  const lost = { name: 'lost-server', namespace: 'kube-system', port: 443 };
  await admin.ok('POST', apiServices, apiService(['v1', 'absent.example.com'], 0, { service: lost }));
  await available('v1.absent.example.com', 'Available False ServiceNotFound');
  await admin.ok('POST', gadgets, gadget({ name: 'content' }));
  await admin.ok('DELETE', '/api/v1/namespaces/far');
  const message = await waitFor(
    'the reason',
    async () => {
      const { status } = await admin.ok('GET', '/api/v1/namespaces/far');
      const { conditions = [] } = status as { conditions?: Record<string, string>[] };
      const failed = conditions.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure');
      return failed?.['status'] === 'True' && failed['message'];
    },
    { timeout: 45_000, details: () => front.logs() },
  );
  expect(message).toBe(
    'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ' +
      'absent.example.com/v1: the server is currently unable to handle the request',
  );
  await waitFor('the content is gone', async () => (await behind.admin.list(gadgets)).items.length === 0);
  await admin.ok('DELETE', `${apiServices}/v1.absent.example.com`);
  await waitFor('the namespace is gone', () => isGone('/api/v1/namespaces/far'), { timeout: 45_000 });
  await admin.ok('DELETE', `${apiServices}/v1.far.example.com`);
});
