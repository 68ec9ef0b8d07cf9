/** What a scrape of a replica tells after some requests: names and labels that dashboards for kube-apiserver use. */
import { shareEtcd } from '../../support/etcd/shared.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

const owned = new AsyncDisposableStack();
let replica: Replica;

beforeAll(async () => {
  const etcd = owned.use(await shareEtcd());
  replica = owned.use(await startReplica({ etcd, prefix: etcd.prefix }));
}, 60_000);
afterAll(() => owned.disposeAsync());

const scrape = async (): Promise<string> => (await replica.admin.get('/metrics')).text;

/** The sum of the samples of a metric that have all these labels. */
function figureIn(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const lines = text.split('\n').filter((line) => /^\w+/.exec(line)?.[0] === name);
  const matching = lines.filter((line) => wanted.every((label) => line.includes(label)));
  return matching.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** Resolves with a scrape in which all these are above 0. */
async function untilTold(
  figures: readonly (readonly [name: string, labels?: Readonly<Record<string, string>>])[],
): Promise<string> {
  let text = '';
  let missing: unknown[] = [];
  await waitFor(
    'the figures',
    async () => {
      text = await scrape();
      missing = figures.filter(([name, labels]) => !(figureIn(text, name, labels) > 0));
      return missing.length === 0;
    },
    { timeout: 15_000, details: () => JSON.stringify(missing) },
  );
  return text;
}

test('every metric begins with its stability, but those of the process', async () => {
  const helps = [...(await scrape()).matchAll(/^# HELP (\S+) (.*)$/gm)];
  const unmarked = helps.filter(([, , help = '']) => !/^\[(?:STABLE|ALPHA)\] \S/.test(help));
  const names = unmarked.map(([, name = '']) => name);
  expect(names.filter((name) => !/^(?:process|nodejs)_/.test(name))).toEqual([]);
  expect(helps.length).toBeGreaterThan(80);
});

test('delays of the event loop since the scrape before', async () => {
  await untilTold([['nodejs_eventloop_lag_max_seconds'], ['nodejs_eventloop_lag_p50_seconds']]);
  await untilTold([['nodejs_eventloop_lag_mean_seconds'], ['nodejs_eventloop_lag_min_seconds']]);
});

test('requests, etcd, admission and controllers, with the labels of kube-apiserver', async () => {
  const maps = '/api/v1/namespaces/default/configmaps';
  await replica.admin.ok('POST', maps, { metadata: { name: 'counted' } });
  await replica.admin.ok('PUT', `${maps}/counted`, { metadata: { name: 'counted' }, data: { a: 'b' } });
  await replica.admin.ok('GET', `${maps}/counted`);
  await replica.admin.ok('DELETE', `${maps}?labelSelector=x`);
  await replica.admin.ok('DELETE', `${maps}/counted`);
  expect((await replica.admin.request('POST', '/api/v1/namespaces/none/configmaps', {})).status).toBe(404);
  const common = { group: '', version: 'v1', resource: 'configmaps', component: 'apiserver' };
  const admitted = { type: 'admit', operation: 'CREATE', rejected: 'false' };
  const ofDefault = { name: 'NamespaceLifecycle', type: 'admit' };
  await untilTold([
    ['apiserver_request_total', { ...common, verb: 'POST', scope: 'resource', code: '201' }],
    ['apiserver_request_total', { ...common, verb: 'DELETE', scope: 'namespace', code: '200' }],
    ['apiserver_request_duration_seconds_bucket', { ...common, verb: 'GET', scope: 'resource', le: '1' }],
    ['etcd_request_duration_seconds_count', { operation: 'create', type: 'configmaps' }],
    ['etcd_request_duration_seconds_count', { operation: 'update', type: 'configmaps' }],
    ['etcd_request_duration_seconds_count', { operation: 'delete', type: 'configmaps' }],
    ['etcd_request_duration_seconds_count', { operation: 'range', type: '' }],
    ['apiserver_admission_step_admission_duration_seconds_count', admitted],
    ['apiserver_admission_controller_admission_duration_seconds_count', { ...ofDefault, rejected: 'false' }],
    ['apiserver_admission_controller_admission_duration_seconds_count', { ...ofDefault, rejected: 'true' }],
    ['workqueue_adds_total', { name: 'serviceaccount' }],
    ['workqueue_queue_duration_seconds_count', { name: 'serviceaccount' }],
    ['workqueue_work_duration_seconds_count', { name: 'serviceaccount' }],
  ]);
});

test('the fill of the ranges of addresses and node ports', async () => {
  const fill = async (): Promise<readonly number[]> => {
    const text = await scrape();
    return ['clusterip_allocator_allocated_ips', 'nodeport_allocator_allocated_ports'].flatMap((name) => [
      figureIn(text, `kube_apiserver_${name}`),
      figureIn(text, `kube_apiserver_${name.replace('allocated', 'available')}`),
    ]);
  };
  const [ips = 0, freeIps = 0, ports = 0, freePorts = 0] = await fill();
  const spec = { type: 'NodePort', ports: ['a', 'b'].map((name, i) => ({ name, port: 80 + i })) };
  await replica.admin.ok('POST', '/api/v1/namespaces/default/services', {
    ...{ metadata: { name: 'fills' }, spec },
  });
  expect(await fill()).toEqual([ips + 1, freeIps - 1, ports + 2, freePorts - 2]);
  expect(await scrape()).toMatch(
    /^kube_apiserver_clusterip_allocator_allocated_ips\{cidr="[^"]+\/\d+"\} [1-9]/m,
  );
});
