/** Values in etcd that are damaged, or made to harm: they are told by name, and nothing else fails. */
import { createCipheriv } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
import { KmsPluginServer } from '../../support/kms-plugin.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { directClient } from '../../support/storage.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const key = Buffer.alloc(32, 'test');
const plain = 'nobody-reads-this-in-a-log';
let etcd: SharedEtcd;
let direct: EtcdClient;
let folder: TempFolder;
let plugin: KmsPluginServer;
let replica: Replica;

beforeAll(async () => {
  etcd = await shareEtcd();
  direct = directClient(etcd.endpoints);
  folder = await makeTempFolder('hostile-values');
  plugin = new KmsPluginServer(join(folder.path, 'kms.sock'));
  await plugin.start();
  const configuration = join(folder.path, 'encryption.yaml');
  const keys = `keys: [{name: key1, secret: ${key.toString('base64')}}]`;
  const lines = [
    'apiVersion: apiserver.config.k8s.io/v1',
    'kind: EncryptionConfiguration',
    'resources:',
    '- resources: [secrets]',
    '  providers:',
    `  - aescbc: {${keys}}`,
    `  - aesgcm: {${keys}}`,
    `  - secretbox: {${keys}}`,
    `  - kms: {apiVersion: v2, name: vault, endpoint: "${plugin.endpoint}"}`,
    `  - kms: {name: old, endpoint: "${plugin.endpoint}"}`,
    '  - identity: {}',
  ];
  await writeFile(configuration, lines.join('\n'));
  for (const [name, value] of Object.entries(values)) await put('loaded', name, value);
  const args = [`--encryption-provider-config=${configuration}`];
  replica = await startReplica({ etcd, naming: 'kubernetes', args });
});
afterAll(async () => {
  await replica.close();
  plugin.stop();
  direct.close();
  await folder.remove();
  await etcd.close();
});

function keyOf(namespace: string, name: string): Buffer {
  return Buffer.from(`${etcd.prefix}/core/secrets/${namespace}/${name}`);
}

async function put(namespace: string, name: string, value: Buffer): Promise<void> {
  await direct.put({ key: keyOf(namespace, name), value });
}

/** By AES-CBC, which does not notice changes. @param flip a byte of the cipher text, behind the vector */
function cbc(text: string, flip?: number): Buffer {
  const prefix = Buffer.from('k8s:enc:aescbc:v1:key1:');
  const vector = Buffer.alloc(16, 1);
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  const value = Buffer.concat([prefix, vector, cipher.update(text), cipher.final()]);
  const at = prefix.length + vector.length + (flip ?? 0);
  if (flip !== undefined) value[at] = (value[at] ?? 0) ^ 1;
  return value;
}

const object = JSON.stringify({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: 'x', namespace: 'loaded', labels: { a: 'b'.repeat(50) } },
  data: { text: 'YQ==' },
});
const repeated = (hex: string): Buffer => Buffer.alloc(1_000_000, Buffer.from(hex, 'hex'));
const behind = (prefix: string, ...rest: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(prefix), ...rest]);

const values: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  nul: Buffer.alloc(1_000),
  text: Buffer.from(plain),
  garbage: Buffer.alloc(1_000_000, plain),
  'half-a-prefix': Buffer.from('k8s:enc'),
  'a-prefix': Buffer.from('k8s:enc:'),
  'unknown-provider': Buffer.from('k8s:enc:rot13:v1:key1:abc'),
  'short-nonce': Buffer.from('k8s:enc:aesgcm:v1:key1:short'),
  'large-box': behind('k8s:enc:secretbox:v1:key1:', Buffer.alloc(1_000_000, 'z')),
  'kms-v1-key': behind('k8s:enc:kms:v1:old:', Buffer.alloc(100_000, 255)),
  'kms-v2-garbage': behind('k8s:enc:kms:v2:vault:', repeated('22010a')),
  // Encrypted data, key ID, encrypted key, then annotations without end.
  'kms-v2-annotations': behind(
    'k8s:enc:kms:v2:vault:',
    Buffer.from('0a016112016b1a016b', 'hex'),
    repeated('22060a0161120161'),
  ),
  'kms-v2-prototype': behind(
    'k8s:enc:kms:v2:vault:',
    Buffer.from('0a016112016b1a016b', 'hex'),
    Buffer.from('220e0a095f5f70726f746f5f5f120161', 'hex'),
  ),
  'changed-block': cbc(object, 16 * 4),
  'encrypted-text': cbc(plain),
  'encrypted-array': cbc(`["${plain}"]`),
  'no-members': Buffer.from('{}'),
  'no-kind': Buffer.from('{"metadata":{"name":"no-kind","namespace":"loaded"}}'),
  'open-data': Buffer.from('{"kind":"Secret","apiVersion":"v1","metadata":{"name":"open-data"},"data":{}'),
  'encrypted-start': cbc(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"${plain}`),
};

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'good' }, stringData: { a: 'b' } };
const at = (namespace: string, name = ''): string => `/api/v1/namespaces/${namespace}/secrets${name}`;

