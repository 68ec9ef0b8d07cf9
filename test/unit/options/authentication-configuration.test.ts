/** The file of --authentication-config: what it means, and all of its errors together, each with line and field. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { checkExpressions } from '../../../src/options/authentication/configuration/expression-text.ts';
import type { AuthenticationFileRules } from '../../../src/options/authentication/configuration/file-rules.ts';
import { readAuthenticationRules } from '../../../src/options/authentication/configuration/read-authentication.ts';
import { YamlFile } from '../../../src/options/yaml-file.ts';

const usual: AuthenticationFileRules = {
  naming: namingProfiles.kubernetes,
  ...{ minor: 36, hasAnonymous: true, isAnonymousFlagGiven: false, ownIssuers: ['https://api.test'] },
};

async function read(
  body: string,
  rules: Partial<AuthenticationFileRules> & { readonly version?: string } = {},
) {
  const { version = 'v1', ...more } = rules;
  const file = new YamlFile(
    `apiVersion: apiserver.config.k8s.io/${version}\nkind: AuthenticationConfiguration\n${body}`,
  );
  const all = { ...usual, ...more };
  const { configured, expressions } = readAuthenticationRules(file, all);
  await checkExpressions(file, expressions, all.minor);
  return { configured, errors: file.errors };
}

const issuer = 'issuer: {url: "https://a.test", audiences: [app]}';
const username = 'claimMappings: {username: {claim: sub, prefix: ""}}';

test('issuers with mappings and rules, and anonymous requests by path', async () => {
  const { configured, errors } = await read(`
jwt:
- issuer:
    url: https://a.test
    discoveryURL: https://b.test/discovery
    audiences: [app, other]
    audienceMatchPolicy: MatchAny
  claimMappings:
    username: {expression: 'claims.email_verified ? claims.email : claims.sub'}
    groups: {claim: roles, prefix: 'a:'}
    uid: {claim: oid}
    extra: [{key: example.com/tenant, valueExpression: claims.tenant}]
  claimValidationRules:
  - {claim: hd, requiredValue: a.test}
  - {expression: 'claims.exp - claims.iat <= 3600', message: too long}
  userValidationRules:
  - {expression: "!user.username.startsWith('system:')", message: reserved}
anonymous: {enabled: true, conditions: [{path: /livez}]}
`);
  expect(errors).toEqual([]);
  expect(configured).toEqual({
    minor: 36,
    anonymous: { isEnabled: true, paths: ['/livez'] },
    issuers: [
      {
        ...{ issuer: 'https://a.test', discoveryUrl: 'https://b.test/discovery', ca: '' },
        audiences: ['app', 'other'],
        username: { expression: 'claims.email_verified ? claims.email : claims.sub' },
        groups: { claim: 'roles', prefix: 'a:' },
        uid: { claim: 'oid', prefix: '' },
        extra: [{ key: 'example.com/tenant', expression: 'claims.tenant' }],
        claimRules: [
          { claim: 'hd', value: 'a.test' },
          { expression: 'claims.exp - claims.iat <= 3600', message: 'too long' },
        ],
        userRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
      },
    ],
  });
});

test('all errors together, with line and field', async () => {
  const { errors } = await read(`jwt:
- issuer:
    url: http://user:secret@a.test?x=1
    discoveryURL: not a url
    audiences: [app, app, '']
    certificateAuthority: nonsense
    egressSelectorType: cluster
  claimMappings:
    username: {claim: sub}
    uid: {claim: a, expression: claims.b}
    extra:
    - {key: Tenant, valueExpression: claims.x}
    - {key: x.kubernetes.io/y, valueExpression: 'claims.'}
  claimValidationRules:
  - {claim: hd, requiredValue: a, message: no}
  - {expression: claims.a == 1, requiredValue: b}
  - {claim: hd}
  - {}
  userValidationRules:
  - {expression: user.nothing == 'x'}
  - {expression: user.username}
- {}
anonymous: {enabled: false, conditions: [{path: livez}]}
extra: 1
`);
  for (const part of [
    'line 5: jwt[0].issuer.url: Invalid value: "http://…@a.test?x=1": URL scheme must be https',
    'jwt[0].issuer.url: Invalid value: "http://…@a.test?x=1": URL must not contain a username or password',
    'jwt[0].issuer.url: Invalid value: "http://…@a.test?x=1": URL must not contain a query',
    'line 6: jwt[0].issuer.discoveryURL: Invalid value: "not a url": must be a URL',
    'jwt[0].issuer.audiences[1]: Duplicate value: "app"',
    'jwt[0].issuer.audiences[2]: Required value: audience can not be empty',
    'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny',
    'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>"',
    'jwt[0].issuer.egressSelectorType: Forbidden',
    'line 11: jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set',
    'jwt[0].claimMappings.uid: Invalid value: {"claim":"a","expression":"claims.b"}: uid.claim and uid.expression can\'t both',
    'jwt[0].claimMappings.extra[0].key: Invalid value: "Tenant": key must be lowercase',
    'jwt[0].claimMappings.extra[0].key: Invalid value: "Tenant": must be a domain-prefixed path',
    'jwt[0].claimMappings.extra[1].key: Invalid value: "x.kubernetes.io/y": kubernetes.io and domains below it are reserved',
    'line 15: jwt[0].claimMappings.extra[1].valueExpression: Invalid value: "claims.": compilation failed',
    'jwt[0].claimValidationRules[0].message: Invalid value: "no": message can\'t be set when claim is set',
    'jwt[0].claimValidationRules[1].requiredValue: Invalid value: "b": requiredValue can\'t be set',
    'jwt[0].claimValidationRules[2].claim: Duplicate value: "hd"',
    'jwt[0].claimValidationRules[3]: Required value: claim or expression is required',
    'line 22: jwt[0].userValidationRules[0].expression: Invalid value: "user.nothing == \'x\'": compilation failed',
    'jwt[0].userValidationRules[1].expression: Invalid value: "user.username": must evaluate to bool',
    'line 24: jwt[1].issuer: Required value',
    'jwt[1].claimMappings.username: Required value: claim or expression is required',
    'anonymous.conditions: Invalid value: [{"path":"livez"}]: enabled should be set to true',
    'anonymous.conditions[0].path: Invalid value: "livez": must begin with a slash',
    'line 26: unknown field "extra"',
  ])
    expect(errors.join('\n')).toContain(part);
  expect(errors.join('\n')).not.toContain('secret');
});

test.each([
  ['an address that is read by a name', "claims.email + '@x'", '', true],
  ['by a key', "claims['email']", '', true],
  ['by a name that may be missing', "claims.?email.orValue('')", '', true],
  ['within a macro', "[1].all(x, claims.email == '') ? 'a' : 'b'", '', true],
  ['verified in the same expression', "claims.email_verified ? claims.email : 'none'", '', false],
  ['verified by a rule', 'claims.email', "[{expression: 'claims.email_verified == true'}]", false],
  ['another claim', 'claims.sub', '', false],
])('a user name of %s', async (_what, expression, rules, isRefused) => {
  const { errors } = await read(
    `jwt:\n- ${issuer}\n  claimMappings: {username: {expression: ${JSON.stringify(expression)}}}\n` +
      (rules === '' ? '' : `  claimValidationRules: ${rules}\n`),
  );
  expect(errors.some((error) => error.includes('claims.email_verified must be used'))).toBe(isRefused);
});

test.each([
  [
    'the issuer of service account tokens',
    `jwt:\n- issuer: {url: "https://api.test", audiences: [a]}\n  ${username}\n`,
    {},
    'must not overlap',
  ],
  [
    'the same issuer twice',
    `jwt:\n- ${issuer}\n  ${username}\n- ${issuer}\n  ${username}\n`,
    {},
    'jwt[1].issuer.url: Duplicate value',
  ],
  [
    'several issuers in 1.29',
    `jwt:\n- ${issuer}\n  ${username}\n- ${issuer}\n  ${username}\n`,
    { minor: 29, version: 'v1alpha1' },
    'jwt: Too many: 2: must have at most 1',
  ],
  [
    'v1 before 1.34',
    `jwt: []\n`,
    { minor: 33 },
    'apiVersion must be one of apiserver.config.k8s.io/v1beta1, apiserver.config.k8s.io/v1alpha1',
  ],
  [
    'anonymous before its gate',
    'anonymous: {enabled: true}\n',
    { hasAnonymous: false },
    'anonymous: Forbidden: it needs the feature gate',
  ],
  [
    'anonymous beside the flag',
    'anonymous: {enabled: true}\n',
    { isAnonymousFlagGiven: true },
    'not be given together with --anonymous-auth',
  ],
  [
    'a library of a later release',
    `jwt:\n- ${issuer}\n  claimMappings: {username: {expression: "string(claims.?a.orValue(''))"}}\n`,
    { minor: 27, version: 'v1' },
    'the emulated release knows no AuthenticationConfiguration',
  ],
])('%s is refused', async (_what, body, rules, problem) => {
  expect((await read(body, rules)).errors.join('\n')).toContain(problem);
});

test('no issuer at all is a configuration, too', async () => {
  expect((await read('jwt: []\n')).errors).toEqual([]);
});
