/** Where clients inside of this service find group versions: over real TLS, bounded, ended by a move. */
import { getEventListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../../src/base/clock.ts';
import { ApiPlaces } from '../../../../src/extension/aggregated-apis/api-places.ts';
import { BackendConnections } from '../../../../src/extension/aggregated-apis/backend-connections.ts';
import type { RegisteredService } from '../../../../src/extension/aggregated-apis/registered-service.ts';
import {
  registrationsOf,
  type RegistrationListener,
} from '../../../../src/extension/aggregated-apis/registrations.ts';
import { makeAuthority, type TestAuthority } from '../../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../../support/temp-folder.ts';
import { waitFor } from '../../../support/wait-for.ts';

let folder: TempFolder;
let authority: TestAuthority;
let server: Server;
let serve: (req: IncomingMessage, res: ServerResponse) => void;
let connections: BackendConnections;
let services: RegisteredService[];
let changed: RegistrationListener;
let places: ApiPlaces;

beforeAll(async () => {
  folder = await makeTempFolder('places');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('far', ['far.kube-system.svc']);
  server = createServer({ cert, key });
  server.on('request', (req, res) => serve(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  const { port } = server.address() as AddressInfo;
  connections = new BackendConnections(systemClock, () => ({ host: '127.0.0.1', port }), {
    certificate: undefined,
    passesUid: false,
  });
  services = [service()];
  places = new ApiPlaces({
    connections,
    registrations: {
      current: () => registrationsOf(services),
      onChange: (listener) => {
        changed = listener;
      },
    },
    user: { name: 'controllers', uid: '', groups: ['system:authenticated'], extra: {} },
  });
});
afterEach(() => {
  connections.close();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

function service(change: Partial<RegisteredService> = {}): RegisteredService {
  const backend = {
    namespace: 'kube-system',
    name: 'far',
    port: 443,
    ca: authority.ca,
    skipsVerification: false,
  };
  return {
    ...{ name: 'v1.far.example.com', group: 'far.example.com', version: 'v1' },
    ...{ groupPriority: 1, versionPriority: 1, isAvailable: true, wish: 'first', backend, ...change },
  };
}

const transport = () => places.of('far.example.com', 'v1').transport!;
const never = new AbortController().signal;
const get = { method: 'GET', path: '/apis/far.example.com/v1/things' } as const;

test('requests name the user, and carry bodies', async () => {
  const seen: unknown[] = [];
  serve = (req, res) => {
    let body = '';
    req.on('data', (part: Buffer) => (body += part.toString()));
    req.on('end', () => {
      seen.push([req.method, req.url, req.headers['x-remote-user'], req.headers['content-type'], body]);
      res.end('{"done":true}');
    });
  };
  const asked = {
    method: 'PATCH',
    path: '/x',
    body: { a: 1 },
    contentType: 'application/merge-patch+json',
  } as const;
  expect(await transport().json(asked, never)).toEqual({ done: true });
  expect(seen).toEqual([['PATCH', '/x', 'controllers', 'application/merge-patch+json', '{"a":1}']]);
});

test('what is served here has no transport, and a server that is unavailable is not asked', async () => {
  serve = () => {
    throw new Error('nobody asks');
  };
  expect(places.of('', 'v1').transport).toBeUndefined();
  expect(places.remote().map(({ group }) => group)).toEqual(['far.example.com']);
  services = [service({ isAvailable: false })];
  await expect(transport().json(get, never)).rejects.toMatchObject({ code: 503 });
});

test('failures are those of the server, redirects and unreadable bodies too', async () => {
  const status = { kind: 'Status', reason: 'Forbidden', message: 'not you' };
  serve = (_req, res) => res.writeHead(403).end(JSON.stringify(status));
  await expect(transport().json(get, never)).rejects.toMatchObject({ code: 403, message: 'not you' });
  serve = (_req, res) => res.writeHead(307, { location: 'https://127.0.0.1:1/' }).end();
  await expect(transport().json(get, never)).rejects.toMatchObject({ code: 307 });
  await expect(transport().lines(get, never).next()).rejects.toMatchObject({ code: 307 });
  serve = (_req, res) => res.end('{"half":');
  expect(await transport().json(get, never)).toEqual({});
});

test('bodies and lines without an end, and lines in single bytes, end with an error', async () => {
  const endless = (part: string) => (_req: IncomingMessage, res: ServerResponse) => {
    const write = (): void => {
      while (!res.destroyed && res.write(part));
    };
    res.on('drain', write);
    write();
  };
  serve = endless('x'.repeat(64 * 1024));
  await expect(transport().json(get, never)).rejects.toThrow('the response is longer than 4 MiB');
  await expect(transport().lines(get, never).next()).rejects.toThrow('longer than 4194304 bytes');
  serve = (_req, res) => {
    const drip = (): void => {
      if (!res.destroyed) res.write('x', () => setImmediate(drip));
    };
    drip();
  };
  await expect(transport().lines(get, never).next()).rejects.toThrow('in chunks of a few bytes');
});

test('requests leave nothing with the signals that outlive them', async () => {
  const any = jest.spyOn(AbortSignal, 'any');
  serve = (_req, res) => res.end('{"a":1}\n');
  const { moved } = places.of('far.example.com', 'v1');
  for (let i = 0; i < 3; i += 1) {
    await transport().json(get, never);
    for await (const line of transport().lines(get, never)) expect(line).toEqual({ a: 1 });
  }
  expect([moved, never].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  // It makes a signal look at all that depend on it for each that was collected.
  expect(any).not.toHaveBeenCalled();
  any.mockRestore();
});

test('lines arrive whole, however they are cut', async () => {
  const text = '{"a":"é"}\nno JSON\n\n{"b":2}\n{"never":"ended"';
  const bytes = Buffer.from(text);
  serve = (_req, res) => {
    const send = (at: number): void => {
      if (at >= bytes.length) res.end();
      else res.write(bytes.subarray(at, at + 3), () => send(at + 3));
    };
    send(0);
  };
  const seen: unknown[] = [];
  for await (const line of transport().lines(get, never)) seen.push(line);
  expect(seen).toEqual([{ a: 'é' }, { b: 2 }]);
});

test.each([
  ['another server', (): RegisteredService[] => [service({ wish: 'second' })]],
  ['this service', (): RegisteredService[] => [service({ wish: 'third', backend: undefined })]],
  ['nobody', (): RegisteredService[] => []],
])('a move to %s ends what is under way', async (_who, after) => {
  let open = 0;
  serve = (_req, res) => {
    open += 1;
    res.on('close', () => (open -= 1));
    res.flushHeaders();
  };
  const place = places.of('far.example.com', 'v1');
  const watching = place.transport!.lines(get, never).next();
  await waitFor('the watch is open', () => open === 1);
  services = [service({ isAvailable: false })];
  changed(new Set(['v1.far.example.com']));
  expect(place.moved.aborted).toBe(false);
  services = after();
  changed(new Set(['v1.far.example.com']));
  expect(place.moved.aborted).toBe(true);
  await expect(watching).rejects.toThrow();
  await waitFor('the watch is closed', () => open === 0);
  expect(places.of('far.example.com', 'v1')).not.toBe(place);
});
