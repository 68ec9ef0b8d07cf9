/** Aggregated APIs: a server like that of metrics, and a second instance of this service, behind APIServices. */
import type { JsonObject } from '../../../src/base/json.ts';
import { AggregatedServer } from '../../support/aggregated-server.ts';
import { apiServiceMaker, conditionOf, echoed, externalName } from '../../support/aggregation.ts';
import type { ApiClient, ApiObject, EventStream } from '../../support/client.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeAuthority } from '../../support/pki.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const group = 'metrics.k8s.io';
const version = 'v1beta1';
const base = `/apis/${group}/${version}`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let owned: AsyncDisposableStack;
let backend: AggregatedServer;
let hostile: AggregatedServer;
let front: Replica;
let behind: Replica;
let admin: ApiClient;
let apiService: ReturnType<typeof apiServiceMaker>;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await makeTempFolder('aggregated'), (made) => made.remove());
  const authority = await makeAuthority(`${folder.path}/proxies`, 'proxy authority');
  apiService = apiServiceMaker(authority.ca);
  const proxy = await authority.client({ commonName: 'front-proxy' });
  const serving = await authority.server('metrics', ['metrics.kube-system.svc', 'hostile.kube-system.svc']);
  backend = stack.use(await AggregatedServer.start(serving, authority.ca, { group, version }));
  hostile = stack.use(
    await AggregatedServer.start(serving, authority.ca, { group: 'hostile.example.com', version: 'v1' }),
  );
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const other = { etcd, naming: 'kubernetes' } as const;
  const proxied = [
    `--requestheader-client-ca-file=${authority.caFile}`,
    '--requestheader-allowed-names=front-proxy',
    '--enable-aggregator-routing',
  ];
  behind = stack.use(await startReplica({ ...other, prefix: '/behind', args: proxied }));
  front = stack.use(
    await startReplica({
      ...other,
      args: [
        `--proxy-client-cert-file=${proxy.certFile}`,
        `--proxy-client-key-file=${proxy.keyFile}`,
        '--workers=2',
      ],
    }),
  );
  admin = front.admin;
  await admin.ok('POST', '/api/v1/namespaces/kube-system/services', externalName('metrics'));
  await admin.ok('POST', '/api/v1/namespaces/kube-system/services', externalName('hostile'));
  owned = stack.move();
}, 120_000);
afterAll(() => owned.disposeAsync());

function available(name: string, wanted = 'Available True Passed'): Promise<ApiObject> {
  return waitFor(
    `${name} is ${wanted}`,
    async () => {
      const object = await admin.ok('GET', `${apiServices}/${name}`);
      return conditionOf(object) === wanted && object;
    },
    { timeout: 45_000, details: () => front.logs() },
  );
}

/** Both workers have seen a change once so many answers in a row say so. */
async function always(what: string, look: () => Promise<boolean>): Promise<void> {
  let inRow = 0;
  await waitFor(what, async () => (inRow = (await look()) ? inRow + 1 : 0) >= 8, { timeout: 45_000 });
}

function groupNames(list: ApiObject): string[] {
  return (list['groups'] as { name: string }[]).map(({ name }) => name);
}

test('a server is registered, found available, and asked in the name of the user', async () => {
  await admin.ok('POST', apiServices, apiService([version, group], backend.port));
  await available(`${version}.${group}`);
  await always('metrics are served', async () => (await admin.get(`${base}/nodes`)).status === 200);

  const answer = await admin.get(`${base}/nodes?limit=5&labelSelector=a%20in%20(b)`, {
    ...{ 'x-remote-user': 'mallory', 'x-remote-group': 'system:masters', 'X-Remote-Extra-Scopes': 'all' },
    ...{
      'x-remote-uid': '0',
      'impersonate-user': Buffer.from('jane ✓').toString('latin1'),
      'impersonate-group': 'system:masters',
    },
    'impersonate-extra-a%2Fb': 'c',
  });
  expect(answer.json()).toMatchObject({ kind: 'NodeMetricsList', items: [{ metadata: { name: 'node-1' } }] });
  expect(answer.headers['audit-id']).toMatch(/./);
  const call = backend.callsTo(`${base}/nodes?`).at(-1)!;
  expect(call.url).toBe(`${base}/nodes?limit=5&labelSelector=a%20in%20(b)`);
  expect(call.peer).toBe('front-proxy');
  const about = call.rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && /^(x-remote|authorization|impersonate)/i.test(name)
      ? [`${name.toLowerCase()}: ${Buffer.from(call.rawHeaders[i + 1]!, 'latin1').toString()}`]
      : [],
  );
  expect(about).toEqual([
    'x-remote-user: jane ✓',
    'x-remote-group: system:masters',
    'x-remote-group: system:authenticated',
    'x-remote-extra-a%2fb: c',
  ]);
});

