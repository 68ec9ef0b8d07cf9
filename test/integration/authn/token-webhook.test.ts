/** The token webhook with a real HTTPS server, seen from outside the service. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { dump } from 'js-yaml';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { runToEnd, Service, type Answer } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Review {
  readonly apiVersion: string;
  readonly spec: { readonly token: string; readonly audiences: readonly string[] };
}

let temporary: TempFolder;
let authority: TestAuthority;
let hook: Server;
let service: Service;
const reviews: Review[] = [];
const askers: string[] = [];
/** Status codes to fail with before the next good answer. */
const failures: number[] = [];

beforeAll(async () => {
  temporary = await makeTempFolder('webhook');
  authority = await makeAuthority(join(temporary.path, 'hook'));
  const [server, client] = [
    await authority.server('hook'),
    await authority.client({ commonName: 'apiserver' }),
  ];
  hook = await listen(server);
  const { port } = hook.address() as AddressInfo;
  const config = configFile({
    cluster: {
      server: `https://127.0.0.1:${String(port)}/review?x=1`,
      'certificate-authority': authority.caFile,
    },
    user: { 'client-certificate': client.certFile, 'client-key': client.keyFile },
  });
  service = await Service.start(temporary.path, [
    `--authentication-token-webhook-config-file=${config}`,
    '--v=4',
  ]);
});
afterAll(async () => {
  await service.child.stop();
  hook.close();
  hook.closeAllConnections();
  await temporary.remove();
});

function listen({ cert, key }: { cert: string; key: string }): Promise<Server> {
  const server = createServer({ cert, key, ca: authority.ca, requestCert: true }, (req, res) => {
    askers.push(commonNameOf(req.socket));
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => (text += part));
    req.on('end', () => {
      const failure = failures.shift();
      if (failure !== undefined) return void res.writeHead(failure).end();
      const review = JSON.parse(text) as Review;
      reviews.push(review);
      const isAnn = review.spec.token === 'token-of-ann';
      const status = isAnn
        ? { authenticated: true, user: { username: 'ann', groups: ['devs'] } }
        : { authenticated: false };
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'TokenReview', status }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function commonNameOf(socket: object): string {
  const { subject } = (socket as TLSSocket).getPeerCertificate();
  return String(subject.CN);
}

function configFile({ cluster, user }: { cluster: object; user: object }): string {
  const file = join(temporary.path, 'webhook.yaml');
  const text = dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hook', cluster }],
    users: [{ name: 'apiserver', user }],
    contexts: [{ name: 'webhook', context: { cluster: 'hook', user: 'apiserver' } }],
    'current-context': 'webhook',
  });
  writeFileSync(file, text);
  return file;
}

const pods = (token: string): Promise<Answer> => service.ask({ path: '/api/v1/pods', as: '', token });

test('the service proves who it is, asks once, and believes the answer', async () => {
  for (const _time of [1, 2]) {
    const answer = await pods('token-of-ann');
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('User \\"ann\\"');
  }
  expect(reviews).toMatchObject([
    { apiVersion: 'authentication.orch.io/v1beta1', spec: { token: 'token-of-ann' } },
  ]);
  expect(askers).toEqual(['apiserver']);
});

test('an unknown token is rejected, and the result is cached', async () => {
  const before = reviews.length;
  for (const _time of [1, 2]) expect((await pods('token-of-nobody')).status).toBe(401);
  expect(reviews).toHaveLength(before + 1);
});

test('a busy webhook is retried', async () => {
  failures.push(503, 429);
  expect((await pods('third-token')).status).toBe(401);
  expect(failures).toEqual([]);
  expect(reviews.at(-1)?.spec.token).toBe('third-token');
});

test('a webhook error decides nothing and is not cached', async () => {
  failures.push(403);
  expect((await pods('fourth-token')).status).toBe(401);
  const before = reviews.length;
  expect((await pods('fourth-token')).status).toBe(401);
  expect(reviews).toHaveLength(before + 1);
});

test('the administrator is let in whatever the webhook does', async () => {
  expect((await service.ask({ path: '/api/v1/pods' })).status).toBe(200);
});

test('the log says that the webhook failed, and has no token', async () => {
  const line = 'an authenticator could not decide, and was passed over';
  await waitFor('the line', () => service.child.output().includes(line));
  expect(service.child.output()).not.toMatch(/token-of|third-token|fourth-token/);
});

test('a configuration that cannot be used ends the start', async () => {
  const config = configFile({ cluster: { server: 'http://127.0.0.1:1/' }, user: {} });
  const words = [`--authentication-token-webhook-config-file=${config}`, '--client-ca-file=/nowhere'];
  const { code, output } = await runToEnd(words);
  expect(code).toBe(1);
  expect(output).toMatch(
    /webhook\.yaml cannot be used.*--authentication-token-webhook-config-file.*KUBECONFIG_INVALID/,
  );
  expect(output).toMatch(/FILE_UNREADABLE/);
});
