/** What flags of the storage do to values in etcd, as clients see it: events expire, secrets are encrypted. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { directClient } from '../../support/storage.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let etcd: SharedEtcd;
let direct: EtcdClient;
let folder: TempFolder;
let configuration: string;
let replica: Replica;

beforeAll(async () => {
  etcd = await shareEtcd();
  direct = directClient(etcd.endpoints);
  folder = await makeTempFolder('encryption');
  configuration = join(folder.path, 'encryption.yaml');
  await configure('aescbc: {keys: [{name: key1, secret: SECRET}]}', 'identity: {}');
  const args = ['--event-ttl=2s', `--encryption-provider-config=${configuration}`];
  replica = await startReplica({ etcd, naming: 'kubernetes', args });
});
afterAll(async () => {
  await replica.close();
  direct.close();
  await folder.remove();
  await etcd.close();
});

/** Writes the encryption configuration of secrets. */
async function configure(...providers: string[]): Promise<void> {
  const lines = [
    'apiVersion: apiserver.config.k8s.io/v1',
    'kind: EncryptionConfiguration',
    'resources:',
    '- resources: [secrets]',
    '  providers:',
    ...providers.map((provider) => `  - ${provider}`),
  ];
  const secret = Buffer.alloc(32, 'test').toString('base64');
  await writeFile(configuration, lines.join('\n').replaceAll('SECRET', secret));
}

function keyOf(name: string, namespace = 'default'): Buffer {
  return Buffer.from(`${etcd.prefix}/core/secrets/${namespace}/${name}`);
}

/** The first words of the value of a secret in etcd. */
async function storedAs(name: string): Promise<string> {
  const { kvs } = await direct.range({ key: keyOf(name) });
  return kvs[0]?.value.toString('latin1').split(':').slice(0, 5).join(':') ?? '';
}

const events = '/api/v1/namespaces/default/events';
const modernEvents = '/apis/events.k8s.io/v1/namespaces/default/events';
/** A body that the write threads take. */
const large = 'x'.repeat(100_000);

function event(name: string, note = ''): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default', annotations: { note } },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
    reason: 'Tested',
    type: 'Normal',
  };
}

test('events expire, small and large ones, for watches of both groups', async () => {
  const { metadata } = (await replica.admin.get(events)).json();
  const query = `watch=1&resourceVersion=${metadata.resourceVersion}`;
  const watches = [
    await replica.admin.watch(`${events}?${query}`),
    await replica.admin.watch(`${modernEvents}?${query}`),
  ];
  expect((await replica.admin.post(events, event('small'))).status).toBe(201);
  expect((await replica.admin.post(events, event('large', large))).status).toBe(201);
  for (const watch of watches) {
    const gone = new Set<string>();
    while (gone.size < 2) {
      const seen = await watch.next();
      if (seen === undefined) throw new Error('the watch ended');
      if (seen.type === 'DELETED') gone.add(seen.object.metadata.name);
    }
    watch.close();
  }
  expect((await replica.admin.get(`${events}/small`)).status).toBe(404);
  expect((await replica.admin.get(`${modernEvents}/large`)).status).toBe(404);
});

const secrets = '/api/v1/namespaces/default/secrets';

function secret(name: string, text = 'hidden'): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { text } };
}

test('secrets are encrypted; after a change of the first provider an equal replacement encrypts anew', async () => {
  expect((await replica.admin.post(secrets, secret('small'))).status).toBe(201);
  expect((await replica.admin.post(secrets, secret('large', large))).status).toBe(201);
  expect(await storedAs('small')).toBe('k8s:enc:aescbc:v1:key1');
  expect(await storedAs('large')).toBe('k8s:enc:aescbc:v1:key1');
  const names = ['small', 'large'];
  const before = await Promise.all(
    names.map(async (name) => (await replica.admin.get(`${secrets}/${name}`)).text),
  );
  await configure(
    'aesgcm: {keys: [{name: key2, secret: SECRET}]}',
    'aescbc: {keys: [{name: key1, secret: SECRET}]}',
  );
  await waitFor('the new configuration', async () => {
    for (const [i, name] of names.entries()) {
      const answer = await replica.admin.put(`${secrets}/${name}`, before[i] ?? '', {
        'content-type': 'application/json',
      });
      expect(answer.status).toBe(200);
      if ((await storedAs(name)) !== 'k8s:enc:aesgcm:v1:key2') return false;
      before[i] = answer.text;
    }
    return true;
  });
  const after = (await replica.admin.get(`${secrets}/small`)).json();
  expect((await replica.admin.put(`${secrets}/small`, after)).json().metadata.resourceVersion).toBe(
    after.metadata.resourceVersion,
  );
  const metrics = (await replica.admin.get('/metrics')).text;
  expect(metrics).toMatch(
    /apiserver_storage_transformation_operations_total\{[^}]*transformer_prefix="k8s:enc:aesgcm:v1:"[^}]*\} [1-9]/,
  );
  expect(replica.logs()).not.toContain(Buffer.alloc(32, 'test').toString('base64'));
});

test('a secret that no key decrypts fails by its name, and nothing else does', async () => {
  const key = keyOf('foreign', 'kube-system');
  await direct.put({
    key,
    value: Buffer.from('k8s:enc:aesgcm:v1:other:0123456789012345678901234567890123456789'),
  });
  const inSystem = '/api/v1/namespaces/kube-system/secrets';
  const answer = await waitFor('the object', async () => {
    const got = await replica.admin.get(`${inSystem}/foreign`);
    return got.status === 404 ? undefined : got;
  });
  expect(answer.status).toBe(500);
  expect(answer.json()).toMatchObject({ kind: 'Status', reason: 'InternalError' });
  expect(answer.text).toContain('core/secrets/kube-system/foreign');
  for (const path of [inSystem, '/api/v1/secrets', `${inSystem}?watch=1&resourceVersion=0`]) {
    const list = await replica.admin.get(path);
    expect(list.text).toContain('core/secrets/kube-system/foreign');
    if (!path.includes('watch')) expect(list.status).toBe(500);
  }
  expect((await replica.admin.get(secrets)).status).toBe(200);
  expect((await replica.admin.get('/api/v1/configmaps')).status).toBe(200);
  expect((await replica.admin.get('/readyz')).status).toBe(200);
  expect((await replica.admin.get('/metrics')).text).toMatch(
    /apiserver_storage_decode_errors_total\{resource="secrets"[^}]*\} [1-9]/,
  );
});

test('broken configurations in rapid turn change nothing: every secret that is written meanwhile is encrypted', async () => {
  const good = await readFile(configuration, 'utf8');
  const broken = [
    '',
    '\0',
    good.slice(0, good.length / 2),
    good.replace('aesgcm', 'rot13'),
    good.replace(/secret: \S+/, 'secret: c2hvcnQ='),
    'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: 7\n',
    `${good}\n${'# much\n'.repeat(100_000)}- [`,
  ];
  for (let i = 0; i < 70; i += 1) {
    await writeFile(configuration, broken[i % broken.length] ?? '');
    expect((await replica.admin.post(secrets, secret(`turn-${String(i)}`))).status).toBe(201);
    expect((await replica.admin.get('/livez')).status).toBe(200);
  }
  await writeFile(configuration, good);
  for (let i = 0; i < 70; i += 1) expect(await storedAs(`turn-${String(i)}`)).toBe('k8s:enc:aesgcm:v1:key2');
});