async function assertToldByName(namespace: string, name: string): Promise<void> {
  const told = `core/secrets/${namespace}/${name} cannot be read`;
  const answer = await waitFor(`${name} to be told`, async () => {
    const got = await replica.admin.get(at(namespace, `/${name}`));
    return got.status === 404 ? undefined : got;
  });
  expect({ name, status: answer.status, text: answer.text }).toEqual({
    ...{ name, status: 500 },
    text: expect.stringContaining(told) as string,
  });
  expect(answer.text).not.toContain(plain.slice(0, 8));
  expect((await replica.admin.delete(at(namespace, `/${name}`))).text).toContain(told);
}

test.each(Object.keys(values))('%s is told by name when it is loaded, and when it comes', async (name) => {
  await assertToldByName('loaded', name);
  await put('later', name, values[name] ?? Buffer.alloc(0));
  await assertToldByName('later', name);
});

test('lists of its namespace fail, as a list without it would say that it is gone; others work', async () => {
  await put('later', 'empty', Buffer.alloc(0));
  await waitFor('the list to fail', async () => (await replica.admin.get(at('later'))).status === 500);
  for (const path of [at('loaded'), '/api/v1/secrets']) {
    const { status, text } = await replica.admin.get(path);
    expect(status).toBe(500);
    expect(text).toContain('stored values of core/secrets cannot be read');
  }
  expect((await replica.admin.post(at('default'), secret)).status).toBe(201);
  expect((await replica.admin.get(at('default'))).status).toBe(200);
  for (const path of ['/api/v1/configmaps', '/livez', '/readyz'])
    expect((await replica.admin.get(path)).status).toBe(200);
});

test('an operator deletes them in etcd, and then lists work again', async () => {
  for (const namespace of ['loaded', 'later'])
    for (const name of Object.keys(values))
      await direct.txn({
        compare: [],
        success: [{ request_delete_range: { key: keyOf(namespace, name) } }],
        failure: [],
      });
  await waitFor('the list', async () => (await replica.admin.get('/api/v1/secrets')).status === 200);
  expect((await replica.admin.post(at('default'), { ...secret, metadata: { name: 'empty' } })).status).toBe(
    201,
  );
  expect((await replica.admin.get(at('loaded', '/empty'))).status).toBe(404);
});

/** Breaks the text of a value that the service wrote itself. Gives what mends it. */
async function breakOwn(path: string): Promise<() => Promise<void>> {
  const key = Buffer.from(`${etcd.prefix}/${path}`);
  const [kv] = (await direct.range({ key })).kvs;
  const whole = Buffer.from(kv?.value ?? '');
  const broken = Buffer.from(whole);
  broken[broken.indexOf('"uid":') + '"uid"'.length] = ';'.charCodeAt(0);
  await direct.put({ key, value: broken });
  return async () => {
    await direct.put({ key, value: whole });
  };
}

const remote = { namespace: 'default', name: 'nowhere', port: 443 };
const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
const ownSpecs = {
  'apiregistration.k8s.io/v1/apiservices/v1.example.com': {
    ...{ group: 'example.com', version: 'v1', service: remote, insecureSkipTLSVerify: true },
    ...priorities,
  },
  'flowcontrol.apiserver.k8s.io/v1beta1/flowschemas/mine': {
    priorityLevelConfiguration: { name: 'catch-all' },
  },
  'flowcontrol.apiserver.k8s.io/v1beta1/prioritylevelconfigurations/mine': {
    ...{ type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
};

test('own values that say how requests are routed and queued end neither a process nor a start', async () => {
  const { pid } = replica;
  const mends: (() => Promise<void>)[] = [];
  const statuses = (): Promise<number[]> =>
    Promise.all(Object.keys(ownSpecs).map(async (path) => (await replica.admin.get(`/apis/${path}`)).status));
  for (const [path, spec] of Object.entries(ownSpecs)) {
    const [group = '', version = '', plural = '', name = ''] = path.split('/');
    const created = await replica.admin.post(`/apis/${group}/${version}/${plural}`, {
      metadata: { name },
      spec,
    });
    expect({ path, status: created.status }).toEqual({ path, status: 201 });
    mends.push(await breakOwn(`${group}/${plural}/${name}`));
  }
  const areTold = async (): Promise<boolean> => (await statuses()).every((status) => status === 500);
  await waitFor('them to be told', areTold);
  expect((await replica.admin.get('/livez')).status).toBe(200);
  expect(replica.pid).toBe(pid);

  await replica.stop();
  await replica.start();
  expect(await areTold()).toBe(true);
  for (const mend of mends) await mend();
  await waitFor('them to be read', async () => (await statuses()).every((status) => status === 200));
});

test('no log has a part of a value', () => {
  expect(replica.logs()).toContain('a stored value cannot be read');
  expect(replica.logs()).not.toContain(plain.slice(0, 8));
});
