/**
 * Two replicas, under load, whose etcd gets another past: it is replaced by another cluster, or an older copy of its data
 * is put back. Each loads again, all watches end with 410, no write is lost that was sent and acknowledged afterwards.
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { numberOf } from '../../src/storage/etcd/etcd-messages.ts';
import type { EtcdClient } from '../../src/storage/etcd/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { directClient } from '../support/storage.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { VersionInformer } from '../support/version-informer.ts';
import { waitFor } from '../support/wait-for.ts';
import { configMaps, Creations, namesHeldBy } from './support/creations.ts';
import type { EventStream } from '../support/watch-stream.ts';

const path = configMaps;
let temporary: TempFolder;
let first: EtcdCluster;
let second: EtcdCluster;
let proxy: TcpProxy;
let pki: ServicePki;
let replicas: readonly Replica[];

beforeAll(async () => {
  temporary = await makeTempFolder('other-past');
  [first, second] = await Promise.all([
    startEtcdCluster({ how: 'process' }),
    startEtcdCluster({ how: 'process' }),
  ]);
  proxy = await TcpProxy.start(first.endpoints[0] ?? '');
  pki = await makeServicePki();
  const etcd = { endpoints: [proxy.endpoint], tls: undefined };
  replicas = await Promise.all([startReplica({ etcd, pki }), startReplica({ etcd, pki })]);
}, 60_000);
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await proxy.close();
  await Promise.all([first.close(), second.close()]);
  await pki.close();
  await temporary.remove();
});

async function startInformers(): Promise<VersionInformer[]> {
  const { certFile, keyFile } = pki.admin;
  const access = { caFile: pki.authority.caFile, certFile, keyFile };
  return Promise.all(replicas.map(({ url }) => VersionInformer.start({ url, ...access }, 'default')));
}

/** Reads a watch to its end: versions only grow, and the end is 410. */
async function expectGone(watch: EventStream, from: string): Promise<void> {
  const events = await watch.until(({ type }) => type === 'ERROR', 30_000);
  expect(events.at(-1)?.object).toMatchObject({ code: 410, reason: 'Expired' });
  const versions = events.slice(0, -1).map(({ object }) => Number(object.metadata.resourceVersion));
  expect([Number(from), ...versions]).toEqual([Number(from), ...versions].sort((a, b) => a - b));
}

/**
 * @param change gives etcd another past; resolves when replicas reach it
 * @param lost names that are not in the new past
 */
async function runThrough(
  round: string,
  change: () => Promise<void>,
  lost: readonly string[],
): Promise<void> {
  const informers = await startInformers();
  const writers = new Creations(replicas, round);
  try {
    await runWith({ informers, writers }, change, lost);
  } finally {
    await writers.stop();
    await Promise.all(informers.map((informer) => informer.stop()));
  }
}

interface Clients {
  readonly informers: readonly VersionInformer[];
  readonly writers: Creations;
}

async function runWith(
  { informers, writers }: Clients,
  change: () => Promise<void>,
  lost: readonly string[],
): Promise<void> {
  const { metadata } = (await replicas[0]?.admin.list(path)) ?? {};
  const from = metadata?.resourceVersion ?? '';
  const watches = await Promise.all(
    replicas.map(({ admin }) => admin.watch(`${path}?resourceVersion=${from}`)),
  );
  await writers.more(20, 'before the change');
  await change();
  const changedAt = performance.now();
  await Promise.all(watches.map((watch) => expectGone(watch, from)));
  await writers.more(40, 'after the change');
  await writers.stop();

  const held = await Promise.all(replicas.map(namesHeldBy));
  expect(held[1]).toEqual(held[0]);
  expect(held[0]).toEqual(expect.arrayContaining([...writers.after(changedAt)]));
  for (const name of lost) expect(held[0]).not.toContain(name);
  for (const informer of informers)
    await waitFor(
      'an informer to hold the new state',
      () => JSON.stringify(Object.keys(informer.state()).sort()) === JSON.stringify(held[0]),
    );
}

async function create(name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  await replicas[0]?.admin.ok('POST', path, body);
}

const everything = { key: Buffer.from('/registry/'), range_end: Buffer.from('/registry0') };

async function revisionOf(client: EtcdClient): Promise<number> {
  return numberOf((await client.range({ key: Buffer.from('x') })).header.revision);
}

/** Writes keys of others until etcd is so far. */
async function raise(client: EtcdClient, revision: number): Promise<void> {
  const key = Buffer.from('/other');
  while ((await revisionOf(client)) < revision)
    await Promise.all(Array.from({ length: 50 }, () => client.put({ key, value: key })));
}

test('another cluster with a higher revision takes its place', async () => {
  const [from, to] = [directClient(first.endpoints), directClient(second.endpoints)];
  for (const { key, value } of (await from.range(everything)).kvs) await to.put({ key, value });
  await create('first-only');
  await runThrough(
    'higher',
    async () => {
      await raise(to, (await revisionOf(from)) + 500);
      proxy.redirect(second.endpoints[0] ?? '');
    },
    ['first-only'],
  );
  from.close();
  to.close();
}, 60_000);

test('another cluster with a lower revision takes its place', async () => {
  await create('second-only');
  await runThrough('lower', async () => proxy.redirect(first.endpoints[0] ?? ''), ['second-only']);
  const [replica] = replicas;
  expect((await replica?.admin.get(`${path}/first-only`))?.status).toBe(200);
}, 60_000);

describe('an older copy of the data is put back', () => {
  const copy = (): string => join(temporary.path, 'copy');
  const dataDir = (): string => first.members[0]?.local?.dataDir ?? '';

  beforeEach(async () => {
    const [member] = first.members;
    await member?.stop();
    await rm(copy(), { recursive: true, force: true });
    await cp(dataDir(), copy(), { recursive: true });
    await member?.start();
    await first.healthy();
    await waitFor('writes', async () => {
      const { status } = (await replicas[0]?.admin.get(path)) ?? {};
      return status === 200;
    });
  }, 30_000);

  async function putBack(): Promise<void> {
    await first.members[0]?.stop();
    await rm(dataDir(), { recursive: true });
    await cp(copy(), dataDir(), { recursive: true });
    await first.members[0]?.start();
    await first.healthy();
  }

  test('the revision of the same cluster goes back', async () => {
    await create('after-copy');
    await runThrough('back', putBack, ['after-copy']);
  }, 60_000);

  test('it has overtaken what replicas have seen before they reach it', async () => {
    await create('after-copy');
    await runThrough(
      'overtaken',
      async () => {
        proxy.refuse();
        const before = directClient(first.endpoints);
        const served = await revisionOf(before);
        before.close();
        await putBack();
        const after = directClient(first.endpoints);
        await raise(after, served + 10);
        after.close();
        proxy.accept();
      },
      ['after-copy'],
    );
  }, 60_000);
});
