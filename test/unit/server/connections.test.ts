/** Connections from the client's request to the agent of a node, a pod or a service, over real TLS on both sides. */
import type { TLSSocket } from 'node:tls';
import type { ConnectionTarget } from '../../../src/registry/subresources/connection-target.ts';
import type { Patience } from '../../../src/http/server.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { buildConnections, type Connections } from '../../../src/server/connections/build-connections.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { TestAgent, type SeenRequest } from '../../support/node-agent.ts';
import { makeAuthority, type Credential, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openWebSocket } from '../../support/websocket.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const config = {
  ...{ addressTypes: ['InternalIP', 'Hostname'], timeoutMs: 5_000 },
  ...{ caFile: '', certFile: '', keyFile: '' },
};

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let authority: TestAuthority;
let certificate: Credential;
let agent: TestAgent;
let room: HttpRoom;
let connections: Connections;
/** Whether loopback addresses, which is all that this test has, stand for those of pods. */
let isLoopbackAllowed: boolean;

beforeAll(async () => {
  folder = await makeTempFolder('connections');
  authority = await makeAuthority(`${folder.path}/agents`);
  certificate = await authority.client({ commonName: 'apiserver' });
  agent = await TestAgent.start(await authority.server('agent'), authority.ca, folder.path);
  connections = buildConnections(config, {
    environment: systemEnvironment,
    apiDomain: naming.apiDomain,
    credentials: ofAgents(),
    isAllowed: (ip) => isLoopbackAllowed && ip === '127.0.0.1',
  });
  room = await openConnections();
});
afterAll(async () => {
  await room.close();
  await agent[Symbol.asyncDispose]();
  await folder.remove();
});
beforeEach(() => {
  isLoopbackAllowed = true;
  agent.seen.length = 0;
});

function ofAgents() {
  return { nodeAgents: { ca: authority.ca, cert: certificate.cert, key: certificate.key } };
}

function openConnections(patience?: Patience, { passOn } = connections): Promise<HttpRoom> {
  return openRoom(folder.path, { naming, catalogue: () => catalogue, schemas, passOn }, patience);
}

function agentOf(port = agent.port, address = '127.0.0.1') {
  return { node: 'n1', addresses: [{ type: 'InternalIP', address }], port };
}

function atAgent(path: string, changes: Partial<Extract<ConnectionTarget, { kind: 'agent' }>> = {}): void {
  room.verbs.target = { kind: 'agent', agent: agentOf(), path, skipsVerification: false, ...changes };
}

function atAddress(changes: Partial<Extract<ConnectionTarget, { kind: 'address' }>> = {}): void {
  const port = String(agent.port);
  room.verbs.target = { kind: 'address', scheme: 'https', ip: '127.0.0.1', port, ...changes };
}

const pod = '/api/v1/namespaces/x/pods/a';

