/** Requests to others: credentials go to nobody but whom they are for, also after these have changed. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { httpsJson } from '../../../src/authn/oidc/https-json.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import type { ApiAccess } from '../../../src/webhook/kubeconfig-reader.ts';
import { WebhookClient } from '../../../src/webhook/webhook-client.ts';
import { makeAuthority, namelessServer, type NamelessFaults, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: TempFolder;
let authority: TestAuthority;
let asked: { readonly server: string; readonly authorization: string }[] = [];
let redirecting: Server;
let target: Server;
/** Status of the redirect. */
let status = 307;

const signal = (): AbortSignal => AbortSignal.timeout(10_000);
const urlOf = (server: Server): string =>
  `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`;

async function listen(name: string, answer: (server: string) => [number, object]): Promise<Server> {
  const server = createServer(await authority.server(name), (req, res) => {
    asked.push({ server: name, authorization: req.headers.authorization ?? '' });
    const [code, headers] = answer(name);
    req.resume().on('end', () => res.writeHead(code, { ...headers }).end(code === 200 ? '{"ok":true}' : ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

beforeAll(async () => {
  folder = await makeTempFolder('transport');
  authority = await makeAuthority(join(folder.path, 'ca'));
  target = await listen('target', () => [200, {}]);
  redirecting = await listen('redirecting', () => [status, { location: urlOf(target) }]);
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  for (const server of [redirecting, target]) {
    server.close();
    server.closeAllConnections();
  }
  await folder.remove();
});

function accessOf(server: Server, token: string) {
  const ca = Buffer.from(authority.ca);
  return { server: new URL(urlOf(server)), ca, cert: undefined, key: undefined, token };
}

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) is a failure: nobody is sent on with credentials',
  async (code) => {
    status = code;
    const transport = new HttpsTransport(accessOf(redirecting, 'word'), systemEnvironment);
    await expect(transport.json({ method: 'POST', path: '/path', body: {} }, signal())).rejects.toMatchObject(
      { code },
    );
    await expect(transport.json({ method: 'GET', path: '/path' }, signal())).rejects.toMatchObject({ code });
    transport.close();
    const webhook = new WebhookClient(
      { ...accessOf(redirecting, 'word'), server: urlOf(redirecting) },
      systemEnvironment,
    );
    await expect(webhook.sendReview({})).rejects.toMatchObject({ code });
    webhook.close();
    await expect(httpsJson(new URL(urlOf(redirecting)), [authority.ca], signal())).rejects.toThrow(
      `answered ${String(code)}`,
    );
    expect(new Set(asked.map(({ server }) => server))).toEqual(new Set(['redirecting']));
  },
);

test('a watch is not sent on, either', async () => {
  status = 302;
  const transport = new HttpsTransport(accessOf(redirecting, 'word'), systemEnvironment);
  const lines = transport.lines({ method: 'GET', path: '/path?watch=1' }, signal());
  await expect(lines.next()).rejects.toMatchObject({ code: 302 });
  transport.close();
  expect(asked.map(({ server }) => server)).toEqual(['redirecting']);
});

test('who to be and where to go may change between two requests', async () => {
  const transport = new HttpsTransport(accessOf(target, 'first'), systemEnvironment);
  const ask = (): Promise<unknown> => transport.json({ method: 'GET', path: '/path' }, signal());
  const underWay = ask();
  transport.use(accessOf(target, 'second'));
  expect([await underWay, await ask()]).toEqual([{ ok: true }, { ok: true }]);
  expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
  transport.close();
});

test('a server that ends each connection after a response fails no request that waited for a connection', async () => {
  const ending = await listen('ending', () => [200, {}]);
  ending.on('request', ({ socket }, response) => response.on('finish', () => socket.destroy()));
  const transport = new HttpsTransport(accessOf(ending, ''), { ...systemEnvironment, repeats: true });
  // There are 64 connections at a time.
  const answers = Array.from({ length: 200 }, () =>
    transport.json({ method: 'POST', path: '/path', body: {} }, AbortSignal.timeout(60_000)),
  );
  const outcomes = await Promise.allSettled(answers);
  transport.close();
  ending.close();
  ending.closeAllConnections();
  expect(new Set(outcomes.map((outcome) => outcome.status))).toEqual(new Set(['fulfilled']));
}, 60_000);

test('a connection that nobody needs any more is closed', async () => {
  const patient = await listen('patient', () => [200, {}]);
  patient.keepAliveTimeout = 0;
  let open = 0;
  patient.on('secureConnection', (socket: Socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  const transport = new HttpsTransport(accessOf(patient, ''), { ...systemEnvironment, idleMs: 50 });
  await transport.json({ method: 'POST', path: '/path', body: {} }, signal());
  await waitFor('the connection is closed', () => open === 0);
  transport.close();
  patient.close();
});

test('a server that switches protocols gives no document', async () => {
  const [code, headers] = [101, { upgrade: 'x', connection: 'upgrade' }] as const;
  const switching = await listen('switching', () => [code, headers]);
  await expect(httpsJson(new URL(urlOf(switching)), [authority.ca], signal())).rejects.toThrow(
    'closed the connection without an answer',
  );
  switching.closeAllConnections();
  switching.close();
}, 5_000);

describe('the certificate of a server', () => {
  const ask = async (access: Partial<ApiAccess>): Promise<unknown> => {
    const transport = new HttpsTransport({ ...accessOf(target, 'word'), ...access }, systemEnvironment);
    try {
      return await transport.json({ method: 'GET', path: '/path' }, signal());
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    } finally {
      transport.close();
    }
  };

  test('is verified by the CA bundle, unless that is not wanted', async () => {
    const ca = Buffer.from((await makeAuthority(join(folder.path, 'other-ca'))).ca);
    expect(await ask({ ca })).not.toEqual({ ok: true });
    expect(await ask({ ca: undefined, skipsVerification: true })).toEqual({ ok: true });
  });

  test('is verified for another name than the host where one is given', async () => {
    expect(await ask({ serverName: 'other.test' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask({ serverName: 'localhost' })).toEqual({ ok: true });
  });
});

/** As Pepr makes it, and as Go's crypto/x509 accepts it. */
describe('a certificate without subject and issuer', () => {
  async function ask(
    faults: NamelessFaults,
    access: Partial<ApiAccess> = {},
    bundle: (ca: string) => string = (ca) => ca,
  ): Promise<unknown> {
    const { ca, ...pair } = await namelessServer(faults);
    const heard: string[] = [];
    const server = createServer(pair, (req, res) => {
      heard.push(String(req.headers.authorization));
      // So that the next request has a connection of its own, which may resume the session of this one.
      res.shouldKeepAlive = false;
      req.resume().on('end', () => res.end('{"ok":true}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`https://localhost:${String((server.address() as AddressInfo).port)}/`);
    const all = { ...accessOf(target, 'word'), server: url, ca: Buffer.from(bundle(ca)), ...access };
    const transport = new HttpsTransport(all, systemEnvironment);
    const once = (): Promise<unknown> => transport.json({ method: 'POST', path: '/', body: {} }, signal());
    try {
      return [await once(), await once(), heard];
    } catch (error) {
      return [(error as NodeJS.ErrnoException).code, heard];
    } finally {
      transport.close();
      server.close();
      server.closeAllConnections();
    }
  }
  const accepted = [{ ok: true }, { ok: true }, ['Bearer word', 'Bearer word']];

  test('is accepted where an authority without subject in the bundle signed it', async () => {
    expect(await ask({})).toEqual(accepted);
    expect(await ask({}, {}, (ca) => `${authority.ca}\n${ca}`)).toEqual(accepted);
    expect(await ask({ purposes: ['1.3.6.1.5.5.7.3.1'] as never })).toEqual(accepted);
  });

  test.each<[string, NamelessFaults, string]>([
    ['signed by another', { isForged: true }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['that has expired', { lifetimeMs: -1 }, 'CERT_HAS_EXPIRED'],
    ['of clients', { purposes: ['1.3.6.1.5.5.7.3.2'] as never }, 'INVALID_PURPOSE'],
    ['signed by what is no authority', { isNoAuthority: true }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('%s is refused, and nothing is sent', async (_what, faults, code) => {
    expect(await ask(faults)).toEqual([code, []]);
  });

  test('is refused under another name, without its authority, and by those of the system', async () => {
    expect(await ask({}, { serverName: 'other.test' })).toEqual(['ERR_TLS_CERT_ALTNAME_INVALID', []]);
    expect(await ask({}, {}, () => authority.ca)).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', []]);
    expect(await ask({}, { ca: undefined })).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', []]);
  });

  test('an authority without subject in the bundle changes nothing for others', async () => {
    const { ca } = await namelessServer();
    const both = Buffer.from(`${ca}\n${authority.ca}`);
    const askTarget = async (access: Partial<ApiAccess>): Promise<unknown> => {
      const transport = new HttpsTransport({ ...accessOf(target, 'word'), ...access }, systemEnvironment);
      try {
        return await transport.json({ method: 'GET', path: '/path' }, signal());
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      } finally {
        transport.close();
      }
    };
    expect(await askTarget({ ca: both })).toEqual({ ok: true });
    expect(await askTarget({ ca: both, serverName: 'other.test' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await askTarget({ ca: Buffer.from(ca) })).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED|UNABLE_TO_GET/);
    expect(asked).toHaveLength(1);
  });
});
