/** The kubectl of this machine over connections: logs, processes, files and proxies, through two workers to an agent. */
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';

import { untilPodsMayRun } from '../support/default-account.ts';
import { startEtcdCluster } from '../support/etcd/cluster.ts';
import { readAnswer } from '../support/http/room.ts';
import { TestAgent } from '../support/node-agent.ts';
import { makeServicePki, startReplica } from '../support/replica.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeKubectl, type Kubectl } from './support/kubectl.ts';

const owned = new AsyncDisposableStack();
let folder: TempFolder;
let agent: TestAgent;
let kubectl: Kubectl;
/** Older ones run processes over SPDY alone, which the agent does not speak. */
let speaksWebSocket: boolean;

beforeAll(async () => {
  const etcd = await startEtcdCluster({ how: 'process' });
  owned.defer(() => etcd.close());
  folder = await makeTempFolder('agent');
  owned.defer(() => folder.remove());
  const pki = owned.use(await makeServicePki());
  const client = await pki.authority.client({ commonName: 'apiserver' });
  agent = owned.use(
    await TestAgent.start(await pki.authority.server('agent'), pki.authority.ca, folder.path),
  );
  const args = [
    '--workers=2',
    `--kubelet-certificate-authority=${pki.authority.caFile}`,
    `--kubelet-client-certificate=${client.certFile}`,
    `--kubelet-client-key=${client.keyFile}`,
    '--kubelet-preferred-address-types=InternalIP,Hostname',
  ];
  const replica = owned.use(await startReplica({ etcd, pki, naming: 'kubernetes', args }));
  await untilPodsMayRun(replica.admin);
  kubectl = owned.use(await makeKubectl(replica));
  const { clientVersion } = JSON.parse(await kubectl.ok(['version', '-o', 'json'])) as {
    clientVersion: { minor: string };
  };
  speaksWebSocket = parseInt(clientVersion.minor) >= 31;
  await replica.admin.ok('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  await replica.admin.patch('/api/v1/nodes/n1/status', 'merge', {
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    },
  });
  await replica.admin.ok('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'main:1', ports: [{ containerPort: 80 }] }] },
  });
  await replica.admin.patch('/api/v1/namespaces/default/pods/web/status', 'merge', {
    status: { phase: 'Running', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] },
  });
}, 60_000);
afterAll(() => owned.disposeAsync());

test('logs, whole and followed', async () => {
  expect(await kubectl.ok(['logs', 'web', '--tail=2'])).toBe('first\nsecond\n');
  expect(agent.last).toMatchObject({ url: '/containerLogs/default/web/main?tailLines=2', peer: 'apiserver' });
  const following = await kubectl.start(['logs', '-f', 'web']);
  await waitFor('the agent to be asked', () => agent.followed === 1);
  for (const line of ['one', 'two']) {
    agent.say(line);
    await waitFor(line, () => following.output().includes(`${line}\n`));
  }
  await following.stop();
  await waitFor('the agent to be left', () => agent.followed === 0);
});

test('exec, with input and exit code', async () => {
  if (!speaksWebSocket) return;
  expect(await kubectl.ok(['exec', 'web', '--', 'echo', 'a b', 'c'])).toBe('a b c\n');
  expect(await kubectl.ok(['exec', '-i', 'web', '--', 'cat'], 'some input')).toBe('some input');
  const failed = await kubectl.run(['exec', 'web', '--', 'sh', '-c', 'echo wrong >&2; exit 3']);
  expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('wrong') as unknown });
});

test('cp, both ways', async () => {
  if (!speaksWebSocket) return;
  const content = 'some lines\n'.repeat(50_000);
  const [here, back] = [join(kubectl.folder, 'here.txt'), join(kubectl.folder, 'back.txt')];
  await writeFile(here, content);
  await kubectl.ok(['cp', here, 'web:there.txt']);
  expect(await readFile(join(folder.path, 'there.txt'), 'utf8')).toBe(content);
  await kubectl.ok(['cp', 'web:there.txt', back]);
  expect(await readFile(back, 'utf8')).toBe(content);
});

test('proxy, to a node; a pod at a loopback address is refused', async () => {
  const proxy = await kubectl.start(['proxy', '--port=0']);
  const port = await waitFor('the port', () => /127\.0\.0\.1:(\d+)/.exec(proxy.output())?.[1]);
  const ask = async (path: string): Promise<unknown> => {
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      get(`http://127.0.0.1:${port}${path}`, resolve).on('error', reject);
    });
    return (await readAnswer(answer)).json();
  };
  const seen = await ask('/api/v1/nodes/n1/proxy/stats/summary?a=b');
  expect(seen).toMatchObject({ method: 'GET', url: '/stats/summary?a=b', peer: 'apiserver' });
  const refusal = await ask('/api/v1/namespaces/default/pods/web/proxy/');
  expect(refusal).toMatchObject({ code: 400, message: 'address not allowed' });
  await proxy.stop();
});