describe('the log of a container', () => {
  const path = '/containerLogs/x/a/main';

  test('comes from the agent, which sees the certificate for agents and nothing of the client', async () => {
    atAgent(`${path}?tailLines=2`);
    const headers = { authorization: 'Bearer s3cret', cookie: 'a=b' };
    const answer = await room.ask(`${pod}/log?tailLines=2&container=main`, { headers });
    expect(answer).toMatchObject({ code: 200, text: 'first\nsecond\n' });
    expect(answer.headers['content-type']).toBe('text/plain');
    expect(answer.headers['audit-id']).toBeDefined();
    expect(room.verbs.last).toMatchObject({ name: 'a', argument: { tailLines: 2, container: 'main' } });
    expect(agent.last).toMatchObject({ method: 'GET', url: `${path}?tailLines=2`, peer: 'apiserver' });
    expect(Object.keys(agent.last?.headers ?? {}).sort()).toEqual(['connection', 'host']);
  });

  test('is followed, and left when the client goes', async () => {
    atAgent(`${path}?follow=true`);
    const opening = room.open(`${pod}/log?follow=true`);
    await waitFor('the agent to be asked', () => agent.followed === 1);
    let text = '';
    agent.say('one');
    const response = await opening;
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (const line of ['two', 'three']) {
      agent.say(line);
      await waitFor(line, () => text.endsWith(`${line}\n`));
    }
    expect(text).toBe('one\ntwo\nthree\n');
    response.destroy();
    await waitFor('the agent to be left', () => agent.followed === 0);
  });

  test('of a pod that runs nowhere is empty', async () => {
    room.verbs.target = { kind: 'nothing' };
    expect(await room.ask(`${pod}/log`)).toMatchObject({ code: 204, text: '' });
  });

  const refusals: [number, string, number, string, string][] = [
    [400, 'container "main" is waiting', 400, 'BadRequest', 'container "main" is waiting'],
    [404, 'no', 404, 'NotFound', 'the server could not find the requested resource ( pods/log a)'],
    [500, 'broken', 500, 'InternalError', 'Internal error occurred: broken'],
    [503, 'busy', 503, 'InternalError', 'an error on the server ("busy") has prevented'],
    [403, 'not you', 403, 'Forbidden', 'not you'],
    [302, '', 500, 'InternalError', 'redirects'],
    [0, '', 500, 'Unknown', 'an error on the server ("") has prevented'],
    [226, 'odd', 500, 'Unknown', 'an error on the server ("odd") has prevented'],
    [999, 'odd', 500, 'InternalError', 'an error on the server ("odd") has prevented'],
  ];
  test.each(refusals)('that the agent refuses with %i %s is a Status', async (code, text, ...expected) => {
    atAgent(path);
    agent.refusals.push({ code, text });
    const [status, reason, message] = expected;
    const answer = await room.ask(`${pod}/log`);
    expect(answer.code).toBe(status);
    expect(answer.json()).toMatchObject({
      kind: 'Status',
      reason,
      message: expect.stringContaining(message) as unknown,
    });
  });

  test('of an agent that is not there is an error', async () => {
    atAgent(path, { agent: agentOf(1) });
    const answer = await room.ask(`${pod}/log`);
    expect(answer.json()).toMatchObject({
      code: 500,
      message: expect.stringMatching(/^error dialing backend: /) as unknown,
    });
  });

  test('of an agent without an address of the preferred types is an error', async () => {
    atAgent(path, { agent: { ...agentOf(), addresses: [{ type: 'ExternalIP', address: '192.0.2.1' }] } });
    const message = 'no preferred addresses found; known addresses: [ExternalIP 192.0.2.1]';
    expect((await room.ask(`${pod}/log`)).json()).toMatchObject({ code: 500, message });
  });

  test('comes from no agent that the CA bundle does not verify, unless the client says so', async () => {
    const { ca } = await makeAuthority(`${folder.path}/others`);
    const { cert, key } = certificate;
    connections.use({ nodeAgents: { ca, cert, key } });
    try {
      atAgent(path);
      expect((await room.ask(`${pod}/log`)).json()).toMatchObject({ code: 500 });
      atAgent(path, { skipsVerification: true });
      expect(await room.ask(`${pod}/log?insecureSkipTLSVerifyBackend=true`)).toMatchObject({ code: 200 });
    } finally {
      connections.use({ nodeAgents: { ca: authority.ca, cert, key } });
    }
  });
});

