/** No connection to a server by its name takes a thread of the C library, which names that nobody answers for hold for seconds. */
import dns from 'node:dns';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { httpsJson } from '../../../src/authn/oidc/https-json.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { BackendConnections } from '../../../src/extension/aggregated-apis/backend-connections.ts';
import { askBackend } from '../../../src/proxy/ask-backend.ts';
import { usualPatience } from '../../../src/proxy/types.ts';
import { allowedAddressOf } from '../../../src/server/connections/allowed-address.ts';
import { socketTo } from '../../../src/storage/etcd/http2/socket.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await new Promise((resolve) => server.close(resolve));
});

const user = { name: 'someone', uid: '', groups: [], extra: {} };
const signal = AbortSignal.timeout(30_000);
const identity = { certificate: undefined, passesUid: false };
const waits = { clock: systemClock, patience: usualPatience };

const clients: Readonly<Record<string, (host: string, signal: AbortSignal) => Promise<unknown>>> = {
  'a webhook': (host, signal) => {
    const access = {
      server: new URL(`https://${host}:${String(port)}`),
      token: '',
      ca: undefined,
      cert: undefined,
      key: undefined,
    };
    return new HttpsTransport(access, { clock: systemClock }).json({ method: 'GET', path: '/' }, signal);
  },
  'an aggregated API': (host, signal) => {
    const location = { host, port };
    return new BackendConnections(systemClock, () => location, identity).probe(location, '/', {
      ...{ user, signal, timeoutMs: 30_000 },
    });
  },
  'an issuer of ID tokens': (host, signal) =>
    httpsJson(new URL(`https://${host}:${String(port)}`), [], signal),
  'a node or a service': (host, signal) => {
    const backend = { scheme: 'https', host, port, path: '/' } as const;
    return askBackend(backend, { method: 'GET', headers: [], signal }, waits);
  },
  etcd: (host) =>
    new Promise((_resolve, reject) => {
      const socket = socketTo(new URL(`https://${host}:${String(port)}`), undefined);
      socket.on('error', reject);
    }),
};

test.each(Object.keys(clients))('%s is found without it', async (name) => {
  const before = connections;
  const lookup = jest.spyOn(dns, 'lookup');
  await expect(clients[name]?.('localhost', signal)).rejects.toThrow();
  expect(connections).toBeGreaterThan(before);
  expect(lookup).not.toHaveBeenCalled();
});

test('the address that a name may have is found without it', async () => {
  const lookup = jest.spyOn(dns.promises, 'lookup');
  expect(await allowedAddressOf('localhost', { signal, isAllowed: () => true })).toBe('127.0.0.1');
  expect(lookup).not.toHaveBeenCalled();
});

test.each(Object.keys(clients).filter((name) => name !== 'etcd'))(
  '%s whose name nobody answers is given up with its request',
  async (name) => {
    const asked: string[] = [];
    const neverAnswered = (host: string): Promise<never> => {
      asked.push(host);
      return new Promise(() => undefined);
    };
    for (const kind of ['resolve4', 'resolve6'] as const)
      jest.spyOn(dns.promises.Resolver.prototype, kind).mockImplementation(neverAnswered as never);
    const host = `${name.replaceAll(' ', '-')}.test.`;
    const request = new AbortController();
    const failed = expect(clients[name]?.(host, request.signal)).rejects.toThrow();
    await waitFor('the question', () => asked.length > 0);
    request.abort();
    await within('the end of the request', 15_000, failed);
    jest.restoreAllMocks();
  },
);
