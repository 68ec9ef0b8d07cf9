/** Users that ID tokens name: what is kept of them has a bound, however many there are and whatever they have. */
import { generateKeyPairSync } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import type { Identify } from '../../../src/authn/oidc/mapped-identity.ts';
import { createOidcAuthenticator } from '../../../src/authn/oidc/oidc-authenticator.ts';
import type { AuthenticationRequest, AuthenticationResult } from '../../../src/authn/types.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { UserInfo } from '../../../src/meta/user.ts';

const issuer = 'https://issuer.test';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keySet = { keys: [{ id: '', key: publicKey }] };

function tokenOf(sub: string): string {
  return jsonwebtoken.sign({ sub }, privateKey, { algorithm: 'ES256', issuer, expiresIn: 600 });
}

function authenticatorOf(identify: Identify) {
  const provider = { keySet: () => keySet, refresh: () => Promise.resolve() };
  const authenticator = createOidcAuthenticator({
    ...{ issuer, algorithms: ['ES256'], provider, clock: systemClock, identify },
  });
  return async (bearerToken: string): Promise<AuthenticationResult | undefined> =>
    authenticator.authenticate({ bearerToken } as AuthenticationRequest);
}

const userWith = (groups: readonly string[], extra: UserInfo['extra'] = {}): UserInfo => ({
  ...{ name: 'ann', uid: '', groups, extra },
});
const texts = (count: number, length = 1): string[] =>
  Array.from({ length: count }, (_, i) => String(i).padEnd(length, '.'));

test('decisions on tokens are kept up to a sum of what their users have', async () => {
  let judged = 0;
  const ask = authenticatorOf(() => {
    judged += 1;
    return userWith(texts(4_000, 60));
  });
  const tokens = Array.from({ length: 100 }, (_, i) => tokenOf(`user-${String(i)}`));
  // Each weighs 270 KB, all that are kept 16 MiB.
  for (const token of tokens) expect((await ask(token))?.outcome).toBe('authenticated');
  await ask(tokens.at(-1) ?? '');
  expect(judged).toBe(100);
  await ask(tokens[0] ?? '');
  expect(judged).toBe(101);
});

test.each<[string, UserInfo, string | undefined]>([
  ['5,000 groups', userWith(texts(5_000)), undefined],
  ['5,001 groups', userWith(texts(5_001)), 'more than 5000 groups'],
  ['an extra of 5,000 values', userWith([], { a: texts(5_000) }), 'more than 5000 groups'],
  ['names of 300,000 characters', userWith(texts(10, 30_000)), 'more than 262144 characters'],
])('a user with %s', async (_what, user, problem) => {
  const result = await authenticatorOf(() => user)(tokenOf('ann'));
  expect(result?.outcome).toBe(problem === undefined ? 'authenticated' : 'rejected');
  expect(result?.outcome === 'rejected' ? result.reason : '').toContain(problem ?? '');
});

test('requests that show the same token at once share its decision', async () => {
  let judged = 0;
  const ask = authenticatorOf(async () => {
    judged += 1;
    await Promise.resolve();
    return userWith([]);
  });
  const token = tokenOf('ann');
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask(token)));
  expect(new Set(outcomes.map((result) => result?.outcome))).toEqual(new Set(['authenticated']));
  expect(judged).toBe(1);
});
