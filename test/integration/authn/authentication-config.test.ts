/** --authentication-config from outside: several real issuers, rules, anonymous requests by path, and reload while running. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { OpenIdProvider } from '../../support/openid-provider.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { runToEnd, Service, type Answer } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let temporary: TempFolder;
let authority: TestAuthority;
let first: OpenIdProvider;
let second: OpenIdProvider;
let service: Service;
let file: string;

const release = '--emulated-release=1.36';
const head = { apiVersion: 'apiserver.config.orch.io/v1', kind: 'AuthenticationConfiguration' };

beforeAll(async () => {
  temporary = await makeTempFolder('authentication-config');
  authority = await makeAuthority(join(temporary.path, 'provider'));
  first = await OpenIdProvider.start(authority);
  second = await OpenIdProvider.start(authority);
  second.discovery = { issuer: 'https://not-reachable.test' };
  file = write('config.yaml', configuration());
  service = await Service.start(join(temporary.path, 'data'), [
    release,
    `--authentication-config=${file}`,
    '--v=4',
  ]);
});
afterAll(async () => {
  await service.child.stop();
  first.close();
  second.close();
  await temporary.remove();
});

function configuration(more: object = {}): object {
  const issuer = { certificateAuthority: authority.ca, audiences: ['app'] };
  return {
    ...head,
    jwt: [
      {
        issuer: { ...issuer, url: first.issuer },
        claimMappings: {
          username: { claim: 'sub', prefix: 'one:' },
          groups: { expression: 'claims.?roles.orValue([])' },
          extra: [{ key: 'example.com/team', valueExpression: 'claims.team' }],
        },
        claimValidationRules: [{ expression: "claims.team in ['x', 'y']", message: 'the team' }],
        userValidationRules: [{ expression: "!user.username.contains('system:')" }],
        ...more,
      },
      {
        issuer: {
          ...{ ...issuer, url: 'https://not-reachable.test' },
          discoveryURL: `${second.issuer}/.well-known/openid-configuration`,
        },
        claimMappings: { username: { expression: "'two:' + claims.sub" } },
      },
    ],
    anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] },
  };
}

/** Replaced in one step, so that no half of it is ever read. */
function write(name: string, content: object | string): string {
  const path = join(temporary.path, name);
  writeFileSync(`${path}.new`, typeof content === 'string' ? content : dump(content));
  renameSync(`${path}.new`, path);
  return path;
}

const review = { apiVersion: 'authentication.orch.io/v1', kind: 'SelfSubjectReview' };

function whoAmI(token: string): Promise<Answer> {
  return service.ask({
    ...{ method: 'POST', path: '/apis/authentication.orch.io/v1/selfsubjectreviews' },
    ...{ as: '', token, body: review },
  });
}

async function metric(name: string): Promise<string> {
  const { body } = await service.ask({ path: '/metrics' });
  return body
    .split('\n')
    .filter((line) => line.startsWith(name))
    .join('\n');
}

test('tokens of each issuer become users by its rules', async () => {
  const one = await whoAmI(first.token({ team: 'x', roles: ['dev'] }));
  expect(one).toMatchObject({ status: 201 });
  expect((JSON.parse(one.body) as { status: unknown }).status).toEqual({
    userInfo: {
      username: 'one:ann',
      groups: ['dev', 'system:authenticated'],
      extra: { 'example.com/team': ['x'] },
    },
  });
  const two = await whoAmI(second.token({ iss: 'https://not-reachable.test' }));
  expect(two.status).toBe(201);
  expect(two.body).toContain('two:ann');
  expect(await metric('apiserver_authentication_jwt_authenticator_latency_seconds_count')).toMatch(
    /result="success",jwt_issuer_hash="sha256:[0-9a-f]{64}"/,
  );
});

test.each<[string, () => string]>([
  ['a rule of claims', () => first.token({ team: 'z' })],
  ['a rule of users', () => first.token({ team: 'x', sub: 'system:masters' })],
  ['a claim that is missing', () => first.token({})],
  ['another audience', () => first.token({ team: 'x', aud: 'other' })],
  ['an issuer that is not configured', () => first.token({ team: 'x', iss: 'https://else.test' })],
  ["the other issuer's name with the own key", () => first.token({ iss: 'https://not-reachable.test' })],
  ['the own address, which is not the issuer', () => second.token()],
])('%s is refused, and no answer says why', async (_what, token) => {
  const answer = await whoAmI(token());
  expect(answer.status).toBe(401);
  expect(answer.body).not.toMatch(/team|rule|audience/);
});

test('anonymous requests are for the paths of the conditions alone', async () => {
  const statusOf = async (path: string): Promise<number> => (await service.ask({ path, as: '' })).status;
  expect(await statusOf('/livez')).toBe(200);
  expect(await statusOf('/readyz?verbose')).toBe(200);
  for (const path of ['/healthz', '/version', '/livez/ping', '/livez/', '/api', '/readyz%2f..%2fapi'])
    expect([path, await statusOf(path)]).toEqual([path, 401]);
});

test('a changed file takes effect; a bad one leaves what was, and both are counted', async () => {
  const token = first.token({ team: 'z' });
  expect((await whoAmI(token)).status).toBe(401);
  write('config.yaml', 'kind: Nonsense\n');
  const total = 'apiserver_authentication_config_controller_automatic_reloads_total';
  await waitFor('the failure', async () => (await metric(total)).includes('status="failure"'));
  expect((await whoAmI(first.token({ team: 'x' }))).status).toBe(201);
  expect((await service.ask({ path: '/livez', as: '' })).status).toBe(200);

  write('config.yaml', { ...configuration({ claimValidationRules: [] }), anonymous: { enabled: false } });
  await waitFor('the rules to be gone', async () => (await whoAmI(token)).status === 201);
  expect((await service.ask({ path: '/livez', as: '' })).status).toBe(401);
  expect(await metric(total)).toContain('status="success"');
  expect(
    await metric('apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds'),
  ).toMatch(/status="success".*\d{10}/);

  write('config.yaml', { ...head, jwt: [] });
  await waitFor('the issuers to be gone', async () => (await whoAmI(token)).status === 401);
  expect(service.child.output()).not.toMatch(/eyJ/);
});

test('what excludes the file, and a release without it, end the start', async () => {
  const config = write('other.yaml', { ...head, jwt: [{}], anonymous: { enabled: true } });
  const { code, output } = await runToEnd([
    ...[release, `--authentication-config=${config}`, '--oidc-issuer-url=https://a.test'],
    ...['--oidc-client-id=app', '--anonymous-auth=false'],
  ]);
  expect(code).toBe(1);
  for (const says of [
    '--authentication-config and --oidc-issuer-url exclude each other',
    '--authentication-config and --oidc-client-id exclude each other',
    'jwt[0].issuer: Required value',
    'anonymous: Forbidden: it may not be given together with --anonymous-auth',
    '[AUTHENTICATION_INVALID]',
  ])
    expect(output).toContain(says);
  const former = await runToEnd([`--authentication-config=${config}`]);
  expect(former.code).toBe(1);
  expect(former.output).toContain('needs the feature gate StructuredAuthenticationConfiguration');
});
