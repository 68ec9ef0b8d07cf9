/** Claims of a token become a user by the rules of their issuer; what is not as it must be gives none. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { IssuerRules } from '../../../src/authn/oidc/issuer-rules.ts';
import { identityByRules } from '../../../src/authn/oidc/mapped-identity.ts';

const rules: IssuerRules = {
  ...{ issuer: 'https://a.test', discoveryUrl: '', ca: '', audiences: ['app', 'other'] },
  ...{ claimRules: [], username: { claim: 'sub', prefix: 'a:' } },
  ...{ groups: undefined, uid: undefined, extra: [], userRules: [] },
};

const userOf = async (claims: JsonObject, more: Partial<IssuerRules> = {}): Promise<unknown> =>
  identityByRules({ ...rules, ...more }, 36)({ aud: 'app', sub: 'ann', ...claims });

test('claims with prefixes', async () => {
  const more = { groups: { claim: 'roles', prefix: 'g:' }, uid: { claim: 'oid', prefix: '' } };
  expect(await userOf({ roles: ['x', 'y', 'x'], oid: '7' }, more)).toEqual({
    ...{ name: 'a:ann', uid: '7', groups: ['g:x', 'g:y'], extra: {} },
  });
  expect(await userOf({ roles: 'x', oid: '7', aud: ['z', 'other'] }, more)).toMatchObject({
    groups: ['g:x'],
  });
});

test('expressions', async () => {
  const more: Partial<IssuerRules> = {
    username: { expression: "claims.sub + '@' + claims.tenant.name" },
    groups: { expression: "claims.roles.split(',')" },
    uid: { expression: 'string(claims.number)' },
    extra: [
      { key: 'x.test/tenant', expression: 'claims.tenant.name' },
      { key: 'x.test/list', expression: "claims.list.map(i, 'l:' + i)" },
      { key: 'x.test/none', expression: "claims.?nothing.orValue('')" },
    ],
    claimRules: [{ expression: "claims.tenant.name == 'blue'", message: '' }],
    userRules: [
      {
        expression: "user.groups.all(g, g != 'root') && user.extra['x.test/tenant'] == ['blue']",
        message: '',
      },
    ],
  };
  expect(await userOf({ tenant: { name: 'blue' }, roles: 'a,b', number: 7, list: ['p'] }, more)).toEqual({
    ...{ name: 'ann@blue', uid: '7', groups: ['a', 'b'] },
    extra: { 'x.test/tenant': ['blue'], 'x.test/list': ['l:p'] },
  });
});

const expression = (text: string): Partial<IssuerRules> => ({ username: { expression: text } });
test.each<[string, JsonObject, Partial<IssuerRules>, string]>([
  ['another audience', { aud: 'x' }, {}, 'another audience'],
  ['an audience that is no text', { aud: 7 }, {}, 'another audience'],
  ['no name', { sub: '' }, {}, 'no claim sub'],
  [
    'a name out of the prototype',
    {},
    { username: { claim: 'constructor', prefix: '' } },
    'no claim constructor',
  ],
  ['an expression out of the prototype', {}, expression('claims.constructor'), 'no such key'],
  ['a name that is no text', {}, expression('1'), 'gives no text'],
  ['an empty name', {}, expression("''"), 'the user name is empty'],
  [
    'an address that is not verified',
    { email: 'a@b', email_verified: false },
    { username: { claim: 'email', prefix: '' } },
    'not verified',
  ],
  [
    'verified in words',
    { email: 'a@b', email_verified: 'true' },
    { username: { claim: 'email', prefix: '' } },
    'not verified',
  ],
  [
    'verified: null',
    { email: 'a@b', email_verified: null },
    { username: { claim: 'email', prefix: '' } },
    'not verified',
  ],
  ['groups that are numbers', { roles: [1] }, { groups: { claim: 'roles', prefix: '' } }, 'no list of texts'],
  ['groups of an expression that are numbers', {}, { groups: { expression: '[1]' } }, 'no list of texts'],
  ['a uid that is missing', {}, { uid: { claim: 'oid', prefix: '' } }, 'no claim oid'],
  ['a required claim', { hd: 'x' }, { claimRules: [{ claim: 'hd', value: 'y' }] }, 'not as required'],
  ['a rule that does not hold', {}, { claimRules: [{ expression: 'false', message: 'why' }] }, 'why'],
  ['a rule that fails', {}, { claimRules: [{ expression: 'claims.x', message: '' }] }, 'no such key'],
  [
    'a rule that is no bool',
    { x: 'true' },
    { claimRules: [{ expression: 'claims.x', message: '' }] },
    'does not hold',
  ],
  ['a user rule', {}, { userRules: [{ expression: "user.username == 'b'", message: 'not b' }] }, 'not b'],
  ['an expression that does not compile', {}, expression('claims.'), 'compilation failed'],
])('%s names no user', async (_what, claims, more, problem) => {
  expect(await userOf(claims, more)).toEqual(expect.stringContaining(problem));
});

test('an expression that takes too long is cut, and names no user', async () => {
  const list = Array.from({ length: 3000 }, (_, i) => i);
  const before = process.threadCpuUsage();
  const result = await userOf(
    { list },
    expression('claims.list.all(a, claims.list.all(b, a + b >= 0)) ? "x" : "y"'),
  );
  const spent = process.threadCpuUsage(before);
  expect(result).toEqual(expect.stringContaining('operation cancelled'));
  expect((spent.user + spent.system) / 1000).toBeLessThan(500);
});
