/** Serving threads where values are encrypted in etcd: each writes by the current key, and knows what another key wrote. */
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
import { processesWith } from '../../support/processes.ts';
import { Service } from '../../support/service.ts';
import { directClient } from '../../support/storage.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let etcd: SharedEtcd;
let direct: EtcdClient;
let temporary: TempFolder;
let configuration: string;
let service: Service;
/** The kernel chooses a thread for each of their connections: all of them have the same once in 32,768 runs. */
let clients: Agent[];

beforeEach(async () => {
  etcd = await shareEtcd();
  direct = directClient(etcd.endpoints);
  temporary = await makeTempFolder('encrypting-threads');
  configuration = join(temporary.path, 'encryption.yaml');
  await configure('key1');
  const flags = ['--serving-threads=2', '--naming=kubernetes', '--v=1'];
  flags.push(`--etcd-servers=${etcd.endpoints.join(',')}`, `--etcd-prefix=${etcd.prefix}`);
  flags.push(`--encryption-provider-config=${configuration}`);
  service = await Service.start(temporary.path, flags);
  clients = Array.from({ length: 16 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
});
afterEach(async () => {
  for (const agent of clients) agent.destroy();
  await service.child.stop();
  await waitFor('every process to be gone', () => processesWith(temporary.path).length === 0);
  direct.close();
  await etcd.close();
  await temporary.remove();
});

/** The first key encrypts, all of them decrypt. */
async function configure(...keys: string[]): Promise<void> {
  const listed = keys.map((name) => `{name: ${name}, secret: ${Buffer.alloc(32, name).toString('base64')}}`);
  const lines = [
    'apiVersion: apiserver.config.k8s.io/v1',
    'kind: EncryptionConfiguration',
    'resources:',
    `- {resources: [secrets], providers: [{aesgcm: {keys: [${listed.join(', ')}]}}]}`,
  ];
  await writeFile(configuration, lines.join('\n'));
}

/** The key that a secret is encrypted by. */
async function keyOf(name: string): Promise<string | undefined> {
  const { kvs } = await direct.range({ key: Buffer.from(`${etcd.prefix}/core/secrets/default/${name}`) });
  return /^k8s:enc:aesgcm:v1:(\w+):/.exec(kvs[0]?.value.toString('latin1') ?? '')?.[1];
}

const path = '/api/v1/namespaces/default/secrets';

test('after a rotation an equal replacement through any thread encrypts anew, and no more than once', async () => {
  for (const [i, agent] of clients.entries()) {
    const name = `secret-${String(i)}`;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { text: 'hidden' } };
    expect((await service.ask({ method: 'POST', path, body, agent })).status).toBe(201);
    expect(await keyOf(name)).toBe('key1');
  }
  const read = async (name: string, agent: Agent): Promise<{ metadata: { resourceVersion: string } }> => {
    const { status, body } = await service.ask({ path: `${path}/${name}`, agent });
    expect([status, body]).toEqual([200, expect.stringContaining(Buffer.from('hidden').toString('base64'))]);
    return JSON.parse(body) as { metadata: { resourceVersion: string } };
  };
  await configure('key2', 'key1');
  for (const [i, agent] of clients.entries()) {
    // One that was written through another connection.
    const name = `secret-${String((i + 5) % clients.length)}`;
    const replace = async (): Promise<string> => {
      const body = await read(name, agent);
      const answer = await service.ask({ method: 'PUT', path: `${path}/${name}`, body, agent });
      expect(answer.status).toBe(200);
      return (JSON.parse(answer.body) as typeof body).metadata.resourceVersion;
    };
    await waitFor('the new key', async () => {
      await replace();
      return (await keyOf(name)) === 'key2';
    });
    expect(await replace()).toBe(await replace());
  }
  expect(service.child.output()).not.toContain(Buffer.alloc(32, 'key1').toString('base64'));
});
