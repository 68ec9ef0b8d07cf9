/** Requests of this service itself to servers of aggregated APIs, over real TLS: bounded, verified, recognized. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls, { TLSSocket } from 'node:tls';
import { systemClock } from '../../../../src/base/clock.ts';
import {
  BackendConnections,
  type DocumentRequest,
  type Probe,
} from '../../../../src/extension/aggregated-apis/backend-connections.ts';
import type { RegisteredService } from '../../../../src/extension/aggregated-apis/registered-service.ts';
import { constrainedChain } from '../../../support/constrained-chain.ts';
import { cpuMsSince, moment } from '../../../support/cpu-time.ts';
import { makeAuthority, type Credential, type TestAuthority } from '../../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../../support/temp-folder.ts';

let folder: TempFolder;
let authority: TestAuthority;
let proxy: Credential;
let server: Server;
let serve: (req: IncomingMessage, res: ServerResponse) => void;
let connections: BackendConnections;
let costly: Server | undefined;

beforeAll(async () => {
  folder = await makeTempFolder('backend');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('metrics', ['metrics.kube-system.svc']);
  proxy = await authority.client({ commonName: 'front-proxy' });
  server = createServer({ cert, key, ca: authority.ca, requestCert: true, rejectUnauthorized: false });
  server.on('request', (req, res) => serve(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  const locate = (): { host: string; port: number } => ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
  });
  connections = new BackendConnections(systemClock, locate, {
    certificate: { cert: proxy.cert, key: proxy.key },
    passesUid: false,
  });
});
afterEach(() => {
  connections.close();
  costly?.close();
  costly?.closeAllConnections();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

function peerOf({ socket }: IncomingMessage): unknown {
  return socket instanceof TLSSocket && socket.getPeerCertificate().subject.CN;
}

function service(name = 'metrics', ca = authority.ca, skipsVerification = false): RegisteredService {
  return {
    ...{
      name: 'v1.g.example.com',
      group: 'g.example.com',
      version: 'v1',
      groupPriority: 1,
      versionPriority: 1,
    },
    ...{ isAvailable: true, wish: `${name} ${ca}` },
    backend: { namespace: 'kube-system', name, port: 443, ca, skipsVerification },
  };
}

const asked: DocumentRequest = {
  path: '/openapi/v2',
  user: { name: 'system:aggregator', uid: '', groups: ['system:authenticated'], extra: {} },
  headers: { 'If-None-Match': '"1"' },
  longest: 1_000_000,
  timeoutMs: 10_000,
};

const probed: Probe = { user: asked.user, timeoutMs: 30_000, signal: new AbortController().signal };

test('a document with its tag, asked for by a recognized proxy in the name of a user', async () => {
  const seen: unknown[] = [];
  serve = (req, res) => {
    const { 'x-remote-user': user, 'x-remote-group': group, 'if-none-match': condition } = req.headers;
    seen.push([req.method, req.url, peerOf(req), user, group, condition]);
    res.writeHead(200, { etag: '"2"' }).end('{}');
  };
  const answer = await connections.document(service(), asked);
  expect([answer.code, answer.etag, answer.body.toString()]).toEqual([200, '"2"', '{}']);
  expect(seen).toEqual([
    ['GET', '/openapi/v2', 'front-proxy', 'system:aggregator', 'system:authenticated', '"1"'],
  ]);
});

test('a certificate that is renewed is used for new connections', async () => {
  const names: unknown[] = [];
  serve = (req, res) => {
    names.push(peerOf(req));
    res.end();
  };
  await connections.document(service(), asked);
  const { cert, key } = await authority.client({ commonName: 'next-proxy' });
  connections.use({ cert, key });
  await connections.document(service(), asked);
  expect(names).toEqual(['front-proxy', 'next-proxy']);
});

test('the certificate must be for the service, and of its authority', async () => {
  serve = (_req, res) => res.end('{}');
  const stranger = await makeAuthority(`${folder.path}/strangers`, 'strangers');
  await expect(connections.document(service('other'), asked)).rejects.toThrow('other.kube-system.svc');
  await expect(connections.document(service('metrics', stranger.ca), asked)).rejects.toThrow(/certificate/);
  // The authority of the test is not one of the host.
  await expect(connections.document(service('metrics', ''), asked)).rejects.toThrow(/certificate/);
  expect((await connections.document(service('other', '', true), asked)).code).toBe(200);
});

test('redirects are not followed, and other codes have no body', async () => {
  const paths: (string | undefined)[] = [];
  serve = (req, res) => {
    paths.push(req.url);
    res.writeHead(302, { location: '/elsewhere' }).end('x'.repeat(100));
  };
  const answer = await connections.document(service(), asked);
  expect([answer.code, answer.body.length, paths]).toEqual([302, 0, ['/openapi/v2']]);
});

test('a document without an end ends at its limit', async () => {
  serve = (_req, res) => {
    const write = (): void => {
      while (!res.destroyed && res.write('x'.repeat(64 * 1024)));
    };
    res.on('drain', write);
    write();
  };
  await expect(connections.document(service(), asked)).rejects.toThrow('the response is longer than');
});

test('a server that never answers costs the time that it has', async () => {
  serve = () => undefined;
  await expect(connections.document(service(), { ...asked, timeoutMs: 100 })).rejects.toThrow();
  const location = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  await expect(connections.probe(location, '/', { ...probed, timeoutMs: 100 })).rejects.toThrow();
});

test('a server that sends a byte and no more is alive, but has no document', async () => {
  serve = (_req, res) => res.write('{');
  const location = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  expect(await connections.probe(location, '/', probed)).toBe(200);
  await expect(connections.document(service(), { ...asked, timeoutMs: 200 })).rejects.toThrow();
});

test('a probe leaves a server that shows 60 KB of certificates before they are compared', async () => {
  const { cert, key } = await constrainedChain({ names: 2_000, authorities: 20, constraints: 230 });
  costly = createServer({ cert, key }, (_req, res) => res.end());
  const { port } = await new Promise<AddressInfo>((resolve) => {
    costly?.listen(0, '127.0.0.1', () => {
      resolve(costly?.address() as AddressInfo);
    });
  });
  const location = { host: '127.0.0.1', port };
  const begin = moment();
  await expect(connections.probe(location, '/', probed)).rejects.toThrow('in its TLS handshake');
  expect(cpuMsSince(begin)).toBeLessThan(400);
});

test('probes read the certificate once, not for each connection', async () => {
  const peers: unknown[] = [];
  serve = (req, res) => {
    peers.push(peerOf(req));
    res.end();
  };
  const made = jest.spyOn(tls, 'createSecureContext');
  const location = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  try {
    for (let i = 0; i < 3; i++) expect(await connections.probe(location, '/apis', probed)).toBe(200);
    expect(made.mock.calls.length).toBeLessThanOrEqual(1);
  } finally {
    made.mockRestore();
  }
  expect(peers).toEqual(['front-proxy', 'front-proxy', 'front-proxy']);
});

test('a new certificate is shown by the probes after it', async () => {
  const peers: unknown[] = [];
  serve = (req, res) => {
    peers.push(peerOf(req));
    res.end();
  };
  const location = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  await connections.probe(location, '/apis', probed);
  const { cert, key } = await authority.client({ commonName: 'next-proxy' });
  connections.use({ cert, key });
  await connections.probe(location, '/apis', probed);
  expect(peers).toEqual(['front-proxy', 'next-proxy']);
});