describe('a process', () => {
  const path = '/exec/x/a/main?command=cat&input=1&output=1';

  test('is run over WebSocket, its input and output passed on', async () => {
    atAgent(path);
    const { end, response } = await openWebSocket({
      ...{ port: room.server.port, ca: room.authority.ca, path: `${pod}/exec?command=cat&stdin=1&stdout=1` },
      protocols: ['v5.channel.k8s.io'],
      headers: { authorization: 'Bearer s3cret' },
    });
    expect(response.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
    const on = (channel: number): string =>
      end.frames
        .filter(({ opcode, data }) => opcode === 2 && data[0] === channel)
        .map(({ data }) => data.subarray(1).toString())
        .join('');
    const big = 'x'.repeat(100_000);
    end.send(Buffer.from('\0input'));
    await waitFor('the output', () => on(1) === 'input');
    end.send(Buffer.from(`\0${big}`));
    await waitFor('more output', () => on(1) === `input${big}`);
    end.send(Buffer.from([255, 0]));
    await waitFor('the end', () => end.isOver);
    expect(JSON.parse(on(3))).toMatchObject({ status: 'Success' });
    expect(agent.last).toMatchObject({ method: 'GET', url: path, peer: 'apiserver' });
    expect(agent.last?.headers).not.toHaveProperty('authorization');
    expect(room.verbs.last.argument).toMatchObject({ command: ['cat'], stdin: true, stdout: true });
  });

  test('may speak any other protocol, such as SPDY', async () => {
    atAgent('/portForward/x/a');
    const socket = room.raw(
      `POST ${pod}/portforward HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n\r\nearly`,
    );
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitFor('the echo', () => said.endsWith('EARLY'));
    socket.write(' and late');
    await waitFor('the rest', () => said.endsWith('EARLY AND LATE'));
    expect(said).toMatch(/^HTTP\/1.1 101 [^]*Upgrade: SPDY\/3.1\r\n/);
    expect(agent.last).toMatchObject({ method: 'POST', url: '/portForward/x/a', peer: 'apiserver' });
    socket.destroy();
  });

  test('is held to the configured bytes per second', async () => {
    atAgent('/portForward/x/a');
    const clock = new HandClock();
    const slow = buildConnections(
      { ...config, bytesPerSecond: 20_000 },
      { environment: { ...systemEnvironment, clock }, credentials: ofAgents(), apiDomain: naming.apiDomain },
    );
    const limited = await openConnections(undefined, slow);
    limited.verbs.target = room.verbs.target;
    const socket = limited.raw(
      `POST ${pod}/portforward HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n\r\n`,
    );
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitFor('the change', () => said.includes('101'));
    socket.write('a'.repeat(10_000));
    await waitFor('the echo', () => {
      clock.advance(50);
      return said.endsWith('A'.repeat(10_000));
    });
    expect(clock.monotonic()).toBeGreaterThan(350);
    socket.destroy();
    await limited.close();
  });

  test.each(['exec', 'attach', 'portforward'])('%s needs another protocol', async (subresource) => {
    atAgent(path);
    const answer = await room.ask(`${pod}/${subresource}?command=ls`, { method: 'POST' });
    expect(answer.json()).toMatchObject({ code: 400, message: 'Upgrade request required' });
    expect(agent.seen).toHaveLength(0);
  });

  test('that is not allowed is refused before anything is connected', async () => {
    atAgent(path);
    room.authorize = () => ({ decision: 'noOpinion', reason: '' });
    try {
      const target = { port: room.server.port, ca: room.authority.ca, path: `${pod}/exec?command=ls` };
      await expect(openWebSocket(target)).rejects.toThrow('403');
    } finally {
      room.authorize = () => ({ decision: 'allow', reason: '' });
    }
    expect(agent.seen).toHaveLength(0);
  });

  test('does not start in a dry run', async () => {
    const answer = await room.ask(`${pod}/exec?command=ls&dryRun=All`, { method: 'POST' });
    expect(answer.json()).toMatchObject({ code: 400, message: 'dryRun is not supported' });
  });
});

describe('what is behind a pod or a service', () => {
  const seen = (answer: { json(): unknown }): SeenRequest => answer.json() as SeenRequest;

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'gets %s with path, query and body',
    async (method) => {
      atAddress();
      const body = method === 'GET' ? '' : 'some body';
      const answer = await room.ask(`${pod}:8080/proxy/a%20b/c?d=e&d=f%2Fg`, {
        ...{ method, headers: { 'content-type': 'text/x', authorization: 'Bearer s3cret' } },
        ...(body !== '' && { body }),
      });
      expect(answer.code).toBe(200);
      expect(seen(answer)).toMatchObject({ method, url: '/a%20b/c?d=e&d=f%2Fg', body, peer: '' });
      expect(seen(answer).headers).toMatchObject({
        ...{ 'content-type': 'text/x', 'x-forwarded-for': '127.0.0.1' },
        'x-forwarded-uri': `${pod}:8080/proxy/a%20b/c`,
      });
      expect(seen(answer).headers).not.toHaveProperty('authorization');
      expect(room.verbs.last).toMatchObject({ name: 'a:8080', argument: { path: '/a b/c' } });
    },
  );

  const paths: [string, string][] = [
    ['/proxy/', '/'],
    ['/proxy/a/', '/a/'],
    ['/proxy/a/../../../b', '/b'],
    ['/proxy/a//b', '/a/b'],
    ['/proxy/%3Fa%23b%25', '/%3Fa%23b%25'],
    ['/proxy/a?path=/other', '/a?path=/other'],
  ];
  test.each(paths)('is asked by %s for %s', async (path, url) => {
    atAddress();
    expect(seen(await room.ask(`/api/v1/namespaces/x/services/s${path}`)).url).toBe(url);
  });

  test('has a path that ends in a slash, so that relative links hold', async () => {
    atAddress();
    const answer = await room.ask('/api/v1/namespaces/x/services/s/proxy?a=b');
    expect(answer.code).toBe(301);
    expect(answer.headers.location).toBe('/api/v1/namespaces/x/services/s/proxy/?a=b');
  });

  test('may be of another protocol', async () => {
    atAddress();
    const { end } = await openWebSocket({
      ...{ port: room.server.port, ca: room.authority.ca, path: `${pod}/proxy/ws` },
      protocols: ['v4.channel.k8s.io'],
    });
    await waitFor('the end of the program', () => end.frames.length > 0);
    end.socket.destroy();
    expect(agent.last).toMatchObject({ url: '/ws', peer: '' });
  });

  test('is 503 where nobody listens', async () => {
    atAddress({ port: '1' });
    const message = expect.stringMatching(/^error trying to reach service: /) as unknown;
    expect((await room.ask(`${pod}/proxy/`)).json()).toMatchObject({ code: 503, message });
  });

  test.each(['127.0.0.1', '169.254.169.254', '::1', '', 'localhost'])('is not at %j', async (ip) => {
    isLoopbackAllowed = false;
    atAddress({ ip });
    const answer = await room.ask(`${pod}/proxy/`);
    expect(answer.json()).toMatchObject({ code: 400, message: 'address not allowed' });
    expect(agent.seen).toHaveLength(0);
  });

  test.each(['0', '65536', 'x', '-1'])('has no port %s', async (port) => {
    atAddress({ port });
    expect((await room.ask(`${pod}/proxy/`)).code).toBe(400);
  });

  test('may be sent a body for longer than other requests', async () => {
    const short = { handshakeMs: 10_000, headersMs: 1_000, requestMs: 1_000, checkMs: 100 };
    const hasty = await openConnections(short);
    try {
      hasty.verbs.target = { kind: 'address', scheme: 'https', ip: '127.0.0.1', port: String(agent.port) };
      const upload = (path: string): TLSSocket =>
        hasty.raw(
          `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nab`,
        );
      const slow = upload(`${pod}/proxy/slow`);
      let said = '';
      slow.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await waitFor('the passage to begin', () => hasty.verbs.calls.length === 1);
      // A body that is read has to arrive in time.
      const read = upload('/api/v1/namespaces/x/configmaps/a').resume();
      await waitFor('the end of a body that is read', () => read.closed);
      slow.write('cd');
      await waitFor('the answer', () => said.includes('"body":"abcd"'));
      slow.destroy();
    } finally {
      await hasty.close();
    }
  });
});

