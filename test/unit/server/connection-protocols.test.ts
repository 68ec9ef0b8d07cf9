/**
 * Protocols that clients reach the agent of a node in: the log of a container in messages of a WebSocket, the token in a
 * subprotocol, and streams of HTTP/2.
 */
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { buildConnections } from '../../../src/server/connections/build-connections.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { askStream, connectHttp2 } from '../../support/http/http2-client.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { TestAgent, type SeenRequest } from '../../support/node-agent.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openWebSocket } from '../../support/websocket.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const config = { addressTypes: ['InternalIP'], timeoutMs: 5_000, caFile: '', certFile: '', keyFile: '' };
const pod = '/api/v1/namespaces/x/pods/a';
const path = '/containerLogs/x/a/main';

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let agent: TestAgent;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('websockets');
  const authority = await makeAuthority(`${folder.path}/agents`);
  const { cert, key } = await authority.client({ commonName: 'apiserver' });
  agent = await TestAgent.start(await authority.server('agent'), authority.ca, folder.path);
  const { passOn } = buildConnections(config, {
    environment: systemEnvironment,
    apiDomain: naming.apiDomain,
    credentials: { nodeAgents: { ca: authority.ca, cert, key } },
  });
  room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas, passOn });
});
afterAll(async () => {
  await room.close();
  await agent[Symbol.asyncDispose]();
  await folder.remove();
});

function atAgent(to: string): void {
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const node = { node: 'n1', addresses, port: agent.port };
  room.verbs.target = { kind: 'agent', agent: node, path: to, skipsVerification: false };
}

