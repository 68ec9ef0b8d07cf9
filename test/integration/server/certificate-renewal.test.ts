/**
 * A service on its own PKI and etcd that runs longer than its certificates are valid: they are renewed while it runs,
 * and after the first ones have expired nothing needs them.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { readKubeconfig } from '../../../src/webhook/kubeconfig-reader.ts';
import { ensurePki } from '../../../src/pki/folder.ts';
import { ApiClient, type EventStream } from '../../support/client.ts';
import { processesWith } from '../../support/processes.ts';
import { Service } from '../../support/service.ts';
import { shiftedBy } from '../../support/shifted-clock.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const dayMs = 86_400_000;
const maps = '/api/v1/namespaces/default/configmaps';
const stack = new AsyncDisposableStack();
let folder: TempFolder;
let data: string;
let service: Service;
let expiry: number;
let count = 0;

beforeAll(async () => {
  folder = await makeTempFolder('certificate-renewal');
  stack.defer(() => folder.remove());
  data = join(folder.path, 'data');
  // They really expire within the test; by the clock with which the service starts, in 45 days.
  expiry = Date.now() + 40_000;
  await ensurePki({ folder: join(data, 'pki'), hosts: ['api.test'], now: expiry - 365 * dayMs });
  setClock(-45 * dayMs);
  const node = `${process.env['NODE_OPTIONS'] ?? ''} ${shiftedBy(offsetFile())}`;
  service = await Service.start(data, ['--workers=2'], { NODE_OPTIONS: node });
  stack.defer(async () => {
    await service.child.stop();
  });
}, 60_000);

afterAll(() => stack.disposeAsync());

const offsetFile = (): string => join(folder.path, 'offset');
const setClock = (offsetMs: number): void => {
  writeFileSync(offsetFile(), String(offsetMs));
};
const certificate = (name: string): X509Certificate =>
  new X509Certificate(readFileSync(join(data, 'pki', `${name}.crt`)));
const authority = (): string => readFileSync(join(data, 'pki', 'ca.crt'), 'utf8');

function etcdPid(): number | undefined {
  return processesWith(`--data-dir=${data}/etcd`).find(({ command }) => !command.includes('/bin/sh'))?.pid;
}

/** By the kubeconfig as it is now. */
async function administrator(): Promise<ApiClient> {
  const { cert, key } = await readKubeconfig(join(data, 'kubeconfig'));
  if (cert === undefined || key === undefined) throw new Error('the kubeconfig has no certificate');
  return new ApiClient({ url: service.url, ca: authority(), cert: String(cert), key: String(key) });
}

/** The serial number of the certificate that a new connection to this port sees. */
function servedAt(url: string, options: object = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: authority(), ...options }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function expectService(client: ApiClient, watch: EventStream): Promise<void> {
  const name = `map-${String((count += 1))}`;
  await waitFor('a write', async () => (await client.post(maps, { metadata: { name } })).status === 201, {
    timeout: 30_000,
    details: () => service.child.output().slice(-4_000),
  });
  expect((await client.get(`${maps}/${name}`)).status).toBe(200);
  await within(
    'the event',
    10_000,
    watch.until(({ object }) => object.metadata.name === name),
  );
}

test('certificates are renewed while it runs, and are in use on every side when the first ones have expired', async () => {
  const names = ['server', 'admin', 'controller-manager', 'prometheus', 'etcd'];
  const first = new Map(names.map((name) => [name, certificate(name).serialNumber]));
  using before = await administrator();
  const watch = await before.watch(maps);
  await expectService(before, watch);
  expect(await servedAt(service.url)).toBe(first.get('server'));

  setClock(0);
  for (const name of names)
    await waitFor(`another certificate: ${name}`, () => certificate(name).serialNumber !== first.get(name));
  expect(certificate('server').checkHost('api.test')).toBe('api.test');
  await expectService(before, watch);
  await waitFor(
    'the serving certificate',
    async () => (await servedAt(service.url)) === certificate('server').serialNumber,
  );
  await waitFor('the first ones to expire', () => Date.now() > expiry + 1_000, { timeout: 60_000 });

  // The connections to etcd end with it: the next ones are made with the renewed certificates.
  const pid = etcdPid() ?? 0;
  process.kill(pid, 'SIGKILL');
  await waitFor('another etcd', () => etcdPid() !== undefined && etcdPid() !== pid);
  using after = await administrator();
  const watchAfter = await after.watch(maps);
  await expectService(after, watchAfter);
  const [worker = 0] = service.workerPids();
  process.kill(worker, 'SIGKILL');
  await waitFor(
    'another worker',
    () => service.workerPids().length === 2 && !service.workerPids().includes(worker),
  );
  await waitFor('it to serve', async () => (await after.get('/readyz')).status === 200);
  await expectService(after, await after.watch(maps));
  const { text } = await after.get('/metrics');
  const ends = [
    ...text.matchAll(/certificate_not_after_timestamp_seconds\{[^}]*"(?:server|etcd-client)"[^}]*\} (\S+)/g),
  ];
  expect(ends.length).toBeGreaterThanOrEqual(2);
  for (const [, end] of ends) expect(Number(end) * 1_000).toBeGreaterThan(Date.now() + 300 * dayMs);
});
