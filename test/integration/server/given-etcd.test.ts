/** Replicas over an etcd that was there before: TLS with client certificates, one data folder for several of them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Service } from '../../support/service.ts';

let temporary: TempFolder;
let cluster: EtcdCluster;
let services: Service[];

beforeAll(async () => {
  temporary = await makeTempFolder('given-etcd');
  cluster = await startEtcdCluster({ tls: true, how: 'process' });
});
beforeEach(() => {
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.child.stop();
});
afterAll(async () => {
  await cluster.close();
  await temporary.remove();
});

async function start(): Promise<Service> {
  const { tls, endpoints } = cluster;
  const service = await Service.start(join(temporary.path, '.orch'), [
    `--etcd-servers=${endpoints.join(',')}`,
    `--etcd-cafile=${tls?.caFile ?? ''}`,
    `--etcd-certfile=${tls?.certFile ?? ''}`,
    `--etcd-keyfile=${tls?.keyFile ?? ''}`,
  ]);
  services.push(service);
  return service;
}

const path = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' } };

test('two replicas share a data folder, and what one writes the other reads', async () => {
  const [first, second] = [await start(), await start()];
  for (const service of [first, second]) {
    const port = new URL(service.url).port;
    expect(existsSync(join(temporary.path, '.orch', `kubeconfig-${port}`))).toBe(true);
  }
  expect((await first.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
  expect((await second.ask({ path: `${path}/shared` })).status).toBe(200);
  expect([await first.stop(), await second.stop()]).toEqual([0, 0]);
});

test('while etcd is away readyz fails; it recovers by itself', async () => {
  const service = await start();
  const isReady = async (): Promise<boolean> =>
    (await service.ask({ path: '/readyz', as: '' })).status === 200;
  await cluster.members[0]?.stop();
  await waitFor('readyz to fail', async () => !(await isReady()), { timeout: 20_000 });
  expect((await service.ask({ path: '/readyz/ping' })).status).toBe(200);
  await cluster.members[0]?.start();
  await waitFor('readyz to recover', isReady, { timeout: 30_000 });
  expect(await service.stop()).toBe(0);
});
