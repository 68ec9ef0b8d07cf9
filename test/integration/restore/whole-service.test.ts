/** Backup and restore by the service's own commands: secrets stay encrypted, events expire, addresses stay held. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownEndpoint } from '../../../src/local-etcd/etcd-command.ts';
import { PrivateMember } from '../../../src/restore/private-member.ts';
import { runToEnd, Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { etcdTools, forever } from './stored-state.ts';

const inDefault = '/api/v1/namespaces/default';
const plain = 'nobody-reads-this-in-a-file';
let temporary: TempFolder;
let folder: string;
let words: string[];
let service: Service | undefined;

beforeAll(async () => {
  temporary = await makeTempFolder('restore-service');
  folder = join(temporary.path, 'data');
  const configuration = join(temporary.path, 'encryption.yaml');
  const secret = Buffer.alloc(32, 'test').toString('base64');
  await writeFile(
    configuration,
    `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets, events]
  providers:
  - aesgcm: {keys: [{name: key1, secret: ${secret}}]}
`,
  );
  words = ['--naming=kubernetes', '--event-ttl=1h', `--encryption-provider-config=${configuration}`];
});
afterAll(async () => {
  await service?.child.stop();
  await temporary.remove();
});

async function start(): Promise<Service> {
  return (service = await Service.start(folder, words));
}

/** The status of a request, and the object of its response. */
async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  if (service === undefined) throw new Error('no service');
  const answer = await service.ask({ method, path: `${inDefault}/${path}`, ...(body && { body }) });
  return { status: answer.status, text: answer.body };
}

const secretOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { text: plain },
});
const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'restored', namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
  reason: 'Tested',
  message: plain,
  type: 'Normal',
};
const serviceOf = (name: string, clusterIP?: string, nodePort?: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { type: 'NodePort', clusterIP, ports: [{ port: 80, nodePort }] },
});

interface Held {
  readonly address: string;
  readonly port: number;
}

function held(text: string): Held {
  const { spec } = JSON.parse(text) as {
    spec: { clusterIP: string; ports: readonly [{ nodePort: number }] };
  };
  return { address: spec.clusterIP, port: spec.ports[0].nodePort };
}

/** The event in the data of a stopped service: etcd's record, with its value as base64. */
async function storedEvent(): Promise<{ lease: string; value: string }> {
  const dataDir = join(folder, 'etcd');
  await using member = await PrivateMember.start({ tools: await etcdTools(), dataDir, signal: forever });
  const key = '/registry/core/events/default/restored';
  const text = await member.etcdctl('get', key, '--write-out=json');
  const { kvs } = JSON.parse(text) as { kvs: readonly [{ value: string }] };
  // Its digits: a lease is greater than the integers of JavaScript.
  return { ...kvs[0], lease: /"lease":(\d+)/.exec(text)?.[1] ?? '0' };
}

/** Ends a lease of the running service's etcd. */
async function endLease(lease: string): Promise<void> {
  const { etcdctl } = await etcdTools();
  const env = { ...process.env, ETCDCTL_API: '3' };
  const words = [`--endpoints=${ownEndpoint}`, 'lease', 'revoke', BigInt(lease).toString(16)];
  execFileSync(etcdctl, words, { cwd: folder, env, stdio: 'ignore' });
}

test('secrets are readable, events expire, and addresses are held by those who had them', async () => {
  const snapshot = join(temporary.path, 'snapshot.db');
  await start();
  expect((await send('POST', 'secrets', secretOf('kept'))).status).toBe(201);
  const first = held((await send('POST', 'services', serviceOf('first'))).text);
  expect((await send('POST', 'events', event)).status).toBe(201);
  const backup = await runToEnd(['backup', `--data-dir=${folder}`, `--output=${snapshot}`]);
  expect(backup).toMatchObject({ code: 0 });
  expect(readFileSync(snapshot).includes(plain)).toBe(false);
  const second = held((await send('POST', 'services', serviceOf('second'))).text);
  expect((await send('DELETE', 'secrets/kept')).status).toBe(200);
  expect((await send('DELETE', 'services/first')).status).toBe(200);
  await service?.stop();

  const restored = await runToEnd(['restore', `--data-dir=${folder}`, `--snapshot=${snapshot}`]);
  expect(restored).toMatchObject({ code: 0 });
  const stored = await storedEvent();
  expect(stored.lease).not.toBe('0');
  expect(Buffer.from(stored.value, 'base64').includes(plain)).toBe(false);

  await start();
  expect((await send('GET', 'events/restored')).status).toBe(200);
  const kept = JSON.parse((await send('GET', 'secrets/kept')).text) as { data: { text: string } };
  expect(Buffer.from(kept.data.text, 'base64').toString()).toBe(plain);
  // An hour passes at once.
  await endLease(stored.lease);
  await waitFor('the event to expire', async () => (await send('GET', 'events/restored')).status === 404);
  expect(held((await send('GET', 'services/first')).text)).toEqual(first);
  const taken = await send('POST', 'services', serviceOf('thief', first.address, first.port));
  expect(taken.status).toBe(422);
  expect(taken.text).toContain('provided IP is already allocated');
  expect(taken.text).toContain('provided port is already allocated');
  // What was taken after the snapshot is free again, and so is what is given back now.
  expect((await send('POST', 'services', serviceOf('third', second.address, second.port))).status).toBe(201);
  expect((await send('DELETE', 'services/first')).status).toBe(200);
  expect((await send('POST', 'services', serviceOf('heir', first.address, first.port))).status).toBe(201);
  expect(service?.child.output()).not.toContain(plain);
}, 180_000);
