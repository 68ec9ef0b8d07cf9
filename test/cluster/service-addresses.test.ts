/**
 * Addresses and node ports of services, taken by 150 writers through three replicas at once; and the endpoints of the
 * Service of the API, which follow the replicas that live. At every revision of etcd's history each address has one
 * holder, which its key names.
 */
import { startEtcdCluster } from '../support/etcd/cluster.ts';
import type { ApiObject } from '../support/client.ts';
import { truthOf } from '../support/histories/etcd-truth.ts';
import { addressesHaveOneHolder } from '../support/histories/invariants/addresses.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';

const writers = 150;
const services = '/api/v1/namespaces/crowd/services';
const addresses = ['10.255.0.1', '10.255.0.2', '10.255.0.3'];

interface Service extends ApiObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly { readonly port: number; readonly nodePort?: number }[];
  };
}

interface Endpoints extends ApiObject {
  readonly subsets?: readonly { readonly addresses: readonly { readonly ip: string }[] }[];
}

interface EndpointSlice extends ApiObject {
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[];
}

async function endpointsOf({ admin }: Replica): Promise<string[][]> {
  const endpoints = (await admin.ok('GET', '/api/v1/namespaces/default/endpoints/orch')) as Endpoints;
  const path = '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch';
  const slice = (await admin.ok('GET', path)) as EndpointSlice;
  return [
    (endpoints.subsets ?? []).flatMap((subset) => subset.addresses.map(({ ip }) => ip)).sort(),
    (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses).sort(),
  ];
}

async function untilEndpoints(replica: Replica, wanted: readonly string[]): Promise<void> {
  let last: unknown;
  await waitFor(
    `the endpoints ${wanted.join(', ')}`,
    async () => {
      last = await endpointsOf(replica).catch((error: unknown) => String(error));
      return JSON.stringify(last) === JSON.stringify([wanted, wanted]);
    },
    { timeout: 60_000, details: () => JSON.stringify(last) },
  );
}

async function createAll(replicas: readonly Replica[], prefix: string): Promise<Service[]> {
  const create = async (i: number): Promise<Service> => {
    const { admin } = replicas[i % replicas.length]!;
    const body = {
      metadata: { name: `${prefix}-${String(i)}` },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    };
    return (await admin.ok('POST', services, body)) as Service;
  };
  return Promise.all(Array.from({ length: writers }, (_, i) => create(i)));
}

const valuesOf = (all: readonly Service[]): [Set<unknown>, Set<unknown>] => [
  new Set(all.map(({ spec }) => spec.clusterIP)),
  new Set(all.map(({ spec }) => spec.ports?.[0]?.nodePort)),
];

test('150 writers through three replicas get an address and a port each, and endpoints follow the replicas', async () => {
  await using etcd = await startEtcdCluster({ how: 'process' });
  await using pki = await makeServicePki();
  await using stack = new AsyncDisposableStack();
  const args = ['--service-cluster-ip-range=10.77.0.0/24', '--service-node-port-range=31000-31154'];
  const replicas = await Promise.all(
    addresses.map((address) =>
      startReplica({ etcd, pki, args: [...args, `--advertise-address=${address}`] }),
    ),
  );
  for (const replica of replicas) stack.use(replica);
  const [first, second, third] = replicas as [Replica, Replica, Replica];
  await untilEndpoints(first, addresses);
  const own = (await second.admin.ok('GET', '/api/v1/namespaces/default/services/orch')) as Service;
  expect(own.spec).toMatchObject({ clusterIP: '10.77.0.1', ports: [{ name: 'https', port: 443 }] });

  await first.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'crowd' } });
  const rounds = [await createAll(replicas, 'a')];
  await third.kill();
  const alive = [first, second];
  await Promise.all(
    rounds[0]!.map(({ metadata: { name } }, i) => alive[i % 2]!.admin.ok('DELETE', `${services}/${name}`)),
  );
  // Nearly as many ports as writers: all must have been given back.
  rounds.push(await createAll(alive, 'b'));
  for (const round of rounds) expect(valuesOf(round).map(({ size }) => size)).toEqual([writers, writers]);
  await untilEndpoints(first, addresses.slice(0, 2));
  await second.stop();
  await untilEndpoints(first, addresses.slice(0, 1));
  const collections = ['core/services', 'ranges/serviceips', 'ranges/servicenodeports'];
  const { pasts } = await truthOf(etcd, { collections, stateOf: (object) => ({ value: '', object }) });
  expect(pasts[0]?.commits.length).toBeGreaterThan(3 * writers);
  expect(pasts.flatMap(addressesHaveOneHolder)).toEqual([]);
}, 180_000);
