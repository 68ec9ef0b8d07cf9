/** What kubectl makes of an aggregated API: a metrics server behind an APIService. */
import { AggregatedServer } from '../support/aggregated-server.ts';
import { apiServiceMaker, conditionOf, externalName } from '../support/aggregation.ts';
import { startEtcdCluster } from '../support/etcd/cluster.ts';
import { makeAuthority } from '../support/pki.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

const [group, version] = ['metrics.k8s.io', 'v1beta1'];
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

let owned: AsyncDisposableStack;
let replica: Replica;
let kubectl: Kubectl;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await makeTempFolder('metrics'), (made) => made.remove());
  const authority = await makeAuthority(folder.path);
  const proxy = await authority.client({ commonName: 'front-proxy' });
  const serving = await authority.server('metrics', ['metrics.kube-system.svc']);
  const backend = stack.use(await AggregatedServer.start(serving, authority.ca, { group, version }));
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const args = [`--proxy-client-cert-file=${proxy.certFile}`, `--proxy-client-key-file=${proxy.keyFile}`];
  replica = stack.use(await startReplica({ etcd, naming: 'kubernetes', args }));
  kubectl = stack.use(await makeKubectl(replica));
  await replica.admin.ok('POST', '/api/v1/namespaces/kube-system/services', externalName('metrics'));
  const apiService = apiServiceMaker(authority.ca);
  await replica.admin.ok('POST', apiServices, apiService([version, group], backend.port));
  await waitFor('it is available', async () => {
    const object = await replica.admin.ok('GET', `${apiServices}/${version}.${group}`);
    return conditionOf(object) === 'Available True Passed';
  });
  owned = stack.move();
}, 60_000);
afterAll(() => owned.disposeAsync());

test('kubectl top shows the metrics of nodes and pods', async () => {
  const node = { metadata: { name: 'node-1' }, status: { allocatable: { cpu: '1', memory: '1Gi' } } };
  await replica.admin.ok('POST', '/api/v1/nodes', node);
  await replica.admin.request('PUT', '/api/v1/nodes/node-1/status', {
    ...(await replica.admin.ok('GET', '/api/v1/nodes/node-1')),
    status: node.status,
  });
  const nodes = await kubectl.ok(['top', 'nodes']);
  expect(nodes.replaceAll(/ +/g, ' ')).toContain('node-1 250m 25% 512Mi 50%');
  const pods = await kubectl.ok(['top', 'pods']);
  expect(pods.replaceAll(/ +/g, ' ')).toContain('web 100m 64Mi');
});

test('kubectl lists the registration and its resources', async () => {
  const listed = await kubectl.ok(['get', 'apiservice', `${version}.${group}`, '--no-headers']);
  expect(listed.replaceAll(/ +/g, ' ')).toMatch(/^v1beta1\.metrics\.k8s\.io kube-system\/metrics True /);
  const resources = await waitFor('discovery has the resources', async () => {
    const { stdout } = await kubectl.run([
      'api-resources',
      `--api-group=${group}`,
      '--no-headers',
      '--cached=false',
    ]);
    return stdout.includes('NodeMetrics') && stdout;
  });
  expect(resources.replaceAll(/ +/g, ' ')).toContain('nodes nm metrics.k8s.io/v1beta1 false NodeMetrics');
});

test('kubectl explain reads the OpenAPI document of the server', async () => {
  await waitFor('OpenAPI has the group version', async () => {
    const { paths } = (await replica.admin.ok('GET', '/openapi/v3')) as unknown as { paths: object };
    return `apis/${group}/${version}` in paths;
  });
  const text = await kubectl.ok(['explain', 'nodes', `--api-version=${group}/${version}`]);
  expect(text).toContain('Usage of a node.');
});
