/** A server that is gone costs one request its time, not one for each idle connection that leads to it. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { PacedAgent } from '../../../src/base/paced-agent.ts';
import { BackendConnections } from '../../../src/extension/aggregated-apis/backend-connections.ts';
import { askBackend } from '../../../src/proxy/ask-backend.ts';
import { usualPatience } from '../../../src/proxy/types.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const host = '127.0.0.1';
const idle = 5;
let folder: TempFolder;
let authority: TestAuthority;
let server: Server;
/** Responses that have not been sent. */
let waiting: ServerResponse[];
const open = new Set<Socket>();
let clock: HandClock;

beforeAll(async () => {
  folder = await makeTempFolder('dead-addresses');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('dead', ['metrics.kube-system.svc']);
  server = createServer({ cert, key, keepAliveTimeout: 0 }, (req, res) => {
    req.resume().on('end', () => waiting.push(res));
  });
  server.on('secureConnection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
});
beforeEach(() => {
  waiting = [];
  clock = new HandClock();
});
afterEach(async () => {
  server.closeAllConnections();
  await waitFor('all connections to end', () => open.size === 0);
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

const portOf = (): number => (server.address() as AddressInfo).port;

/** Resolves when the request is over, with a response or without. */
type Ask = (signal: AbortSignal) => Promise<unknown>;

interface Asker {
  readonly ask: Ask;
  readonly close: () => void;
}

const askers: Record<string, () => Asker> = {
  'a webhook': () => {
    const url = new URL(`https://${host}:${String(portOf())}/`);
    const access = { server: url, ca: Buffer.from(authority.ca), cert: undefined, key: undefined, token: '' };
    const transport = new HttpsTransport(access, { clock });
    return {
      ask: (signal) => transport.json({ method: 'POST', path: '/' }, signal),
      close: () => {
        transport.close();
      },
    };
  },
  'documents of an aggregated API': () => {
    const locate = (): { host: string; port: number } => ({ host, port: portOf() });
    const connections = new BackendConnections(clock, locate, { certificate: undefined, passesUid: false });
    const backend = { namespace: 'kube-system', name: 'metrics', port: 443, ca: authority.ca };
    const service = {
      ...{ name: 'v1.g.example.com', group: 'g.example.com', version: 'v1', isAvailable: true, wish: '' },
      ...{ groupPriority: 1, versionPriority: 1, backend: { ...backend, skipsVerification: false } },
    };
    const user = { name: 'one', uid: '', groups: [], extra: {} };
    return {
      ask: async (signal) => {
        const response = await connections.request(service, { path: '/', user, signal });
        await new Promise((resolve) => response.resume().on('close', resolve));
      },
      close: () => {
        connections.close();
      },
    };
  },
  'requests to an aggregated API': () => {
    const agent = new PacedAgent(clock, { ca: authority.ca }, { keepAlive: true });
    const place = { scheme: 'https', host, port: portOf(), path: '/' } as const;
    const backend = { ...place, agent, headers: {}, hostHeader: host };
    return {
      ask: async (signal) => {
        const request = { method: 'GET', headers: ['Host', host], signal };
        const { response, body } = await askBackend(backend, request, { clock, patience: usualPatience });
        for await (const piece of body) expect(piece).toBeDefined();
        expect(response.complete).toBe(true);
      },
      close: () => {
        agent.destroy();
      },
    };
  },
};

function answerAll(): void {
  for (const res of waiting.splice(0)) res.end('{}');
}

const nothing = new AbortController().signal;

async function idleConnections(ask: Ask): Promise<void> {
  const first = Array.from({ length: idle }, () => ask(nothing));
  await waitFor('all requests', () => waiting.length === idle);
  answerAll();
  await Promise.all(first);
  expect(open.size).toBe(idle);
  clock.advance(1_000);
}

describe.each(Object.entries(askers))('%s', (_name, make) => {
  let asker: Asker;
  beforeEach(() => {
    asker = make();
  });
  afterEach(() => {
    asker.close();
  });

  /** Resolves when the server has the request. Returns what gives it up. */
  async function unanswered(): Promise<() => Promise<void>> {
    const stop = new AbortController();
    const lost = Promise.allSettled([asker.ask(stop.signal)]);
    await waitFor('the request', () => waiting.length === 1);
    return async () => {
      stop.abort(new DOMException('late', 'TimeoutError'));
      expect((await lost)[0].status).toBe('rejected');
    };
  }

  test('a request without an answer closes the idle connections', async () => {
    await idleConnections(asker.ask);
    const giveUp = await unanswered();
    clock.advance(1_000);
    await giveUp();
    await waitFor('the connections to be closed', () => open.size === 0);
  });

  test('but none on which the server has answered meanwhile', async () => {
    await idleConnections(asker.ask);
    const giveUp = await unanswered();
    const [lost] = waiting.splice(0);
    clock.advance(500);
    const other = asker.ask(nothing);
    await waitFor('the other request', () => waiting.length === 1);
    answerAll();
    await other;
    clock.advance(500);
    await giveUp();
    await waitFor('the connections to be closed', () => open.size === 1);
    expect(lost?.destroyed).toBe(true);
  });

  test('one that its client gives up soon closes its own', async () => {
    await idleConnections(asker.ask);
    const giveUp = await unanswered();
    clock.advance(100);
    await giveUp();
    await waitFor('its connection to be closed', () => open.size === idle - 1);
    const next = asker.ask(nothing);
    await waitFor('the next request', () => waiting.some(({ destroyed }) => !destroyed));
    expect(open.size).toBe(idle - 1);
    answerAll();
    await next;
  });
});
