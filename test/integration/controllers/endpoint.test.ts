/** A process of controllers tells how it is to everybody, and its figures to clients of the given authority alone. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

import { Child } from '../../support/child-process.ts';
import { ApiClient } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { freePort } from '../../support/free-port.ts';
import { entryPoint, nodeBinary } from '../../support/paths.ts';
import { makeAuthority, type Credential } from '../../support/pki.ts';
import { workersOf } from '../../support/processes.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

let etcd: EtcdCluster;
let pki: ServicePki;
let replica: Replica;
let stranger: Credential;
let scraper: Credential;
const owned = new AsyncDisposableStack();

beforeAll(async () => {
  etcd = owned.use(await startEtcdCluster({ how: 'process' }));
  pki = owned.use(await makeServicePki());
  replica = owned.use(await startReplica({ etcd, pki, args: ['--controllers='] }));
  scraper = await pki.authority.client({ commonName: 'prometheus' });
  const others = await makeAuthority(join(pki.folder, 'others'));
  stranger = await others.client({ commonName: 'prometheus' });
});

afterAll(() => owned.disposeAsync());

/** Starts controllers that are ended with the tests. */
async function start(...flags: string[]): Promise<Child> {
  const config = {
    clusters: [
      { name: 'c', cluster: { server: replica.url, 'certificate-authority': pki.authority.caFile } },
    ],
    users: [
      { name: 'u', user: { 'client-certificate': pki.admin.certFile, 'client-key': pki.admin.keyFile } },
    ],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = join(pki.folder, 'kubeconfig');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const child = await Child.start({
    name: 'controllers',
    program: nodeBinary(),
    args: [entryPoint(), ...['controllers', `--kubeconfig=${file}`, ...flags]],
  });
  owned.defer(async () => {
    await child.stop(10_000);
  });
  return child;
}

const given = (port: number): string[] => [
  `--secure-port=${port}`,
  `--tls-cert-file=${pki.server.certFile}`,
  `--tls-private-key-file=${pki.server.keyFile}`,
  `--client-ca-file=${pki.authority.caFile}`,
];

/** A client of the port; the caller closes it. */
function clientOf(port: number, credential?: Credential | { readonly token: string }): ApiClient {
  return new ApiClient({ url: `https://127.0.0.1:${port}`, ca: pki.authority.ca, ...credential });
}

/** Waits until it is told that the process is ready. */
function ready(child: Child, ask: () => Promise<number>): Promise<unknown> {
  const look = async (): Promise<boolean> => (await ask().catch(() => 0)) === 200;
  return waitFor('the endpoint', look, { timeout: 20_000, details: () => child.output() });
}

/** The code of an answer of a server that nobody certifies. */
function codeOf(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false });
    outgoing.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.once('error', reject).end();
  });
}

test('health is open; metrics are for clients of the authority; nothing else is there', async () => {
  const port = await freePort();
  const child = await start(...given(port));
  const clients = [undefined, scraper, stranger, { token: 'x' }].map((who) => clientOf(port, who));
  const [nobody, friend, foe, bearer] = clients as [ApiClient, ApiClient, ApiClient, ApiClient];
  try {
    await ready(child, async () => (await nobody.get('/readyz')).status);
    for (const path of ['/healthz', '/livez', '/readyz'])
      expect([path, (await nobody.get(path)).text]).toEqual([path, 'ok']);
    expect((await nobody.get('/livez/ping')).status).toBe(403);
    expect((await friend.get('/livez/ping')).text).toBe('ok');

    const refused = await nobody.get('/metrics');
    expect([refused.status, refused.json()['message']]).toEqual([
      403,
      'forbidden: User "system:anonymous" cannot get path "/metrics"',
    ]);
    for (const client of [foe, bearer]) expect((await client.get('/metrics')).status).toBe(401);
    const sneaky = ['/livez/../metrics', '/livez/%2e%2e/metrics', '//metrics', '/api', '/'];
    for (const path of sneaky) expect([path, (await nobody.get(path)).status]).not.toEqual([path, 200]);

    const figures = [
      /^leader_election_master_status\{.*\} 1$/m,
      /^workqueue_work_duration_seconds_count\{.*\} [1-9]/m,
      /^rest_client_requests_total\{code="200",method="GET",host="127\.0\.0\.1:\d+"\} [1-9]/m,
    ];
    const isTold = async (): Promise<boolean> => {
      const { text } = await friend.get('/metrics');
      return figures.every((figure) => figure.test(text));
    };
    await waitFor('the figures of the leader', isTold, { timeout: 15_000 });
    const { text } = await friend.get('/metrics');
    expect(text).toContain('process_cpu_seconds_total');
    expect((await friend.get('/api')).status).toBe(404);
    expect((await friend.post('/metrics', {})).status).toBe(405);
  } finally {
    for (const client of clients) client.close();
  }
  expect((await child.stop(10_000)).code).toBe(0);
});

test('controllers that are killed run again, at the same address; the metrics count it', async () => {
  const port = await freePort();
  const child = await start(...given(port));
  const client = clientOf(port, scraper);
  try {
    const status = async (): Promise<number> => (await client.get('/readyz')).status;
    // Before, an end would be that of a start that failed.
    await waitFor('the start', () => child.output().includes('while this process is the leader'));
    const [killed = Number.NaN] = workersOf(child.pid);
    process.kill(killed, 'SIGKILL');
    await waitFor('another process', () => ![undefined, killed].includes(workersOf(child.pid)[0]), {
      details: () => child.output(),
    });
    await ready(child, status);
    expect((await client.get('/metrics')).text).toContain(
      'apiserver_worker_restarts_total{worker="1",reason="signal"} 1',
    );
  } finally {
    client.close();
  }
  expect((await child.stop(10_000)).code).toBe(0);
});

test('without a certificate one is generated, and no client may read metrics', async () => {
  const port = await freePort();
  const child = await start(`--secure-port=${port}`);
  await ready(child, () => codeOf(port, '/readyz'));
  expect(await codeOf(port, '/metrics')).toBe(403);
});

test('a port that is taken, and invalid files, end the start: all errors at once', async () => {
  const taken = await start(`--secure-port=${replica.port}`);
  expect((await taken.exited).code).toBe(1);
  expect(taken.output()).toMatch(/port \d+ of 127\.0\.0\.1 is in use.*--secure-port \[PORT_IN_USE\]/);
  const invalid = await start('--secure-port=70000', '--tls-cert-file=/nowhere');
  expect((await invalid.exited).code).toBe(1);
  expect(invalid.output()).toContain('[FLAG_VALUE]');
  expect(invalid.output()).toContain('[FLAG_COMBINATION]');
  const missing = await start('--secure-port=0', '--client-ca-file=/nowhere', '--root-ca-file=/no');
  expect((await missing.exited).code).toBe(1);
  expect(missing.output().match(/\[FILE_UNREADABLE\]/g)).toHaveLength(2);
});