test('bodies pass in both directions, and answers are those of the server', async () => {
  const made = await admin.post(`${base}/nodes`, { name: 'sent' });
  expect(made.json()).toEqual({ echo: '{"name":"sent"}' });
  expect(made.headers['set-cookie']).toEqual(['kept=1']);
  const missing = await admin.get(`${base}/nothing`);
  expect([missing.status, missing.json()['reason']]).toEqual([404, 'NotFound']);
});

test('permission is asked for the remote group before anything is sent', async () => {
  const jane = front.client(await front.pki.authority.client({ commonName: 'jane' }));
  const before = backend.calls.length;
  const refused = await jane.get(`${base}/namespaces/default/pods`);
  expect([refused.status, refused.json()['message']]).toEqual([
    403,
    `pods.${group} is forbidden: User "jane" cannot list resource "pods" in API group "${group}" in the namespace "default"`,
  ]);
  expect(backend.calls.slice(before).filter(({ url }) => url.includes('/pods'))).toEqual([]);
  jane.close();
});

test('watches and other protocols pass', async () => {
  const watch = await admin.watch(`${base}/nodes`);
  await waitFor('the server has the watch', () => backend.watches === 1);
  backend.send({ type: 'ADDED', object: { kind: 'NodeMetrics', metadata: { name: 'later' } } });
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'later' } } });
  watch.close();
  await waitFor('the watch has ended', () => backend.watches === 0);
  expect(await echoed(front, `${base}/namespaces/default/pods/web/echo`, 'over here')).toBe(
    'hello over here',
  );
});

test('discovery has the group by its priority, in every form', async () => {
  const names = groupNames(await admin.ok('GET', '/apis'));
  expect([names[0], names.at(-1)]).toEqual(['apiregistration.k8s.io', group]);
  expect(await admin.ok('GET', `/apis/${group}`)).toMatchObject({
    name: group,
    preferredVersion: { version },
  });
  expect(await admin.ok('GET', base)).toMatchObject({
    kind: 'APIResourceList',
    groupVersion: `${group}/${version}`,
  });
  await admin.patch(`${apiServices}/${version}.${group}`, 'merge', {
    spec: { groupPriorityMinimum: 19_000 },
  });
  await always('the group is second', async () => groupNames(await admin.ok('GET', '/apis'))[1] === group);

  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const item = await waitFor('aggregated discovery has the resources', async () => {
    const { items } = (await admin.get('/apis', { accept })).json() as unknown as { items: ApiObject[] };
    const found = items.find(({ metadata }) => metadata.name === group);
    return (found?.['versions'] as JsonObject[])[0]?.['freshness'] === 'Current' && found;
  });
  expect(item).toMatchObject({
    versions: [
      {
        version,
        resources: [
          {
            resource: 'nodes',
            scope: 'Cluster',
            responseKind: { group, version, kind: 'NodeMetrics' },
            shortNames: ['nm'],
          },
          { resource: 'pods', scope: 'Namespaced', subresources: [{ subresource: 'echo', verbs: ['get'] }] },
        ],
      },
    ],
  });
  const { paths } = (await admin.ok('GET', '/')) as unknown as { paths: string[] };
  expect(paths).toEqual(expect.arrayContaining([`/apis/${group}`, base]));
});

