/** What others are told of keys is enough to check tokens with, and no more. */
import { createPublicKey } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { issuerDocuments } from '../../../../src/authn/service-account/issuer-discovery.ts';
import { readVerificationKeys } from '../../../../src/authn/service-account/service-account-keys.ts';
import { newPem, World } from '../../../support/service-account-tokens.ts';

const issuer = 'https://issuer.test';

test.each(['rsa', 'ec'] as const)('a token signed by an %s key is verified by the published keys', (type) => {
  const pem = newPem(type);
  const world = new World({ signWith: pem });
  const keys = readVerificationKeys(pem);
  const told = JSON.stringify(issuerDocuments({ issuer, keySetUri: '', keys })?.keySet);
  const jwks = (JSON.parse(told) as { keys: (Record<string, string> & { kid: string; alg: 'RS256' })[] })
    .keys;
  const token = world.bound();
  const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
  const key = jwks.find((candidate) => candidate.kid === kid)!;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const options = { algorithms: [key.alg], issuer, ignoreExpiration: true, ignoreNotBefore: true };
  expect(jsonwebtoken.verify(token, publicKey, options)).toMatchObject({
    sub: 'system:serviceaccount:ns:robot',
  });
  expect(key).toMatchObject({ use: 'sig', alg: type === 'rsa' ? 'RS256' : 'ES256' });
  for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(key).not.toHaveProperty(secret);
});

test('the configuration names the issuer, all algorithms once, and where the keys are', () => {
  const keys = ['rsa', 'ec', 'rsa'].flatMap((type) => readVerificationKeys(newPem(type as 'rsa')));
  expect(issuerDocuments({ issuer, keySetUri: '', keys })?.configuration).toEqual({
    issuer,
    jwks_uri: 'https://issuer.test/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  });
  const elsewhere = issuerDocuments({ issuer, keySetUri: 'https://keys.test/set', keys });
  expect(elsewhere?.configuration).toMatchObject({ jwks_uri: 'https://keys.test/set' });
});

test.each(['kubernetes/serviceaccount', 'http://issuer.test', 'issuer'])(
  'the issuer %s tells nothing',
  (text) => {
    expect(
      issuerDocuments({ issuer: text, keySetUri: '', keys: readVerificationKeys(newPem('ec')) }),
    ).toBeUndefined();
  },
);
