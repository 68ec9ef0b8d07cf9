/** Service accounts seen from outside: tokens in Secrets and tokens on request, from the first to the last moment of their life. */
import { KubeConfig, CoreV1Api } from '@kubernetes/client-node';
import jsonwebtoken from 'jsonwebtoken';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Service, type Answer, type Ask } from '../../support/service.ts';

let temporary: TempFolder;
let service: Service;
const account = '/api/v1/namespaces/default/serviceaccounts/default';
const name = 'system:serviceaccount:default:default';

beforeAll(async () => {
  temporary = await makeTempFolder('accounts');
  service = await Service.start(temporary.path, ['--naming=kubernetes', '--enable-bootstrap-token-auth']);
});
afterAll(async () => {
  await service.child.stop();
  await temporary.remove();
});

/** Who the service takes the bearer of a token for: pods of all namespaces are nobody's to read here. */
async function userOf(token: string): Promise<string> {
  const answer = await service.ask({ path: '/api/v1/pods', as: '', token });
  if (answer.status === 401) return 'nobody';
  return /User \\"([^"\\]+)\\"/.exec(answer.body)?.[1] ?? answer.body;
}

async function secretOfAccount(except = ''): Promise<{ name: string; token: string }> {
  return waitFor('the Secret of the account', async () => {
    const found = await service.ask({ path: account });
    if (found.status !== 200) return undefined;
    const { secrets = [] } = JSON.parse(found.body) as { secrets?: { name: string }[] };
    const secret = secrets.find((s) => s.name !== except);
    if (!secret) return undefined;
    const answer = await service.ask({ path: `/api/v1/namespaces/default/secrets/${secret.name}` });
    const { data } = JSON.parse(answer.body) as { data: { token: string } };
    return { name: secret.name, token: Buffer.from(data.token, 'base64').toString() };
  });
}

function request(spec: object): Promise<Answer> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  return service.ask({ method: 'POST', path: `${account}/token`, body });
}

async function tokenFor(spec: object): Promise<string> {
  const answer = await request(spec);
  expect(answer.status).toBe(201);
  return (JSON.parse(answer.body) as { status: { token: string } }).status.token;
}

test('the token of a Secret works until the Secret is deleted, that of the next one after it', async () => {
  const secret = await secretOfAccount();
  expect(await userOf(secret.token)).toBe(name);
  await service.ask({ method: 'DELETE', path: `/api/v1/namespaces/default/secrets/${secret.name}` });
  await waitFor('the token to be void', async () => (await userOf(secret.token)) === 'nobody');
  expect(await userOf((await secretOfAccount(secret.name)).token)).toBe(name);
});

test('a token on request says what it is for and when it ends', async () => {
  const answer = await request({ expirationSeconds: 1200 });
  const { spec, status, metadata } = JSON.parse(answer.body) as {
    spec: { audiences: string[]; expirationSeconds: number };
    status: { token: string; expirationTimestamp: string };
    metadata: { name: string; namespace: string };
  };
  expect(metadata).toMatchObject({ name: 'default', namespace: 'default' });
  expect(spec).toMatchObject({
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    expirationSeconds: 1200,
  });
  const left = Date.parse(status.expirationTimestamp) - Date.now();
  expect(Math.abs(left - 1_200_000)).toBeLessThan(60_000);
  const claims = jsonwebtoken.decode(status.token) as Record<string, unknown>;
  const issued = Date.parse(status.expirationTimestamp) / 1000 - 1200;
  expect(claims).toEqual({
    aud: spec.audiences,
    exp: issued + 1200,
    iat: issued,
    iss: 'https://kubernetes.default.svc.cluster.local',
    'kubernetes.io': {
      namespace: 'default',
      serviceaccount: { name: 'default', uid: expect.any(String) as string },
    },
    nbf: issued,
    sub: name,
  });
  expect(await userOf(status.token)).toBe(name);
});

test('the validity of a token is limited to the maximum, with a warning', async () => {
  const warnings: unknown[] = [];
  const onHead: Ask['onHead'] = ({ headers }) => warnings.push(headers['warning']);
  const yearSeconds = 365 * 86_400;
  const body = {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
    spec: { expirationSeconds: 2 ** 32 },
  };
  const answer = await service.ask({ method: 'POST', path: `${account}/token`, body, onHead });
  const { spec, status } = JSON.parse(answer.body) as {
    spec: { expirationSeconds: number };
    status: { token: string; expirationTimestamp: string };
  };
  expect(spec.expirationSeconds).toBe(yearSeconds);
  const { exp = 0, iat = 0 } = jsonwebtoken.decode(status.token) as { exp?: number; iat?: number };
  expect(exp - iat).toBe(yearSeconds);
  expect(Date.parse(status.expirationTimestamp)).toBe(exp * 1000);
  expect(String(warnings[0])).toContain(
    `requested expiration of ${String(2 ** 32)} seconds shortened to ${String(yearSeconds)} seconds`,
  );
});

test.each([
  ['9223372036854775807', 'larger than 2^32 seconds'],
  ['9007199254740993', 'larger than 2^32 seconds'],
  ['-9007199254740993', 'less than 10 minutes'],
])('a validity of %s s, which a number is not exact enough for, is refused', async (seconds, problem) => {
  const answer = await request({ expirationSeconds: JSON.rawJSON(seconds) });
  expect(answer.status).toBe(422);
  expect(answer.body).toContain(`may not specify a duration ${problem}`);
});

