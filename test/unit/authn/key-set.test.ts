/** Key sets of OpenID providers: bounded, as each key costs time to read, and each signature to try. */
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { identityOf } from '../../../src/authn/oidc/identity.ts';
import { createOidcAuthenticator } from '../../../src/authn/oidc/oidc-authenticator.ts';
import { areSameKeys, readKeySet } from '../../../src/authn/oidc/key-set.ts';
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

/** An RSA key of such lengths, in bytes. Nobody has its private key. */
function rsaKey(kid: string, modulusBytes: number, exponent: Buffer): Record<string, string> {
  const n = randomBytes(modulusBytes);
  n[0] = 0x80;
  n[modulusBytes - 1] = 1;
  return { kty: 'RSA', kid, n: n.toString('base64url'), e: exponent.toString('base64url') };
}

test('RSA keys by which one check takes milliseconds are left out', () => {
  const usual = Buffer.from([1, 0, 1]);
  const keys = [
    rsaKey('usual', 256, usual),
    rsaKey('longest', 1024, usual),
    rsaKey('too long', 1025, usual),
    rsaKey('largest exponent', 256, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
    rsaKey('large exponent', 256, Buffer.from([0x80, 0, 0, 1])),
    rsaKey('huge exponent', 384, Buffer.alloc(384, 0x7f)),
  ];
  expect(readKeySet({ keys }).map(({ id }) => id)).toEqual(['usual', 'longest', 'largest exponent']);
});

test('keys are the same ones however they are written, but not under other names or in another order', () => {
  const three = keys(3).keys;
  const read = readKeySet({ keys: three });
  const rewritten = three.map((key) => Object.fromEntries(Object.entries({ ...key, use: 'sig' }).reverse()));
  expect(areSameKeys(read, readKeySet({ keys: rewritten }))).toBe(true);
  expect(areSameKeys(read, readKeySet({ keys: three.slice(1) }))).toBe(false);
  expect(areSameKeys(read, readKeySet({ keys: three.toReversed() }))).toBe(false);
  expect(areSameKeys(read, readKeySet({ keys: [rsaKey('key-0', 256, Buffer.from([1, 0, 1]))] }))).toBe(false);
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
