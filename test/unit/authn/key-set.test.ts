/** Key sets of OpenID providers: bounded, as each key costs time to read, and each signature to try. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { identityOf } from '../../../src/authn/oidc/identity.ts';
import { createOidcAuthenticator } from '../../../src/authn/oidc/oidc-authenticator.ts';
import { readKeySet } from '../../../src/authn/oidc/key-set.ts';
import { systemClock } from '../../../src/base/clock.ts';
import jsonwebtoken from 'jsonwebtoken';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = shownKey(pair.publicKey);

function shownKey(key: KeyObject): Record<string, string> {
  return key.export({ format: 'jwk' }) as Record<string, string>;
}

function keys(count: number): { keys: Record<string, string>[] } {
  return { keys: Array.from({ length: count }, (_, i) => ({ ...jwk, kid: `key-${String(i)}` })) };
}

test('as many keys as a provider may have are read, more are a mistake of its', () => {
  expect(readKeySet(keys(128)).map(({ id }) => id)).toEqual(keys(128).keys.map(({ kid }) => kid));
  expect(() => readKeySet(keys(129))).toThrow('the key set has more than 128 keys');
});

test('a token that names no key is tried with some of them', async () => {
  const issuer = 'https://issuer.test';
  const others = readKeySet({
    keys: [shownKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
  });
  const own = readKeySet(keys(1));
  const token = jsonwebtoken.sign({ sub: 'ann', aud: 'us' }, pair.privateKey, {
    algorithm: 'ES256',
    issuer,
    expiresIn: 60,
  });
  const outcomeAfter = async (before: number): Promise<string | undefined> => {
    const keySet = { keys: [...Array.from({ length: before }, () => others).flat(), ...own] };
    const provider = { keySet: () => keySet, refresh: () => Promise.resolve() };
    const rules = {
      issuer,
      clientId: 'us',
      usernameClaim: 'sub',
      usernamePrefix: '',
      groupsClaim: '',
      groupsPrefix: '',
      requiredClaims: {},
    };
    const authenticator = createOidcAuthenticator({
      ...{ issuer, algorithms: ['ES256'], provider, clock: systemClock },
      identify: (claims) => identityOf(claims, rules),
    });
    const request = { bearerToken: token } as Parameters<typeof authenticator.authenticate>[0];
    return (await authenticator.authenticate(request))?.outcome;
  };
  expect(await outcomeAfter(15)).toBe('authenticated');
  expect(await outcomeAfter(16)).toBe('rejected');
});