describe('what is behind a node', () => {
  const at = (port: string): void => {
    room.verbs.target = { kind: 'node', agent: agentOf(), scheme: 'https', port };
  };

  test('is its agent by default and by its port, with the certificate for agents', async () => {
    for (const port of ['', String(agent.port)]) {
      at(port);
      expect((await room.ask('/api/v1/nodes/n1/proxy/stats')).json()).toMatchObject({
        url: '/stats',
        peer: 'apiserver',
      });
    }
  });

  test('is a port without credentials otherwise, at allowed addresses', async () => {
    const other = await TestAgent.start(await authority.server('other'), authority.ca, folder.path);
    at(String(other.port));
    expect((await room.ask('/api/v1/nodes/n1/proxy/')).json()).toMatchObject({ peer: '' });
    isLoopbackAllowed = false;
    expect((await room.ask('/api/v1/nodes/n1/proxy/')).json()).toMatchObject({ code: 400 });
    await other[Symbol.asyncDispose]();
  });

  test('is reached at the address that its name has, not by the name', async () => {
    room.verbs.target = {
      kind: 'node',
      agent: agentOf(1, 'localhost'),
      scheme: 'https',
      port: String(agent.port),
    };
    isLoopbackAllowed = false;
    expect((await room.ask('/api/v1/nodes/n1/proxy/')).json()).toMatchObject({
      message: 'address not allowed',
    });
  });
});
