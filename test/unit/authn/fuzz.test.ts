/** With every authenticator at work, nothing but the real credentials lets anybody in. */
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import jsonwebtoken from 'jsonwebtoken';
import { packAccounts } from '../../../src/authn/packed-accounts.ts';
import { BasicAuthenticator, parsePasswordFile } from '../../../src/authn/basic.ts';
import { bearerTokenOf } from '../../../src/authn/bearer-token.ts';
import { createBootstrapTokenAuthenticator } from '../../../src/authn/bootstrap-token.ts';
import { createClientCertificateAuthenticator } from '../../../src/authn/client-certificate.ts';
import { identityOf } from '../../../src/authn/oidc/identity.ts';
import { createOidcAuthenticator } from '../../../src/authn/oidc/oidc-authenticator.ts';
import { createRequestHeaderAuthenticator } from '../../../src/authn/request-header.ts';
import { parseTokenFile, TokenFileAuthenticator } from '../../../src/authn/token-file.ts';
import type { AuthenticationResult } from '../../../src/authn/types.ts';
import { createRequestAuthenticator } from '../../../src/authn/union-authenticator.ts';
import { createWebhookTokenAuthenticator } from '../../../src/authn/webhook/webhook-authenticator.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { naming, World } from '../../support/service-account-tokens.ts';

const world = new World();
const providerKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const providerIssuer = 'https://provider.test';
const oneHour = Math.floor(world.now / 1000) + 3600;
const idToken = jsonwebtoken.sign(
  JSON.stringify({ iss: providerIssuer, aud: 'app', sub: 'ann', exp: oneHour }),
  providerKey,
  { algorithm: 'RS256', keyid: 'k' },
);
const clock = { now: () => world.now, monotonic: () => 0 };
const keys = [{ id: 'k', key: createPublicKey(providerKey.export({ type: 'pkcs8', format: 'pem' })) }];
const bootstrapSecret = {
  type: 'bootstrap.orch.io/token',
  isDeleted: false,
  data: new Map([
    ['token-id', 'abc123'],
    ['token-secret', '0123456789abcdef'],
    ['usage-bootstrap-authentication', 'true'],
  ]),
};
const apiVersion = 'authentication.orch.io/v1';

const authenticator = createRequestAuthenticator({
  allowsAnonymous: () => true,
  audiences: ['api'],
  authenticators: [
    createRequestHeaderAuthenticator({
      ...{ authorities: [], allowedNames: [], clock, usernames: ['x-remote-user'] },
      ...{ uids: [], groups: ['x-remote-group'], extraPrefixes: ['x-remote-extra-'] },
    }),
    createClientCertificateAuthenticator({ authorities: () => [], clock }),
    new BasicAuthenticator(packAccounts(parsePasswordFile('pass-word,root,1,system:masters\n'))),
    new TokenFileAuthenticator(packAccounts(parseTokenFile('static-token,root,1,system:masters\n'))),
    world.authenticator,
    createBootstrapTokenAuthenticator({
      naming,
      clock,
      secrets: {
        seen: () => undefined,
        read: (name) => Promise.resolve(name === 'bootstrap-token-abc123' ? bootstrapSecret : undefined),
      },
    }),
    createOidcAuthenticator({
      ...{ issuer: providerIssuer, algorithms: ['RS256'], clock },
      identify: (claims) =>
        identityOf(claims, {
          ...{ issuer: providerIssuer, clientId: 'app', usernameClaim: 'sub', usernamePrefix: '-' },
          ...{ groupsClaim: 'groups', groupsPrefix: '', requiredClaims: {} },
        }),
      provider: { keySet: () => ({ keys }), refresh: () => Promise.resolve() },
    }),
    createWebhookTokenAuthenticator({
      sendReview: () =>
        Promise.resolve({ kind: 'TokenReview', apiVersion, status: { authenticated: false } }),
      ...{ apiVersion, writesZeroTime: true, audiences: ['api'], cacheMs: 0, clock },
    }),
  ],
});

const tokens = [
  'static-token',
  'abc123.0123456789abcdef',
  world.legacy(),
  world.bound(),
  world.bound('Pod'),
  idToken,
];
const real = new Set(['Basic cm9vdDpwYXNzLXdvcmQ=', ...tokens.map((token) => `Bearer ${token}`)]);

async function ask(
  authorization: string | undefined,
  more: Record<string, string> = {},
): Promise<AuthenticationResult | undefined> {
  const headers = { ...more, ...(authorization !== undefined && { authorization }) };
  const rawHeaders = Object.entries(headers).flat();
  return authenticator.authenticate(
    requestWith({ headers, rawHeaders, bearerToken: bearerTokenOf(authorization) }),
  );
}

test.each([...real])('real: %s', async (authorization) => {
  expect(await ask(authorization)).toMatchObject({ outcome: 'authenticated' });
});

const scheme = fc.constantFrom('Bearer ', 'bearer ', 'Basic ', 'Negotiate ', 'Bearer  Bearer ', '');
const part = fc.constantFrom(
  ...tokens.flatMap((token) => token.split('.')),
  '',
  'e30',
  'eyJhbGciOiJub25lIn0',
);
const base64 = fc.string().map((text) => Buffer.from(text).toString('base64url'));
const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));
/** Pieces of real tokens put together anew, among others. */
const patched = fc
  .array(fc.oneof(part, base64, json), { minLength: 1, maxLength: 4 })
  .map((p) => p.join('.'));
/** A real token with one character changed, left out or added. */
const mutated = fc
  .tuple(
    fc.constantFrom(...tokens),
    fc.nat(),
    fc.constantFrom(0, 1),
    fc.string({ maxLength: 1, unit: fc.constantFrom('a', 'B', 'Z', '0', '9', '-', '_', '.', '=', '~') }),
  )
  .map(([token, at, cut, put]) => {
    const index = at % (token.length + 1);
    return token.slice(0, index) + put + token.slice(index + cut);
  });
const claimed = fc
  .tuple(fc.constantFrom('none', 'HS256', 'RS256', 'ES256', ''), fc.constantFrom(...tokens.slice(2)), json)
  .map(([alg, token, signature]) => {
    const head = Buffer.from(JSON.stringify({ alg, kid: world.key.id })).toString('base64url');
    return `${head}.${token.split('.')[1] ?? ''}.${signature}`;
  });
const hashed = fc.constantFrom(...tokens).map((token) => createHash('sha256').update(token).digest('base64'));
const credential = fc.oneof(fc.string(), patched, mutated, claimed, hashed, base64);

test('no other Authorization header authenticates', async () => {
  await fc.assert(
    fc.asyncProperty(scheme, credential, async (start, rest) => {
      const authorization = start + rest;
      fc.pre(!tokens.includes(bearerTokenOf(authorization)) && !real.has(authorization));
      const result = await ask(authorization);
      const isNobody = authorization === '' && result?.outcome === 'authenticated';
      expect(isNobody ? result.user.name : result?.outcome).toBe(isNobody ? 'system:anonymous' : 'rejected');
    }),
    { numRuns: 3_000 },
  );
});

test('other headers do not authenticate', async () => {
  const names = fc.oneof(
    fc.constantFrom('x-remote-user', 'x-remote-group', 'x-remote-extra-a', 'cookie', 'proxy-authorization'),
    fc.string({ minLength: 1 }).filter((name) => name.toLowerCase() !== 'authorization'),
  );
  const values = fc.oneof(fc.constantFrom(...real, ...tokens, 'root', 'system:masters'), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, values), async (headers) => {
      expect(await ask(undefined, headers)).toMatchObject({
        user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      });
    }),
    { numRuns: 1_000 },
  );
});