test('a token for another audience is rejected, but valid in a review', async () => {
  const token = await tokenFor({ audiences: ['vault'] });
  expect(await userOf(token)).toBe('nobody');
  const review = (audiences?: string[]): Promise<Answer> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } };
    return service.ask({ method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body });
  };
  const statusOf = ({ body }: Answer): unknown => (JSON.parse(body) as { status: unknown }).status;
  expect(statusOf(await review(['vault', 'x']))).toMatchObject({
    authenticated: true,
    audiences: ['vault'],
    user: { username: name },
  });
  expect(statusOf(await review())).not.toHaveProperty('authenticated', true);
});

test('a token bound to a pod needs the pod', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (podName: string, serviceAccountName: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName },
    spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }] },
  });
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await service.ask({ method: 'POST', path: accounts, body: { metadata: { name: 'other' } } });
  await service.ask({ method: 'POST', path: pods, body: pod('mine', 'default') });
  await service.ask({ method: 'POST', path: pods, body: pod('other', 'other') });
  const bound = (podName: string, more: object = {}): object => ({
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, ...more },
  });
  const token = await tokenFor(bound('mine'));
  expect(await userOf(token)).toBe(name);
  expect((await request(bound('none'))).status).toBe(404);
  expect((await request(bound('mine', { uid: 'x' }))).status).toBe(409);
  expect((await request(bound('other'))).body).toContain('different serviceaccount name');
  await service.ask({ method: 'DELETE', path: `${pods}/mine?gracePeriodSeconds=0` });
  await waitFor('the token to be void', async () => (await userOf(token)) === 'nobody');
});

test.each([
  [{ expirationSeconds: 599 }, 422, 'less than 10 minutes'],
  [{ expirationSeconds: 2 ** 32 + 1 }, 422, 'larger than 2^32'],
  [
    { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'n' } },
    400,
    'cannot bind token to object of type',
  ],
])('a request with %j is refused', async (spec, status, says) => {
  const answer = await request(spec);
  expect(answer.status).toBe(status);
  expect(answer.body).toContain(says);
});

test('only service accounts may read the issuer discovery documents, which suffice to verify tokens', async () => {
  const { token } = await secretOfAccount();
  const heads: Record<string, string | undefined> = {};
  const onHead: Ask['onHead'] = ({ headers }) => {
    heads[headers['content-type'] ?? ''] = headers['cache-control'];
  };
  const paths = ['/.well-known/openid-configuration', '/openid/v1/jwks'];
  const told: Record<string, unknown>[] = [];
  for (const path of paths) {
    expect((await service.ask({ path, as: '' })).status).toBe(403);
    const { status, body } = await service.ask({ path, as: '', token, onHead });
    expect(status).toBe(200);
    told.push(JSON.parse(body) as Record<string, unknown>);
  }
  expect(heads).toEqual({
    'application/json': 'public, max-age=3600',
    'application/jwk-set+json': 'public, max-age=3600',
  });
  expect(told[0]).toMatchObject({
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: 'https://kubernetes.default.svc.cluster.local/openid/v1/jwks',
  });
  const bound = await tokenFor({ audiences: ['vault'] });
  const kid = jsonwebtoken.decode(bound, { complete: true })?.header.kid;
  const { keys } = told[1] as { keys: { kid: string; alg: 'RS256' }[] };
  const key = keys.find((candidate) => candidate.kid === kid)!;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const claims = jsonwebtoken.verify(bound, publicKey, { algorithms: [key.alg], audience: 'vault' });
  expect(claims).toMatchObject({ iss: told[0]?.['issuer'], sub: name });
});

test('an official client works with a token', async () => {
  const { token } = await secretOfAccount();
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'c', server: service.url, caFile: join(temporary.path, 'pki', 'ca.crt'), skipTLSVerify: false },
    { name: 'u', token },
  );
  const api = config.makeApiClient(CoreV1Api);
  await expect(api.listPodForAllNamespaces()).rejects.toMatchObject({ code: 403 });
});

test('a bootstrap token works until its Secret is gone', async () => {
  const secrets = '/api/v1/namespaces/kube-system/secrets';
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abc123' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abc123',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    },
  };
  expect(await userOf('abc123.0123456789abcdef')).toBe('nobody');
  expect((await service.ask({ method: 'POST', path: secrets, body })).status).toBe(201);
  expect(await userOf('abc123.0123456789abcdef')).toBe('system:bootstrap:abc123');
  expect(await userOf('abc123.0123456789abcdeg')).toBe('nobody');
  await service.ask({ method: 'DELETE', path: `${secrets}/bootstrap-token-abc123` });
  expect(await userOf('abc123.0123456789abcdef')).toBe('nobody');
});

test('tokens outlive a restart, and die with the account', async () => {
  const { token } = await secretOfAccount();
  const requested = await tokenFor({});
  expect(await service.stop()).toBe(0);
  service = await Service.start(temporary.path, ['--naming=kubernetes']);
  for (const each of [token, requested]) expect(await userOf(each)).toBe(name);
  await service.ask({ method: 'DELETE', path: account });
  for (const each of [token, requested])
    await waitFor('the token to be void', async () => (await userOf(each)) === 'nobody');
});

test('no token is in the log', () => {
  const key = readFileSync(join(temporary.path, 'pki', 'service-account.key'), 'utf8').split('\n')[1] ?? '';
  expect(service.child.output()).not.toMatch(/eyJ/);
  expect(service.child.output()).not.toContain(key);
});
