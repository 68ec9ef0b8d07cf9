/** Whoever may, acts as somebody else; whoever may not, is told what is missing. */
import type { ApiClient, Answer } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  binding,
  rbac,
  role,
  rule,
  startServices,
  until,
  type Services,
} from '../../support/authorized-server.ts';

let services: Services;
const attributes = 'authentication.orch.io';

beforeAll(async () => {
  services = await startServices(1);
  const { admin } = services;
  await admin.ok(
    'POST',
    `${rbac}/clusterroles`,
    role(
      'actor',
      { ...rule('impersonate users'), resourceNames: ['bob', 'system:anonymous'] },
      { ...rule('impersonate groups'), resourceNames: ['ops', 'system:unauthenticated'] },
      { ...rule('impersonate userextras/scopes', [attributes]), resourceNames: ['view', 'dev'] },
      { ...rule('impersonate uids', [attributes]), resourceNames: ['uid-1'] },
    ),
  );
  await admin.ok('POST', `${rbac}/clusterrolebindings`, binding('actor', 'ClusterRole actor', 'User ann'));
  await admin.ok('POST', `${rbac}/namespaces/web/roles`, role('robots', rule('impersonate serviceaccounts')));
  await admin.ok('POST', `${rbac}/namespaces/web/rolebindings`, binding('robots', 'Role robots', 'User ann'));
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('ops', 'ClusterRole cluster-admin', 'Group ops'),
  );
  await until(services.as('dora'), ['GET', '/api/v1/nodes'], 200);
  await until(services.as('ann'), ['GET', '/apis'], 200);
});
afterAll(() => services[Symbol.asyncDispose]());

function messageOf(answer: Answer): string {
  return (answer.json() as unknown as { message: string }).message;
}

async function nodesAs(
  client: ApiClient,
  headers: Record<string, string | string[]>,
): Promise<[number, string]> {
  const answer = await client.get('/api/v1/nodes', headers as Record<string, string>);
  return [answer.status, answer.status === 200 ? '' : messageOf(answer)];
}

function cannot(who: string, groupAndResource: string): string {
  const [group = '', resource = ''] = groupAndResource.split(' ');
  return `User "${who}" cannot impersonate resource "${resource}" in API group "${group}" at the cluster scope`;
}

test('later requests are authorized as the impersonated user', async () => {
  const ann = services.as('ann');
  expect(await nodesAs(ann, {})).toEqual([403, expect.stringContaining('User "ann" cannot list')]);
  expect(await nodesAs(ann, { 'impersonate-user': 'bob' })).toEqual([
    403,
    expect.stringContaining('User "bob" cannot list'),
  ]);
  expect(await nodesAs(ann, { 'impersonate-user': 'bob', 'impersonate-group': 'ops' })).toEqual([200, '']);
  const all = {
    'impersonate-user': 'bob',
    'impersonate-group': 'ops',
    'impersonate-uid': 'uid-1',
    'impersonate-extra-Scopes': ['view', 'dev'],
  };
  expect(await nodesAs(ann, all)).toEqual([200, '']);
});

const refusals: [string, Record<string, string | string[]>, string][] = [
  ['another user', { 'impersonate-user': 'carl' }, `users "carl" is forbidden: ${cannot('ann', ' users')}`],
  [
    'another group',
    { 'impersonate-user': 'bob', 'impersonate-group': ['ops', 'system:masters'] },
    `groups "system:masters" is forbidden: ${cannot('ann', ' groups')}`,
  ],
  [
    'another attribute',
    { 'impersonate-user': 'bob', 'impersonate-extra-scopes': ['view', 'all'] },
    `userextras.${attributes} "all" is forbidden: ${cannot('ann', `${attributes} userextras/scopes`)}`,
  ],
  [
    'another kind of attribute',
    { 'impersonate-user': 'bob', 'impersonate-extra-acme.com%2fproject': 'x' },
    `userextras.${attributes} "x" is forbidden: ${cannot('ann', `${attributes} userextras/acme.com/project`)}`,
  ],
  [
    'another uid',
    { 'impersonate-user': 'bob', 'impersonate-uid': 'uid-2' },
    `uids.${attributes} "uid-2" is forbidden: ${cannot('ann', `${attributes} uids`)}`,
  ],
  [
    'an account of another namespace',
    { 'impersonate-user': 'system:serviceaccount:api:robot' },
    'serviceaccounts "robot" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "api"',
  ],
];

test.each(refusals)('%s is refused', async (_name, headers, message) => {
  expect(await nodesAs(services.as('ann'), headers)).toEqual([403, message]);
});

test('a service account has the groups of service accounts, unless groups are impersonated', async () => {
  const { admin, as } = services;
  const accounts = binding('accounts', 'ClusterRole view', 'Group system:serviceaccounts:web');
  await admin.ok('POST', `${rbac}/namespaces/web/rolebindings`, accounts);
  const pods = '/api/v1/namespaces/web/pods';
  const robot = { 'impersonate-user': 'system:serviceaccount:web:robot' };
  await waitFor('the account may', async () => (await as('ann').get(pods, robot)).status === 200);
  expect(
    (await as('ann').get(pods, { ...robot, 'impersonate-group': 'system:unauthenticated' })).status,
  ).toBe(403);
});

test('system:anonymous is unauthenticated; other users are authenticated', async () => {
  const { as } = services;
  const anonymous = { 'impersonate-user': 'system:anonymous' };
  expect((await as('ann').get('/apis', anonymous)).status).toBe(403);
  expect((await as('ann').get('/healthz', anonymous)).status).toBe(200);
  expect((await as('ann').get('/apis', { 'impersonate-user': 'bob' })).status).toBe(200);
});

test('names are UTF-8, as clients send them', async () => {
  const named = (text: string, encoding: BufferEncoding): Record<string, string> => ({
    'impersonate-user': Buffer.from(text, encoding).toString('latin1'),
  });
  const [status, problem] = await nodesAs(services.as('ann'), named('jürgen', 'utf8'));
  expect([status, problem]).toEqual([403, expect.stringContaining('cannot impersonate') as string]);
  expect(await nodesAs(services.as('dora'), named('jürgen', 'utf8'))).toEqual([
    403,
    expect.stringContaining('User "jürgen" cannot list resource "nodes"'),
  ]);
  expect((await nodesAs(services.as('dora'), named('jürgen', 'latin1')))[0]).toBe(400);
});

test('an empty user name does not impersonate', async () => {
  expect(await nodesAs(services.as('dora'), { 'impersonate-user': '' })).toEqual([200, '']);
});

test('extras without a user are a 400, and system:masters may impersonate everyone', async () => {
  const { admin, as } = services;
  expect((await as('ann').get('/apis', { 'impersonate-group': 'ops' })).status).toBe(400);
  expect((await as('bob').get('/apis', { 'impersonate-user': 'bob' })).status).toBe(403);
  const carl = await admin.get('/api/v1/nodes', { 'impersonate-user': 'carl' });
  expect([carl.status, messageOf(carl)]).toEqual([403, expect.stringContaining('User "carl"')]);
  expect(
    (await admin.get('/api/v1/nodes', { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' }))
      .status,
  ).toBe(200);
});