test('OpenAPI has its types, and nothing that it says of others', async () => {
  const document = await waitFor(
    'OpenAPI v2 has the path',
    async () => {
      const found = (await admin.ok('GET', '/openapi/v2')) as unknown as OpenApi;
      return found.paths[`${base}/nodes`] && found;
    },
    { timeout: 45_000, details: () => front.logs() },
  );
  expect(document.paths['/apis/apps/v1/deployments']).not.toMatchObject({ get: { operationId: 'forged' } });
  expect(document.paths['/version/']).not.toMatchObject({ get: { operationId: 'versionOfBackend' } });
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  expect(document.definitions['test.metrics.NodeMetrics']).toMatchObject({
    properties: { metadata: { $ref: `#/definitions/${meta}_v2` } },
  });
  expect(document.definitions[`${meta}_v2`]).toEqual({ type: 'object', description: 'Another one.' });
  expect(document.definitions[meta]).not.toEqual(document.definitions[`${meta}_v2`]);
  expect(document.definitions['test.metrics.Unused']).toBeUndefined();
  const protobuf = await admin.get('/openapi/v2', {
    accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  });
  expect([protobuf.status, protobuf.body.includes('test.metrics.NodeMetrics')]).toEqual([200, true]);

  const index = await waitFor('OpenAPI v3 has the group version', async () => {
    const { paths } = (await admin.ok('GET', '/openapi/v3')) as unknown as OpenApi;
    return paths[`apis/${group}/${version}`] as { serverRelativeURL: string };
  });
  const v3 = await waitFor('this worker has it as well', async () => {
    const answer = await admin.get(index.serverRelativeURL);
    return answer.status === 200 && answer.json();
  });
  expect(v3).toMatchObject({
    paths: { [`${base}/nodes`]: { get: { operationId: 'listNodeMetrics' } } },
    components: { schemas: { 'test.metrics.NodeMetrics': { description: 'Usage of a node.' } } },
  });
});

interface OpenApi {
  readonly paths: Record<string, object>;
  readonly definitions: Record<string, object>;
}

test('hostile servers cost others nothing', async () => {
  const endless = 'x'.repeat(64 * 1024);
  hostile.instead = (req, res) => {
    if (
      req.url === '/apis/hostile.example.com/v1' &&
      req.headers['x-remote-user'] === 'system:kube-aggregator'
    ) {
      // Available, then without an end.
      res.writeHead(200, { 'content-type': 'application/json' });
      const write = (): void => {
        while (!res.destroyed && res.write(endless));
      };
      res.on('drain', write);
      write();
      return true;
    }
    if (req.url === '/openapi/v2') res.writeHead(200).end('['.repeat(100_000));
    else if (req.url === '/openapi/v3')
      res.writeHead(302, { location: `https://127.0.0.1:${backend.port}/stolen` }).end();
    else res.writeHead(200).end('{"kind":');
    return true;
  };
  const service = { name: 'hostile', namespace: 'kube-system', port: hostile.port };
  await admin.ok('POST', apiServices, apiService(['v1', 'hostile.example.com'], 0, { service }));
  await available('v1.hostile.example.com');
  await waitFor('all documents were asked for', () => hostile.callsTo('/openapi/v3').length >= 2);
  expect(groupNames(await admin.ok('GET', '/apis'))).toContain('hostile.example.com');
  expect((await admin.ok('GET', '/openapi/v2')) as unknown as OpenApi).toMatchObject({
    paths: { [`${base}/nodes`]: {} },
  });
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await admin.get('/apis', { accept })).json() as unknown as { items: ApiObject[] };
  expect(items.find(({ metadata }) => metadata.name === 'hostile.example.com')).toMatchObject({
    versions: [{ version: 'v1', resources: [], freshness: 'Stale' }],
  });
  expect(backend.callsTo('/stolen')).toEqual([]);
  await admin.ok('DELETE', `${apiServices}/v1.hostile.example.com`);
});

test('conditions say why a server is unavailable', async () => {
  const lost = { name: 'lost', namespace: 'kube-system', port: 443 };
  await admin.ok('POST', apiServices, apiService(['v1', 'lost.example.com'], 0, { service: lost }));
  const absent = await available('v1.lost.example.com', 'Available False ServiceNotFound');
  expect(absent['status']).toMatchObject({
    conditions: [{ message: 'service/lost in "kube-system" is not present' }],
  });
  const answer = await admin.get('/apis/lost.example.com/v1/things');
  expect([answer.status, answer.json()['reason']]).toEqual([503, 'ServiceUnavailable']);
  const services = '/api/v1/namespaces/kube-system/services';
  await admin.ok('POST', services, {
    metadata: { name: 'lost' },
    spec: { ports: [{ port: 443, name: 'https' }] },
  });
  await available('v1.lost.example.com', 'Available False EndpointsNotFound');
  await admin.ok('POST', '/api/v1/namespaces/kube-system/endpoints', {
    metadata: { name: 'lost' },
    subsets: [{ notReadyAddresses: [{ ip: '192.0.2.1' }], ports: [{ port: 443, name: 'https' }] }],
  });
  await available('v1.lost.example.com', 'Available False MissingEndpoints');
  const metrics = await aggregatorMetrics();
  expect(metrics).toMatch(/^aggregator_unavailable_apiservice\{name="v1\.lost\.example\.com"\} 1$/m);
  expect(metrics).toMatch(/^aggregator_unavailable_apiservice\{name="v1beta1\.metrics\.k8s\.io"\} 0$/m);
  expect(metrics).toMatch(
    /^aggregator_openapi_v2_regeneration_count\{apiservice="v1beta1\.metrics\.k8s\.io",reason="add"\} [1-9]$/m,
  );
  await admin.ok('DELETE', `${apiServices}/v1.lost.example.com`);
});

