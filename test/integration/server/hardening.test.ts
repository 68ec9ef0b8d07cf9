/** What strangers get of a real replica: the open paths, one and the same refusal, and nothing else. */
import fc from 'fast-check';
import { request } from 'node:https';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingHttpHeaders } from 'node:http';
import { alwaysAllowPaths } from '../../../src/authz/always-allow-paths.ts';
import type { Credential } from '../../support/pki.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { startServices, until, type Services } from '../../support/authorized-server.ts';

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const owned = new AsyncDisposableStack();
let services: Services;
let stranger: Credential;

beforeAll(async () => {
  const folder = await makeTempFolder('hardening');
  owned.defer(() => folder.remove());
  const passwords = join(folder.path, 'passwords');
  writeFileSync(passwords, 'pass-word,bob,1,system:masters\n');
  stranger = await (await makeAuthority(folder.path, 'strange')).client({ commonName: 'root' });
  const flags = [
    `--basic-auth-file=${passwords}`,
    '--enable-bootstrap-token-auth',
    '--service-account-max-token-expiration=2h',
  ];
  services = owned.use(await startServices(1, flags));
  const data = { 'token-id': 'abc123', 'token-secret': '0123456789abcdef' };
  await services.admin.ok('POST', '/api/v1/namespaces/orch-system/secrets', {
    metadata: { name: 'bootstrap-token-abc123' },
    type: 'bootstrap.orch.io/token',
    stringData: { ...data, 'usage-bootstrap-authentication': 'true' },
  });
}, 60_000);
afterAll(() => owned.disposeAsync());

/** Headers as names and values in turn, so that one may come twice. */
function ask(
  path: string,
  headers: readonly string[] = [],
  how: { method?: string; pair?: Credential } = {},
): Promise<Told> {
  const { method = 'GET', pair } = how;
  const url = services.replicas[0]!.url;
  const options = { method, agent: false, rejectUnauthorized: false } as const;
  const identity = pair && { cert: pair.cert, key: pair.key };
  return new Promise((resolve, reject) => {
    const all = ['host', 'x', 'connection', 'close', ...headers];
    const outgoing = request(url, { ...options, ...identity, path, headers: all }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    outgoing.on('error', reject).end();
  });
}

const isOpen = (path: string): boolean => alwaysAllowPaths.includes(path);

test('of all paths that there are, strangers get the open ones, and only to read', async () => {
  const { paths } = (await services.admin.get('/')).json() as unknown as { paths: string[] };
  expect(paths.length).toBeGreaterThan(60);
  const asked = [
    ...paths,
    '/',
    '/openid/v1/jwks',
    '/api/v1/namespaces',
    '/api/v1/nodes',
    '/nothing',
    '/debug/pprof',
    '/debug/pprof/',
    '/debug/pprof/heap',
    '/debug/pprof/profile',
    '/debug/api_priority_and_fairness/dump_priority_levels',
    '/debug/api_priority_and_fairness/dump_queues',
    '/debug/api_priority_and_fairness/dump_requests',
  ];
  const found: string[] = [];
  for (const path of asked) {
    const { status } = await ask(path);
    if (status !== 403) found.push(path);
  }
  expect(found).toEqual(asked.filter(isOpen));
  for (const path of alwaysAllowPaths)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
      expect([method, path, (await ask(path, [], { method })).status]).toEqual([method, path, 403]);
});

test('administrators get profiles', async () => {
  const answer = await services.admin.get('/debug/pprof/heap');
  expect(answer.status).toBe(200);
});

test('no token lives longer than the operator allows', async () => {
  const account = '/api/v1/namespaces/web/serviceaccounts/default';
  await until(services.admin, ['GET', account], 200);
  const asked = { spec: { expirationSeconds: 86_400 } };
  const answer = await services.admin.ok('POST', `${account}/token`, asked);
  expect(answer['spec']).toMatchObject({ expirationSeconds: 7_200 });
  const { token } = answer['status'] as { token: string };
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const { exp, iat } = JSON.parse(claims) as { exp: number; iat: number };
  expect(exp - iat).toBe(7_200);
});

test('no spelling of a path opens another', async () => {
  const piece = fc.constantFrom(
    'healthz',
    'version',
    'api',
    'v1',
    'secrets',
    '..',
    '.',
    '%2e%2e',
    '%2F',
    '',
    'metrics',
    ';x',
    '?x',
    '\\',
    '%00',
    'HEALTHZ',
  );
  const path = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => `/${parts.join('/')}`);
  await fc.assert(
    fc.asyncProperty(path, async (text) => {
      const { status, body } = await ask(text);
      if (status === 200) expect(isOpen(text.split('?')[0] ?? '')).toBe(true);
      else expect([400, 403, 404]).toContain(status);
      expect(body).not.toContain('"items"');
    }),
    { numRuns: 200 },
  );
});

