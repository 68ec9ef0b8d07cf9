/** Three members of etcd and two replicas that run through a restore: each loads again, and clients hold what was restored. */
import { join } from 'node:path';
import { startEtcdCluster, type EtcdCluster, type EtcdMember } from '../support/etcd/cluster.ts';
import { runToEnd } from '../support/service.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { VersionInformer } from '../support/version-informer.ts';
import { waitFor } from '../support/wait-for.ts';

const path = '/api/v1/namespaces/default/configmaps';
let temporary: TempFolder;
let etcd: EtcdCluster;
let pki: ServicePki;
let replicas: readonly Replica[];
let informers: readonly VersionInformer[];

beforeAll(async () => {
  temporary = await makeTempFolder('restore-cluster');
  etcd = await startEtcdCluster({ members: 3, tls: true, how: 'process' });
  pki = await makeServicePki();
  replicas = await Promise.all([startReplica({ etcd, pki }), startReplica({ etcd, pki })]);
  informers = await Promise.all(
    replicas.map(({ url }) => {
      const { certFile, keyFile } = pki.admin;
      return VersionInformer.start({ url, caFile: pki.authority.caFile, certFile, keyFile }, 'default');
    }),
  );
}, 120_000);
afterAll(async () => {
  await Promise.all(informers.map((informer) => informer.stop()));
  await Promise.all(replicas.map((replica) => replica.close()));
  await pki.close();
  await etcd.close();
  await temporary.remove();
});

const first = (): Replica => {
  const [replica] = replicas;
  if (replica === undefined) throw new Error('no replica');
  return replica;
};

async function write(name: string, round: string, method: 'post' | 'put' = 'post'): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { round } };
  const at = method === 'post' ? path : `${path}/${name}`;
  const { status, text } = await first().admin.request(method.toUpperCase(), at, body);
  if (status >= 300) throw new Error(text);
}

async function untilAllHold(rounds: Readonly<Record<string, string>>): Promise<void> {
  for (const informer of informers) {
    const held = (): string[] =>
      Object.entries(informer.state()).flatMap(([name, data]) =>
        data?.['round'] === undefined ? [] : [`${name} ${data['round']}`],
      );
    const wanted = Object.entries(rounds).map(([name, round]) => `${name} ${round}`);
    await waitFor(
      `an informer to hold ${wanted.join()}`,
      () => JSON.stringify(held().sort()) === JSON.stringify(wanted.sort()),
      { timeout: 60_000, details: () => `${held().join()}\n${informer.errors.join('\n')}` },
    );
  }
}

/** What the operator gives for one member: what its own command line has. */
function memberWords({ name, local }: EtcdMember): string[] {
  const shared = (local?.args ?? []).filter((word) => /^--initial-(cluster=|advertise)/.test(word));
  return [`--etcd-data-dir=${local?.dataDir ?? ''}`, `--name=${name}`, ...shared];
}

test('three members are restored alike from one prepared snapshot, and clients that stayed have the same state', async () => {
  const [backup, prepared] = [join(temporary.path, 'backup.db'), join(temporary.path, 'prepared.db')];
  const rounds = { kept: 'first', changed: 'first', removed: 'first' };
  for (const [name, round] of Object.entries(rounds)) await write(name, round);
  const { caFile = '', certFile = '', keyFile = '' } = etcd.tls ?? {};
  const access = [
    `--etcd-servers=${etcd.endpoints.join()}`,
    `--etcd-cafile=${caFile}`,
    `--etcd-certfile=${certFile}`,
    `--etcd-keyfile=${keyFile}`,
  ];
  expect(await runToEnd(['backup', `--output=${backup}`, ...access])).toMatchObject({ code: 0 });
  await write('changed', 'second', 'put');
  await write('added', 'second');
  await first().admin.request('DELETE', `${path}/removed`);
  await untilAllHold({ kept: 'first', changed: 'second', added: 'second' });
  const list = (await first().admin.get(path)).json();
  const lists = new Map(informers.map((informer) => [informer, informer.lists]));

  await Promise.all(etcd.members.map((member) => member.stop()));
  expect(await runToEnd(['restore', `--snapshot=${backup}`, `--output=${prepared}`])).toMatchObject({
    code: 0,
  });
  for (const member of etcd.members) {
    const words = memberWords(member);
    const unprepared = await runToEnd(['restore', `--snapshot=${backup}`, '--prepared', ...words]);
    expect(unprepared.output).toMatch(/is not prepared; .*--output=PREPARED \[SNAPSHOT_INVALID\]\n$/);
    const { code, output } = await runToEnd(['restore', `--snapshot=${prepared}`, '--prepared', ...words]);
    expect({ code, output }).toMatchObject({ code: 0 });
  }
  await Promise.all(etcd.members.map((member) => member.start()));
  await etcd.healthy();

  await untilAllHold(rounds);
  await write('added', 'third');
  await untilAllHold({ ...rounds, added: 'third' });
  for (const replica of replicas) {
    const past = await replica.admin.get(
      `${path}?watch=true&resourceVersion=${list.metadata.resourceVersion}`,
    );
    expect(past.status === 410 || past.text.includes('"code":410')).toBe(true);
  }
  for (const informer of informers) expect(informer.lists).toBeGreaterThan(lists.get(informer) ?? 0);
  expect(informers.flatMap(({ errors }) => errors)).toEqual([]);

  const [member] = etcd.members;
  await member?.stop();
  const stale = await runToEnd([
    'restore',
    `--snapshot=${prepared}`,
    '--prepared',
    ...memberWords(member as EtcdMember),
  ]);
  expect(stale.output).toMatch(/which clients may have seen; .*\[SNAPSHOT_INVALID\]\n$/);
}, 180_000);