/** The head of a request for a WebSocket. */
function upgradeTo(at: string): string {
  const key = Buffer.alloc(16).toString('base64');
  const asked = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`;
  return `GET ${at} HTTP/1.1\r\nHost: x\r\n${asked}\r\n\r\n`;
}

describe('the log of a container over WebSocket', () => {
  async function openLog(query: string, protocols: string[], headers: Record<string, string> = {}) {
    atAgent(`${path}${query}`);
    const at = { port: room.server.port, ca: room.authority.ca, path: `${pod}/log${query}` };
    return openWebSocket({ ...at, protocols, headers });
  }

  test.each([
    [[], undefined, 2, 'utf8'],
    [['x', 'binary.k8s.io'], 'binary.k8s.io', 2, 'utf8'],
    [['base64.binary.k8s.io', 'binary.k8s.io'], 'base64.binary.k8s.io', 1, 'base64'],
  ] as const)('is sent in messages, asked for as %j', async (protocols, chosen, opcode, encoding) => {
    const { end, response } = await openLog('?tailLines=2', [...protocols]);
    await waitFor('the end', () => end.isOver);
    expect(response.headers['sec-websocket-protocol']).toBe(chosen);
    const messages = end.frames.slice(0, -1);
    expect(messages.map((frame) => frame.opcode)).toEqual(messages.map(() => opcode));
    expect(messages[0]?.data).toHaveLength(0);
    const text = messages.map(({ data }) => Buffer.from(data.toString(), encoding).toString()).join('');
    expect(text).toBe('first\nsecond\n');
    expect(end.frames.at(-1)).toMatchObject({ opcode: 8, data: Buffer.from([3, 232]) });
    expect(agent.last).toMatchObject({ method: 'GET', peer: 'apiserver' });
    expect(Object.keys(agent.last?.headers ?? {}).sort()).toEqual(['connection', 'host']);
  });

  test('is followed, and left when the client closes the WebSocket', async () => {
    const opening = openLog('?follow=true', ['binary.k8s.io']);
    await waitFor('the agent to be asked', () => agent.followed === 1);
    agent.say('one');
    const { end } = await opening;
    const text = (): string => end.frames.map(({ data }) => data.toString()).join('');
    await waitFor('the first line', () => text() === 'one\n');
    agent.say('two');
    await waitFor('the second line', () => text() === 'one\ntwo\n');
    end.send(Buffer.from([3, 232]), 8);
    await waitFor('the end', () => end.isOver);
    await waitFor('the agent to be left', () => agent.followed === 0);
  });

  test.each([
    ['goes', '', (client: TLSSocket) => client.destroy()],
    ['has nothing more to say', '', (client: TLSSocket) => client.end()],
    ['has sent frames already, and goes', 'x'.repeat(50_000), (client: TLSSocket) => client.destroy()],
    ['sends and sends', 'x'.repeat(1_000_000), () => undefined],
  ])('of which nothing has come yet is left when the client %s', async (_how, sent, leave) => {
    atAgent(`${path}?follow=true`);
    const client = connectTls({ port: room.server.port, ca: room.authority.ca, host: '127.0.0.1' });
    client.on('error', () => undefined);
    client.write(upgradeTo(`${pod}/log?follow=true`));
    await waitFor('the agent to be asked', () => agent.followed === 1);
    client.write(sent);
    leave(client);
    await waitFor('the agent to be left', () => agent.followed === 0);
    client.destroy();
  });

  test('frames that come before the log are read with it', async () => {
    atAgent(`${path}?follow=true`);
    const client = connectTls({ port: room.server.port, ca: room.authority.ca, host: '127.0.0.1' });
    let answer = '';
    client.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1'))).on('error', () => undefined);
    client.write(upgradeTo(`${pod}/log?follow=true`));
    await waitFor('the agent to be asked', () => agent.followed === 1);
    const masked = Buffer.from([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    client.write(masked.subarray(0, 3));
    client.write(masked.subarray(3));
    agent.say('one');
    await waitFor('log and pong', () => answer.includes('one\n') && answer.includes('\x8a\x02hi'));
    client.destroy();
    await waitFor('the agent to be left', () => agent.followed === 0);
  });

  test('is refused in a subprotocol that logs have not', async () => {
    await expect(openLog('', ['v4.channel.k8s.io'])).rejects.toThrow('status code 403');
  });

  test('that the agent refuses is an error before the protocol changes', async () => {
    agent.refusals.push({ code: 400, text: 'waiting' });
    await expect(openLog('', [])).rejects.toThrow('status code 400');
  });
});

test('a token in a subprotocol authenticates, and the agent does not see it', async () => {
  atAgent('/exec/x/a/main?command=cat&input=1&output=1');
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('s3cret').toString('base64url')}`;
  room.asked.length = 0;
  const { end, response } = await openWebSocket({
    ...{ port: room.server.port, ca: room.authority.ca, path: `${pod}/exec?command=cat&stdin=1&stdout=1` },
    protocols: [token, 'v5.channel.k8s.io'],
  });
  expect(room.asked.map(({ bearerToken }) => bearerToken)).toEqual(['s3cret']);
  expect(response.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
  expect(agent.last?.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
  expect(JSON.stringify(room.logs)).not.toContain(token);
  end.socket.destroy();
});

test('a silent log over HTTP/1.1 is left when the client goes, whatever it has sent besides', async () => {
  atAgent(`${path}?follow=true`);
  const client = connectTls({ port: room.server.port, ca: room.authority.ca, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const get = (at: string): string => `GET ${at} HTTP/1.1\r\nHost: x\r\n\r\n`;
  client.write(get(`${pod}/log?follow=true`));
  await waitFor('the agent to be asked', () => agent.followed === 1);
  client.end(get('/livez').repeat(20_000));
  await waitFor('the agent to be left', () => agent.followed === 0);
  client.destroy();
});

describe('over HTTP/2', () => {
  test('a log is followed line by line, and left when the client resets its stream', async () => {
    atAgent(`${path}?follow=true`);
    const session = connectHttp2(room.server.port, { ca: room.authority.ca });
    const stream = session.request({ ':path': `${pod}/log?follow=true` });
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
    await waitFor('the agent to be asked', () => agent.followed === 1);
    for (const line of ['one', 'two']) {
      agent.say(line);
      await waitFor(line, () => text.endsWith(`${line}\n`));
    }
    stream.close(8);
    await waitFor('the agent to be left', () => agent.followed === 0);
    expect(session.destroyed).toBe(false);
    session.destroy();
  });

  test('a proxied request has its body, and no header of a connection either way', async () => {
    atAgent('/stats?a=b');
    const session = connectHttp2(room.server.port, { ca: room.authority.ca });
    const headers = { ':method': 'POST', ':path': '/api/v1/nodes/n1/proxy/stats?a=b', te: 'trailers' };
    const answer = await askStream(session, { ...headers, authorization: 'Bearer s3cret' }, 'some body');
    expect(answer).toMatchObject({ code: 200, resetCode: 0 });
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(answer.headers).not.toHaveProperty(name);
    const seen = JSON.parse(answer.text) as SeenRequest;
    expect(seen).toMatchObject({ method: 'POST', url: '/stats?a=b', body: 'some body' });
    for (const name of ['te', 'authorization', ':path']) expect(seen.headers).not.toHaveProperty(name);
    session.destroy();
  });

  test('a process needs another protocol, which a stream has not', async () => {
    atAgent('/exec/x/a/main?command=ls&output=1');
    const session = connectHttp2(room.server.port, { ca: room.authority.ca });
    const answer = await askStream(session, { ':path': `${pod}/exec?command=ls&stdout=1` });
    expect(answer.code).toBe(400);
    expect(answer.text).toContain('Upgrade request required');
    session.destroy();
  });
});