const bearer = (token: string): string[] => ['authorization', `Bearer ${token}`];
const basic = (text: string): string[] => ['authorization', `Basic ${btoa(text)}`];
const jwt = (claims: object): string =>
  [{ alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

test('unknown and wrong credentials of every kind get one and the same answer', async () => {
  const refused: [string, Promise<Told>][] = [
    ['a token like none', ask('/api', bearer('made-up'))],
    ['a token like one', ask('/api', bearer('root-tokem'))],
    ['an unknown bootstrap token', ask('/api', bearer('abc124.0123456789abcdef'))],
    ['a wrong bootstrap token', ask('/api', bearer('abc123.0123456789abcdee'))],
    ['an unknown user', ask('/api', basic('nobody:pass-word'))],
    ['a wrong password', ask('/api', basic('bob:pass-worf'))],
    ['an unsigned token', ask('/api', bearer(`${jwt({ iss: 'orch/serviceaccount' })}.c2ln`))],
    ['a token of nobody', ask('/api', bearer(`${jwt({ iss: 'nobody' })}.c2ln`))],
    ['an unknown scheme', ask('/api', ['authorization', 'Negotiate abc'])],
    ['two headers', ask('/api', [...bearer('one'), ...bearer('two')])],
    ['a strange certificate', ask('/api', [], { pair: stranger })],
    ['a path that is open', ask('/version', bearer('made-up'))],
    ['a path that is not there', ask('/nothing', bearer('made-up'))],
  ];
  const told = new Map<string, unknown>();
  for (const [what, answer] of refused) {
    const { status, headers, body } = await answer;
    const { date: _date, 'audit-id': id, ...rest } = headers;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    told.set(what, { status, body, headers: rest });
  }
  const [first] = told.values();
  expect(first).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="api", Basic realm="api"' },
  });
  expect(first).toHaveProperty('body', expect.stringContaining('"reason":"Unauthorized"'));
  for (const [what, answer] of told) expect([what, answer]).toEqual([what, first]);
});

test('no forged header authenticates a request', async () => {
  const text = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });
  const names = fc.oneof(
    fc.constantFrom(
      'authorization',
      'x-remote-user',
      'x-remote-group',
      'x-forwarded-user',
      'cookie',
      'impersonate-user',
      'impersonate-group',
      'x-original-url',
      'x-http-method-override',
    ),
    fc.stringMatching(/^x-[a-z]{1,10}$/),
  );
  const values = fc.oneof(
    text,
    text.map((end) => `Bearer ${end}`),
    text.map((end) => `Basic ${btoa(end)}`),
    fc.constantFrom(
      'root',
      'system:masters',
      'admin',
      'Bearer root-token x',
      'Bearer, root-token',
      'root-token',
      '/version',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, values), { minLength: 1, maxLength: 5 }), async (pairs) => {
      const { status } = await ask('/api/v1/secrets', pairs.flat());
      expect([400, 401, 403]).toContain(status);
    }),
    { numRuns: 300 },
  );
});