test('with aggregator routing, endpoints are asked for', async () => {
  const nowhere = { name: 'nowhere', namespace: 'default', port: 443 };
  const spec = { type: 'NodePort', ports: [{ port: 443, name: 'https' }] };
  await behind.admin.ok('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'nowhere' },
    spec,
  });
  await behind.admin.ok(
    'POST',
    apiServices,
    apiService(['v1', 'nowhere.example.com'], 0, { service: nowhere }),
  );
  const conditions = await waitFor('it is checked', async () => {
    const { status } = await behind.admin.ok('GET', `${apiServices}/v1.nowhere.example.com`);
    return (status as JsonObject | undefined)?.['conditions'];
  });
  expect(conditions).toMatchObject([
    { reason: 'FailedDiscoveryCheck', message: 'endpoints "nowhere" not found' },
  ]);
});

test('a group moves to another instance of this service and back, while clients watch', async () => {
  const made = (name: string): JsonObject => ({
    apiVersion: 'move.example.com/v1',
    kind: 'Thing',
    metadata: { name },
  });
  const crd = {
    metadata: { name: 'things.move.example.com' },
    spec: {
      ...{ group: 'move.example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  const path = '/apis/move.example.com/v1/namespaces/default/things';
  for (const client of [front.admin, behind.admin]) {
    await client.ok('POST', definitions, crd);
    await waitFor('things are served', async () => (await client.get(path)).status === 200);
  }
  await admin.ok('POST', path, made('here'));
  await behind.admin.ok('POST', path, made('there'));
  const names = async (): Promise<string[]> =>
    (await admin.list(path)).items.map(({ metadata }) => metadata.name);

  const before = await admin.watch(path);
  expect(await before.next()).toMatchObject({ object: { metadata: { name: 'here' } } });
  await waitFor(
    'it is registered',
    async () => (await admin.get(`${apiServices}/v1.move.example.com`)).status === 200,
  );
  const moved = apiService(['v1', 'move.example.com'], behind.port, { insecureSkipTLSVerify: true });
  delete (moved['spec'] as JsonObject)['caBundle'];
  const labels = { 'kube-aggregator.kubernetes.io/automanaged': null };
  await admin.patch(`${apiServices}/v1.move.example.com`, 'merge', { ...moved, metadata: { labels } });
  await ended(before);
  await available('v1.move.example.com');
  await always('the other instance answers', async () => (await names()).join() === 'there');

  const meanwhile = await admin.watch(path);
  expect(await meanwhile.next()).toMatchObject({ object: { metadata: { name: 'there' } } });
  await admin.ok('POST', path, made('also-there'));
  expect(await meanwhile.next()).toMatchObject({ object: { metadata: { name: 'also-there' } } });
  await admin.ok('DELETE', `${apiServices}/v1.move.example.com`);
  await ended(meanwhile);
  await available('v1.move.example.com', 'Available True Local');
  await always('this instance answers again', async () => (await names()).join() === 'here');
});

test('a server that is gone makes 503, and comes back', async () => {
  await backend.stop();
  await admin.patch(`${apiServices}/${version}.${group}`, 'merge', { spec: { versionPriority: 7 } });
  const gone = await available(`${version}.${group}`, 'Available False FailedDiscoveryCheck');
  expect(JSON.stringify(gone['status'])).toContain(`failing or missing response from https://localhost:`);
  await always('requests are refused', async () => (await admin.get(`${base}/nodes`)).status === 503);
  expect(groupNames(await admin.ok('GET', '/apis'))).toContain(group);
  expect(await aggregatorMetrics()).toMatch(
    /^aggregator_unavailable_apiservice_total\{name="v1beta1\.metrics\.k8s\.io",reason="FailedDiscoveryCheck"\} [1-9]$/m,
  );
});

async function aggregatorMetrics(): Promise<string> {
  const { text } = await admin.get('/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith('aggregator_'))
    .join('\n');
}

/** Whatever comes before the end. */
async function ended(watch: EventStream): Promise<void> {
  while ((await watch.next()) !== undefined);
}
