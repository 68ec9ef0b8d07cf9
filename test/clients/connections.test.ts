/** The kubectl of this machine over connections: logs, processes, files and proxies, through two workers to an agent. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
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
/** Protocols of connections: newer ones ask for WebSocket first, unless they are told not to; older ones know SPDY alone. */
const protocols: [string, NodeJS.ProcessEnv][] = [
  ['as kubectl prefers it', {}],
  ['over SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
];

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

describe.each(protocols)('%s', (_how, env) => {
  test('exec, with input and exit code', async () => {
    expect(await kubectl.ok(['exec', 'web', '--', 'echo', 'a b', 'c'], '', env)).toBe('a b c\n');
    expect(await kubectl.ok(['exec', '-i', 'web', '--', 'cat'], 'some input', env)).toBe('some input');
    if (env['KUBECTL_REMOTE_COMMAND_WEBSOCKETS']) expect(agent.last?.headers.upgrade).toBe('SPDY/3.1');
    const failed = await kubectl.run(['exec', 'web', '--', 'sh', '-c', 'echo wrong >&2; exit 3'], '', env);
    expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('wrong') as unknown });
  });

  test('exec in a terminal has its size, echoes what is typed and gives the exit code', async () => {
    const script = 'stty size; test -t 0 && echo ready; read line; echo "got $line"; exit 4';
    const terminal = kubectl.inTerminal(['exec', '-it', 'web', '--', 'sh', '-c', script], env);
    await waitFor('the program', () => terminal.shown().includes('ready'), { details: terminal.shown });
    expect(terminal.shown()).toContain('30 100\r\n');
    terminal.type('a line\r');
    expect(await terminal.ended).toBe(4);
    expect(terminal.shown()).toContain('a line\r\ngot a line\r\n');
  });

  test('attach passes input and output of a program that runs', async () => {
    const { code, stdout } = await kubectl.run(['attach', '-i', 'web'], 'some input', env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'some input' });
    expect(agent.last?.url).toMatch(/^\/attach\/default\/web\/main\?/);
  });

  test('cp, both ways', async () => {
    const content = 'some lines\n'.repeat(50_000);
    const [here, back] = [join(kubectl.folder, 'here.txt'), join(kubectl.folder, 'back.txt')];
    await writeFile(here, content);
    await kubectl.ok(['cp', here, 'web:there.txt'], '', env);
    expect(await readFile(join(folder.path, 'there.txt'), 'utf8')).toBe(content);
    await kubectl.ok(['cp', 'web:there.txt', back], '', env);
    expect(await readFile(back, 'utf8')).toBe(content);
  });

  test('port-forward carries conversations, also several at once', async () => {
    await using server = await shoutingServer();
    const forwarding = await kubectl.start(['port-forward', 'pod/web', `:${String(server.port)}`], env);
    const port = await waitFor('the port', () => /127\.0\.0\.1:(\d+) ->/.exec(forwarding.output())?.[1], {
      details: () => forwarding.output(),
    });
    const said = await Promise.all([1, 2, 3].map((i) => converse(Number(port), 5, `hello ${String(i)} `)));
    expect(said).toEqual([1, 2, 3].map((i) => `HELLO ${String(i)} `.repeat(5)));
    const long = 'x'.repeat(1_000_000);
    expect(await converse(Number(port), 1, long)).toBe(long.toUpperCase());
    await forwarding.stop();
  });
});

/** Answers in capital letters, and ends after its client. */
async function shoutingServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).setEncoding('utf8');
    socket.on('data', (text: string) => socket.write(text.toUpperCase())).on('end', () => socket.end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

/** Says a text some times, each time after the answer to the last one, and returns all that was answered. */
async function converse(port: number, times: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  const closed = once(socket, 'close');
  socket.on('data', (chunk: string) => (answer += chunk));
  for (let i = 1; i <= times; i++) {
    socket.write(text);
    await waitFor('the answer', () => answer.length === i * text.length);
  }
  socket.end();
  await closed;
  return answer;
}

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
