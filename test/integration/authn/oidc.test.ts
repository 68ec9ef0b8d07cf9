/** ID tokens of a real HTTPS provider: claims, forgeries, rotation of keys, and how seldom the provider is asked. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { identityOf, type IdentityRules } from '../../../src/authn/oidc/identity.ts';
import { createOidcAuthenticator, type OidcOptions } from '../../../src/authn/oidc/oidc-authenticator.ts';
import { OidcProvider } from '../../../src/authn/oidc/oidc-provider.ts';
import type { Authenticator } from '../../../src/authn/types.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { runToEnd, Service } from '../../support/service.ts';
import { OpenIdProvider } from '../../support/openid-provider.ts';

let temporary: TempFolder;
let authority: TestAuthority;
let provider: OpenIdProvider;
let source: OidcProvider;
const warnings: object[] = [];
const time = { wall: 0, monotonic: 0 };
const clock = { now: () => Date.now() + time.wall, monotonic: () => time.monotonic };

beforeAll(async () => {
  temporary = await makeTempFolder('oidc');
  authority = await makeAuthority(join(temporary.path, 'provider'));
});
afterAll(() => temporary.remove());

beforeEach(async () => {
  time.wall = 0;
  warnings.length = 0;
  provider = await OpenIdProvider.start(authority);
  source = open();
  await waitFor('the keys', () => source.keySet() !== undefined);
});
afterEach(() => {
  source.close();
  provider.close();
});

function open(ca = authority.ca): OidcProvider {
  const warn = (details: object): void => void warnings.push(details);
  const made = new OidcProvider({
    issuer: provider.issuer,
    ca: [ca],
    warn,
    clock: { ...systemClock, ...clock },
    random: systemRandom,
  });
  void made.run();
  return made;
}

type Options = Partial<OidcOptions & IdentityRules>;

function authenticator(options: Options = {}): Authenticator {
  const rules: IdentityRules = {
    ...{ issuer: provider.issuer, clientId: 'app', usernameClaim: 'sub', usernamePrefix: '' },
    ...{ groupsClaim: 'groups', groupsPrefix: '', requiredClaims: {} },
    ...options,
  };
  return createOidcAuthenticator({
    ...{ issuer: provider.issuer, algorithms: ['RS256', 'ES256'], provider: source, clock },
    identify: (claims) => identityOf(claims, rules),
    ...options,
  });
}

async function outcome(token: string, by: Authenticator = authenticator()): Promise<unknown> {
  const result = await by.authenticate(requestWith({ bearerToken: token }));
  return result?.outcome === 'authenticated' ? result.user : result?.reason.replace('ID token: ', '');
}

test('a token stands for its subject', async () => {
  expect(await outcome(provider.token({ groups: ['devs', 'ops', 'devs'] }))).toEqual({
    name: `${provider.issuer}#ann`,
    uid: '',
    groups: ['devs', 'ops'],
    extra: {},
  });
});

describe('names and groups', () => {
  const email = { usernameClaim: 'email' };
  const named: [string, Options, object, object][] = [
    ['a prefix', { usernamePrefix: 'oidc:' }, {}, { name: 'oidc:ann' }],
    ['no prefix', { usernamePrefix: '-' }, {}, { name: 'ann' }],
    ['an address, which has no prefix', email, { email: 'a@b.c' }, { name: 'a@b.c' }],
    ['an address with a prefix', { ...email, usernamePrefix: 'x:' }, { email: 'a@b.c' }, { name: 'x:a@b.c' }],
    ['a verified address', email, { email: 'a@b.c', email_verified: true }, { name: 'a@b.c' }],
    ['groups with a prefix', { groupsPrefix: 'g:' }, { groups: ['a'] }, { groups: ['g:a'] }],
    ['no groups claim asked for', { groupsClaim: '' }, { groups: ['a'] }, { groups: [] }],
    ['required claims', { requiredClaims: { team: 'x' } }, { team: 'x' }, {}],
    ['several audiences', {}, { aud: ['other', 'app'] }, {}],
  ];
  test.each(named)('%s', async (_what, options, claims, want) => {
    expect(await outcome(provider.token(claims), authenticator(options))).toMatchObject(want);
  });

  const refused: [string, Options, object, string][] = [
    ['another client', {}, { aud: 'other' }, 'meant for another client'],
    ['no audience', {}, { aud: undefined }, 'meant for another client'],
    ['no subject', {}, { sub: undefined }, 'there is no claim sub of text'],
    ['a subject that is no text', {}, { sub: 7 }, 'there is no claim sub of text'],
    ['an address that is not verified', email, { email: 'a@b.c', email_verified: false }, 'not verified'],
    ['verified in words', email, { email: 'a@b.c', email_verified: 'true' }, 'not verified'],
    ['one group as text', {}, { groups: 'devs' }, 'no list of texts'],
    ['a group that is no text', {}, { groups: ['a', 1] }, 'no list of texts'],
    ['a required claim that differs', { requiredClaims: { team: 'x' } }, { team: 'y' }, 'not as required'],
    ['a required claim that is missing', { requiredClaims: { team: '', other: 'x' } }, {}, 'not as required'],
    ['an end in the past', {}, { exp: 1_000_000 }, 'expired'],
    ['no end', {}, { exp: undefined }, 'expired'],
    ['an end that is no number', {}, { exp: '9999999999' }, 'expired'],
    ['a beginning far ahead', {}, { nbf: Math.floor(Date.now() / 1000) + 600 }, 'not valid yet'],
  ];
  test.each(refused)('%s is refused', async (_what, options, claims, problem) => {
    expect(await outcome(provider.token(claims), authenticator(options))).toContain(problem);
  });
});

test("the provider's clock may be a little ahead", async () => {
  const token = provider.token({ nbf: Math.floor(Date.now() / 1000) + 200 });
  expect(await outcome(token)).toMatchObject({ name: `${provider.issuer}#ann` });
});

test('a token that was accepted expires all the same', async () => {
  const by = authenticator();
  const token = provider.token();
  expect(await outcome(token, by)).toMatchObject({ groups: [] });
  time.wall = 600_000;
  expect(await outcome(token, by)).toBe('expired');
});

test('forgeries', async () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const claims = jsonwebtoken.decode(provider.token()) as object;
  const forged = (key: KeyObject | string, header: object): string =>
    jsonwebtoken.sign(JSON.stringify(claims), key, { header: { alg: 'RS256', ...header } });
  const [, body = ''] = provider.token().split('.');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.AAAA`;
  const tokens = [
    forged(stranger, { kid: 'first' }),
    forged(stranger, {}),
    forged('AAAA', { alg: 'HS256', kid: 'secret' }),
    forged('secret', { alg: 'HS256', kid: 'first' }),
    none,
  ];
  for (const token of tokens) expect(await outcome(token)).toBe('no key of the provider has signed it');
  const isOther = provider.token({ iss: 'https://elsewhere.test' });
  for (const token of [isOther, 'ey', 'nonsense']) expect(await outcome(token)).toBeUndefined();
});

test('only the configured signing algorithms are accepted', async () => {
  const by = authenticator({ algorithms: ['ES256'] });
  expect(await outcome(provider.token(), by)).toBe('no key of the provider has signed it');
});

test('requests do not ask the provider', async () => {
  const by = authenticator();
  for (let i = 0; i < 50; i += 1) await outcome(provider.token({ jti: String(i) }), by);
  expect(provider.asked).toEqual(['/realm/.well-known/openid-configuration', '/realm/keys']);
});

test('a new key is fetched when a token names it, and unknown keys do not make for more', async () => {
  const by = authenticator();
  provider.rotate('second', 'ES256');
  time.monotonic += 10_000;
  const answers = await Promise.all([1, 2, 3].map((n) => outcome(provider.token({ jti: n }), by)));
  for (const answer of answers) expect(answer).toMatchObject({ name: `${provider.issuer}#ann` });
  for (let i = 0; i < 20; i += 1) await outcome(provider.token({}, { kid: `unknown-${String(i)}` }), by);
  expect(provider.asked.filter((path) => path === '/realm/keys')).toHaveLength(2);
});

test('a new key is fetched for a token that names none, or one that is another now', async () => {
  const by = authenticator();
  for (const header of [{ kid: undefined }, { kid: 'first' }]) {
    provider.rotate('first', 'RS256', true);
    time.monotonic += 10_000;
    expect(await outcome(provider.token({}, header), by)).toMatchObject({ name: `${provider.issuer}#ann` });
  }
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  for (let i = 0; i < 20; i += 1) {
    const claims = { ...(jsonwebtoken.decode(provider.token()) as object), jti: i };
    const token = jsonwebtoken.sign(claims, stranger, { algorithm: 'RS256', keyid: 'first' });
    expect(await outcome(token, by)).toBe('no key of the provider has signed it');
  }
  expect(provider.asked.filter((path) => path === '/realm/keys')).toHaveLength(3);
});

test('a token with an unknown critical header is rejected', async () => {
  expect(await outcome(provider.token({}, { crit: ['exp'] }))).toBeUndefined();
});

test('a token is void when its key was withdrawn', async () => {
  const by = authenticator();
  const token = provider.token();
  expect(await outcome(token, by)).toMatchObject({ groups: [] });
  provider.rotate('second', 'RS256', true);
  time.monotonic += 10_000;
  expect(await outcome(provider.token(), by)).toMatchObject({ groups: [] });
  expect(await outcome(token, by)).toBe('no key of the provider has signed it');
});

test.each([
  ['an empty list', { keys: [] }],
  ['no list', {}],
  ['a megabyte of what takes a tenth of a second to read', { keys: new Array(300_000).fill({}) }],
  ['only keys that sign nothing', { keys: [{ kty: 'oct', k: 'AAAA', kid: 'first' }] }],
])('keys that were good stay when %s is published, until there are others', async (_what, published) => {
  const by = authenticator();
  const token = provider.token();
  expect(await outcome(token, by)).toMatchObject({ groups: [] });
  provider.publishes = published;
  time.monotonic += 10_000;
  await outcome(provider.token({}, { kid: 'unknown' }), by);
  expect(provider.asked.filter((path) => path === '/realm/keys')).toHaveLength(2);
  expect(await outcome(provider.token({ jti: 'new' }), by)).toMatchObject({ groups: [] });

  provider.publishes = undefined;
  provider.rotate('second', 'RS256', true);
  time.monotonic += 10_000;
  expect(await outcome(provider.token(), by)).toMatchObject({ groups: [] });
  expect(await outcome(token, by)).toBe('no key of the provider has signed it');
});

test('a provider without keys is logged, and retried', async () => {
  source.close();
  provider.publishes = { keys: [] };
  source = open();
  await waitFor('a warning', () => JSON.stringify(warnings).includes('no key'));
  expect(source.keySet()).toBeUndefined();
  provider.publishes = undefined;
  await waitFor('the keys', () => source.keySet() !== undefined);
});

test('a provider that is away, comes later, or lies', async () => {
  source.close();
  provider.failWith = 503;
  source = open();
  await waitFor('a warning', () => warnings.length > 0);
  expect(await outcome(provider.token())).toBe('no key of the provider has signed it');
  provider.failWith = 0;
  await waitFor('the keys', () => source.keySet() !== undefined);
  expect(await outcome(provider.token())).toMatchObject({ groups: [] });

  for (const [discovery, problem] of [
    [{ issuer: 'https://another.test' }, 'another issuer'],
    [{ jwks_uri: provider.issuer.replace('https', 'http') }, 'no https address'],
  ] as const) {
    source.close();
    warnings.length = 0;
    provider.discovery = discovery;
    source = open();
    await waitFor('a warning', () => JSON.stringify(warnings).includes(problem));
    expect(source.keySet()).toBeUndefined();
  }
});

test('a provider with a certificate of another authority is not believed', async () => {
  source.close();
  source = open((await makeAuthority(join(temporary.path, 'other'))).ca);
  await waitFor('a warning', () => warnings.length > 0);
  expect(source.keySet()).toBeUndefined();
});

test('seen from outside', async () => {
  const service = await Service.start(join(temporary.path, 'data'), [
    `--oidc-issuer-url=${provider.issuer}`,
    '--oidc-client-id=app',
    '--oidc-groups-claim=roles',
    '--oidc-groups-prefix=oidc:',
    '--oidc-required-claim=team=x',
    `--oidc-ca-file=${authority.caFile}`,
    '--v=4',
  ]);
  try {
    const token = provider.token({ team: 'x' });
    await waitFor('the token to be known', async () => {
      const answer = await service.ask({ path: '/api/v1/pods', as: '', token });
      return answer.status === 403 && answer.body.includes(`User \\"${provider.issuer}#ann\\"`);
    });
    const wrong = await service.ask({ path: '/api/v1/pods', as: '', token: provider.token() });
    expect(wrong.status).toBe(401);
    expect(wrong.body).not.toContain('team');
    expect(service.child.output()).not.toMatch(/eyJ/);
  } finally {
    await service.child.stop();
  }
});

test('invalid flags end the start, all reported together', async () => {
  const { code, output } = await runToEnd([
    '--oidc-issuer-url=http://provider.test',
    '--oidc-required-claim=nonsense',
    '--oidc-signing-algs=HS256,none',
    '--oidc-ca-file=/nowhere',
  ]);
  expect(code).toBe(1);
  for (const says of [
    '--oidc-issuer-url has the value "http://provider.test"',
    '--oidc-required-claim has the value "nonsense"',
    '--oidc-signing-algs names "HS256"',
    '--oidc-signing-algs names "none"',
    '--oidc-issuer-url is given without --oidc-client-id',
    'correct --oidc-ca-file',
  ])
    expect(output).toContain(says);
});
