/** A start with more state than etcd gives within a deadline: health is answered meanwhile, and only silence ends it. */
import { request } from 'node:https';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { defaultTimes } from '../../../src/storage/options.ts';
import { freeze } from '../../support/child-process.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { freePort } from '../../support/free-port.ts';
import { makeServicePki, Replica, type ServicePki } from '../../support/replica.ts';
import { workersOf } from '../../support/processes.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';

let cluster: EtcdCluster;
let pki: ServicePki;
const objects = 1_500;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  pki = await makeServicePki();
  await fill();
});
afterAll(async () => {
  await pki.close();
  await cluster.close();
});

/** Some 18 MB, as replicas had stored them. */
async function fill(): Promise<void> {
  const log = (): void => undefined;
  const logger = { debug: log, info: log, warn: log, error: log };
  const options = { endpoints: cluster.endpoints, logger, metrics: { observeEtcdRequest: log } };
  const etcd = new EtcdClient({ options, times: defaultTimes, ...systemEnvironment });
  for (let i = 0; i < objects; i += 50) {
    const success = Array.from({ length: 50 }, (_, n) => ({ request_put: configMap(i + n) }));
    await etcd.txn({ compare: [], success, failure: [] });
  }
  etcd.close();
}

function configMap(i: number): { key: Buffer; value: Buffer } {
  const name = `c${String(i)}`;
  const metadata = { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' };
  const data = { text: 'x'.repeat(12_000) };
  return {
    key: Buffer.from(`/registry/core/configmaps/default/${name}`),
    value: Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data })),
  };
}

async function spawn(etcd: TcpProxy, args: readonly string[] = []): Promise<Replica> {
  const access = { endpoints: [etcd.endpoint], tls: undefined };
  const all = ['--controllers=', ...args];
  const replica = new Replica({ etcd: access, pki, args: all }, pki, await freePort(), undefined);
  await replica.spawn();
  return replica;
}

const progress = /storage-readiness failed: loading state from etcd: (\d+) objects, \d+ bytes, revision \d+/;

/** Waits until `/readyz` says that so many objects are loaded. */
async function untilLoading(replica: Replica, least: number): Promise<string> {
  const look = async (): Promise<string | false> => {
    const answer = await replica.admin.get('/readyz').catch(() => undefined);
    const loaded = Number(progress.exec(answer?.text ?? '')?.[1] ?? -1);
    return answer?.status === 500 && loaded >= least && answer.text;
  };
  return waitFor('a part of the load', look, { timeout: 20_000, details: () => replica.logs() });
}

test.each([['one process', []] as const, ['workers', ['--workers=2']] as const])(
  'a load that takes longer than the deadline: %s',
  async (_, args) => {
    await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
    proxy.throttle('toClient', 1_500_000);
    const start = performance.now();
    await using replica = await spawn(proxy, args);
    const anonymous = replica.client();
    await untilLoading(replica, 100);
    expect((await anonymous.get('/livez')).text).toBe('ok');
    expect((await anonymous.get('/readyz?verbose')).text).toMatch(progress);
    expect((await replica.admin.get('/readyz/storage-readiness')).text).toMatch(progress);
    const refused = await anonymous.get('/api/v1/namespaces');
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toMatch(/^[1-5]$/);
    const retryAfter = async (): Promise<unknown> =>
      (await anonymous.get('/api/v1/namespaces')).headers['retry-after'];
    await waitFor('a long load to ask for more patience', async () => (await retryAfter()) === '5');
    const refusedPost = await replica.admin.post('/api/v1/namespaces', {});
    expect(refusedPost.status).toBe(503);
    await replica.ready();
    expect(performance.now() - start).toBeGreaterThan(10_000);
    expect((await replica.admin.get('/readyz/storage-readiness')).text).toBe('ok');
    const listed = await replica.admin.get('/api/v1/namespaces/default/configmaps?limit=1');
    expect(listed.json().metadata).toMatchObject({ remainingItemCount: objects - 1 });
    expect(replica.logs()).toMatch(/"objects":\d+,"bytes":\d+,.*loading state from etcd/);
    // Whoever waits for the state waits on.
    expect(replica.logs()).not.toContain('the state is not loaded');
    anonymous.close();
  },
  90_000,
);

/** The status of one request over a connection of its own; undefined: no answer within a second. */
function statusOf(replica: Replica): Promise<number | undefined> {
  return new Promise((resolve) => {
    const { cert, key } = pki.admin;
    const path = '/api/v1/namespaces/default/configmaps?limit=1';
    const options = { agent: false, ca: pki.authority.ca, cert, key, timeout: 1_000 };
    const asked = request(`${replica.url}${path}`, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
}

/** Freezes the worker that answers while it loads. */
async function freezeEarly(replica: Replica): Promise<number> {
  for (const pid of workersOf(replica.supervisorPid)) {
    await freeze(pid);
    if ((await statusOf(replica)) === undefined) return pid;
    process.kill(pid, 'SIGCONT');
  }
  throw new Error('no worker listens');
}

test('of two workers that start, none answers 503 while the other serves', async () => {
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  proxy.throttle('toClient', 2_500_000);
  await using replica = await spawn(proxy, ['--workers=2', '--v=1']);
  await untilLoading(replica, 100);
  const early = await freezeEarly(replica);
  try {
    const loaded = async (): Promise<boolean> =>
      /has the state, and listens once/.test(replica.logs()) || (await statusOf(replica)) === 200;
    await waitFor('the other to have the state', loaded, { timeout: 30_000, details: () => replica.logs() });
  } finally {
    process.kill(early, 'SIGCONT');
  }
  const statuses: (number | undefined)[] = [];
  await waitFor('both to serve', async () => {
    statuses.push(await statusOf(replica));
    return statuses.slice(-20).filter((status) => status === 200).length === 20;
  });
  expect(statuses.slice(statuses.indexOf(200))).not.toContain(503);
}, 90_000);

test('pages that stop end the start, and say so', async () => {
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  proxy.throttle('toClient', 1_500_000);
  await using replica = await spawn(proxy);
  await untilLoading(replica, 100);
  proxy.suspend();
  const silentSince = performance.now();
  const told = (): boolean => /etcd cannot be used at .*ETCD_UNREACHABLE/.test(replica.logs());
  await waitFor('the end', () => replica.pid === 0 && told(), { timeout: 30_000 });
  expect(performance.now() - silentSince).toBeLessThan(20_000);
}, 60_000);
