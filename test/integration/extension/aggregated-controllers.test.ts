/** Aggregated APIs and the controllers of this service: what other servers hold is owned, collected and deleted as here. */
import type { JsonObject } from '../../../src/base/json.ts';
import { apiServiceMaker, conditionOf, externalName } from '../../support/aggregation.ts';
import type { ApiClient, ApiObject } from '../../support/client.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeAuthority } from '../../support/pki.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
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
  const showing = [`--proxy-client-cert-file=${proxy.certFile}`, `--proxy-client-key-file=${proxy.keyFile}`];
  front = stack.use(await startReplica({ ...other, args: showing }));
  admin = front.admin;
  await admin.ok('POST', '/api/v1/namespaces/kube-system/services', externalName('metrics'));
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
  const registered = apiService(['v1', 'far.example.com'], behind.port, { insecureSkipTLSVerify: true });
  delete (registered['spec'] as JsonObject)['caBundle'];
  await admin.ok('POST', apiServices, registered);
  await available('v1.far.example.com');
  await waitFor('gadgets are served', async () => (await admin.get(gadgets)).status === 200);
}, 120_000);
afterAll(() => owned.disposeAsync());

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
