/**
 * Certificates towards etcd that expire or are renewed while a replica of two workers runs: files that are replaced are
 * used by new connections, connections that are open stay, and it recovers from each refusal without a restart.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStream } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeAuthority, type Credential, type TestAuthority } from '../../support/pki.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const stack = new AsyncDisposableStack();
let folder: TempFolder;
let authority: TestAuthority;
let etcd: EtcdCluster;
let proxy: TcpProxy;
let replica: Replica;
let watch: EventStream;
let count = 0;

beforeAll(async () => {
  folder = await makeTempFolder('etcd-certificates');
  stack.defer(() => folder.remove());
  authority = await makeAuthority(join(folder.path, 'first'), 'first etcd authority');
  etcd = stack.use(await startEtcdCluster({ tls: true, how: 'process', authority }));
  proxy = stack.use(await TcpProxy.start(etcd.endpoints[0] ?? ''));
  for (const [name, file] of Object.entries(filesOfEtcd())) copyFileSync(file, at(name));
  const tls = { ...present(etcd.tls), caFile: at('ca'), certFile: at('cert'), keyFile: at('key') };
  const access = { endpoints: [proxy.endpoint], tls };
  replica = stack.use(await startReplica({ etcd: access, args: ['--workers=2', '--controllers='] }));
  const { metadata } = await replica.admin.list(maps);
  watch = await replica.admin.watch(`${maps}?resourceVersion=${metadata.resourceVersion}`);
}, 60_000);

afterAll(() => stack.disposeAsync());

const at = (name: string): string => join(folder.path, name);

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is absent');
  return value;
}

function filesOfEtcd(): Record<'ca' | 'cert' | 'key', string> {
  const { caFile, certFile, keyFile } = present(etcd.tls);
  return { ca: caFile, cert: certFile, key: keyFile };
}

/** Puts other credentials of the replica in place. */
function renewClient({ cert, key }: Credential, ca: string): void {
  writeFileSync(at('cert'), cert);
  writeFileSync(at('key'), key);
  writeFileSync(at('ca'), ca);
}

function renewMember({ cert, key }: Credential): void {
  const { home } = present(etcd.members[0]?.local);
  writeFileSync(join(home, 'member.crt'), cert);
  writeFileSync(join(home, 'member.key'), key);
}

/** An object comes, is read by all workers and told to the watch that stands since the beginning. */
async function expectService(): Promise<void> {
  const name = `map-${String((count += 1))}`;
  await waitFor(
    'a write',
    async () => (await replica.admin.post(maps, { metadata: { name } })).status === 201,
  );
  for (let i = 0; i < 4; i += 1) {
    using client = replica.client(replica.pki.admin);
    expect((await client.get(`${maps}/${name}`)).status).toBe(200);
  }
  await watch.until(({ object }) => object.metadata.name === name);
}

/** Cuts all connections and waits until no worker reaches etcd: the log says why, and what was loaded can be read. */
async function expectRefusal(why: RegExp): Promise<void> {
  const from = replica.logs().length;
  proxy.cut();
  await waitFor('the reason in the log', () => why.test(replica.logs().slice(from)), {
    details: () => replica.logs().slice(from).slice(-4_000),
  });
  await waitFor('/readyz to fail', async () => (await replica.admin.get('/readyz')).status === 500);
  expect((await replica.admin.get(`${maps}/map-1?resourceVersion=0`)).status).toBe(200);
}

async function notAfter(): Promise<number> {
  const { text } = await replica.admin.get('/metrics');
  return Number(/certificate_not_after_timestamp_seconds\{[^}]*etcd-client[^}]*\} (\S+)/.exec(text)?.[1]);
}

async function untilReloaded(times: number): Promise<void> {
  const sample = /apiserver_file_reloads_total\{flag="etcd-certfile",result="success"\} (\d+)/;
  await waitFor('the new files', async () => {
    const { text } = await replica.admin.get('/metrics');
    return Number(sample.exec(text)?.[1] ?? 0) >= times;
  });
}

test('a client certificate that is renewed: no connection is cut; the next ones use it', async () => {
  await expectService();
  const { connections } = proxy;
  const from = replica.logs().length;
  const lifetimeMs = 7 * 86_400_000;
  renewClient(await authority.client({ commonName: 'renewed' }, lifetimeMs), authority.ca);
  await untilReloaded(1);
  await waitFor(
    'its expiry in the metrics',
    async () => Math.abs((await notAfter()) * 1_000 - Date.now() - lifetimeMs) < 3_600_000,
  );
  await expectService();
  expect(proxy.connections).toBeGreaterThanOrEqual(connections);
  expect(replica.logs().slice(from)).not.toContain('interrupted');
  proxy.cut();
  await expectService();
});

test('an expired server certificate: requests and /readyz say so, stale reads go on; renewed, all goes on', async () => {
  renewMember(await authority.server('expired', [], -3_600_000));
  // Connections that are open go on.
  await expectService();
  await expectRefusal(/cannot be reached: certificate has expired/);
  const answers = [
    replica.admin.get(`${maps}/map-1`),
    replica.admin.post(maps, { metadata: { name: 'no' } }),
  ];
  for (const { status, headers, text } of await Promise.all(answers)) {
    expect([status, headers['retry-after']]).toEqual([503, '10']);
    expect(text).toContain(
      'the store cannot be reached: its certificate has expired; an operator must renew it',
    );
  }
  renewMember(await authority.server('renewed'));
  await expectService();
});

test('another authority on both sides: refused until the files are replaced', async () => {
  const second = await makeAuthority(join(folder.path, 'second'), 'second etcd authority');
  const [member] = etcd.members;
  renewMember(await second.server('second'));
  writeFileSync(join(present(member?.local).home, 'ca.crt'), second.ca);
  await member?.stop();
  await member?.start();
  await expectRefusal(/unable to verify/);
  const stranger = await makeAuthority(join(folder.path, 'stranger'));
  renewClient(await stranger.client({ commonName: 'stranger' }), second.ca);
  await untilReloaded(2);
  await expectRefusal(/alert/);
  renewClient(await second.client({ commonName: 'second' }), second.ca);
  await expectService();
});
