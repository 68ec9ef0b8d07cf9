/** Requests that impersonate a user: what is asked for it, and who the request is from. */
import { systemClock } from '../../../src/base/clock.ts';
import { withImpersonation } from '../../../src/http/filters/impersonation/impersonation.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { AuthorizerAttributes } from '../../../src/authz/types.ts';
import type { UserInfo } from '../../../src/meta/user.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';

const admin: UserInfo = { name: 'admin', uid: '', groups: [], extra: {} };
const lists = { isResourceRequest: true, path: '/api/v1/pods', verb: 'list', apiGroup: '', apiVersion: 'v1' };
const info = { ...lists, namespace: '', resource: 'pods', subresource: '', name: '' };

/** A context of a request with these headers. */
function contextOf(rawHeaders: readonly string[], user = admin): RequestContext {
  const headers = Object.fromEntries(rawHeaders.map((name) => [name.toLowerCase(), 'x']));
  return { req: { headers, rawHeaders }, user, info } as unknown as RequestContext;
}

/** `verb group/resource/subresource name`, with the namespace before the name. */
function textOf({
  info: { verb, apiGroup, namespace, resource, subresource, name },
}: AuthorizerAttributes): string {
  const what = [apiGroup, resource, subresource].filter((part) => part !== '').join('/');
  return `${verb} ${what} ${namespace === '' ? '' : `${namespace}/`}${name}`.trim();
}

/** Answers by text, and what was asked. @param constrained whether there are modes but the old one */
function impersonation(allows: (text: string) => boolean, constrained = true) {
  const asked: string[] = [];
  const users: UserInfo[] = [];
  const attempts: string[] = [];
  const step = withImpersonation({
    authorizer: {
      authorize: (attributes) => {
        const text = textOf(attributes);
        asked.push(text);
        users.push(attributes.user);
        return { decision: allows(text) ? 'allow' : 'noOpinion', reason: '' };
      },
    },
    ...{ naming: namingProfiles.kubernetes, clock: systemClock },
    constrained: constrained
      ? {
          attempt: (mode, decision) => void attempts.push(`${mode} ${decision}`),
          authorization: () => undefined,
        }
      : undefined,
  });
  return { step, asked, users, attempts };
}

test('groups by the ten thousand are checked one by one, in time that grows with their number', () => {
  const { step, asked } = impersonation(() => true, false);
  const groups = Array.from({ length: 30_000 }, (_, i) => ['Impersonate-Group', `g${String(i)}`]).flat();
  const context = contextOf(['Impersonate-User', 'bob', ...groups]);
  const took = cpuMsOf(() => void step(context));
  expect(context.user.groups.length).toBe(30_001);
  expect(asked.length).toBe(30_001);
  expect(took).toBeLessThan(cpuBudget(300));
});

test('values of extra are kept together, however their key is spelled; each is asked for', () => {
  const { step, asked } = impersonation(() => true, false);
  const context = contextOf([
    ...['Impersonate-User', 'bob', 'Impersonate-Extra-a', '1', 'IMPERSONATE-EXTRA-A', '2'],
    ...['Impersonate-Extra-%61', '3', 'Impersonate-Extra-__proto__', '4'],
  ]);
  void step(context);
  expect(Object.entries(context.user.extra)).toEqual([
    ['a', ['1', '2', '3']],
    ['__proto__', ['4']],
  ]);
  expect(asked.slice(1)).toEqual([
    ...['1', '2', '3'].map((value) => `impersonate ${attributes}/userextras/a ${value}`),
    `impersonate ${attributes}/userextras/__proto__ 4`,
  ]);
});

const robot = 'system:serviceaccount:shop:robot';
const attributes = 'authentication.k8s.io';
const ofPodOnNode = { 'authentication.kubernetes.io/node-name': ['n1'], a: ['b'] };

test.each([
  [['bob'], ['impersonate-on:user-info:list pods', `impersonate:user-info ${attributes}/users bob`]],
  [
    [robot],
    [
      'impersonate-on:serviceaccount:list pods',
      `impersonate:serviceaccount ${attributes}/serviceaccounts shop/robot`,
    ],
  ],
  [
    ['system:node:n2'],
    ['impersonate-on:arbitrary-node:list pods', `impersonate:arbitrary-node ${attributes}/nodes n2`],
  ],
  [
    ['system:node:n1'],
    ['impersonate-on:associated-node:list pods', `impersonate:associated-node ${attributes}/nodes *`],
  ],
])('both permissions of a constrained mode are asked for: %j', ([name = ''], expected) => {
  const { step, asked, users, attempts } = impersonation(() => true);
  const requester = { ...admin, name: robot, extra: ofPodOnNode };
  const context = contextOf(['Impersonate-User', name], requester);
  void step(context);
  expect(asked).toEqual(expected);
  const mode = /on:([a-z-]+):/.exec(expected[0] ?? '')?.[1] ?? '';
  expect(context).toMatchObject({ impersonator: requester, impersonationConstraint: `impersonate:${mode}` });
  expect(attempts).toEqual([`${mode} allowed`]);
  const shown = { 'authentication.kubernetes.io/associated-node-keys': Object.keys(ofPodOnNode).sort() };
  expect(users[0]?.extra).toEqual(mode === 'associated-node' ? shown : ofPodOnNode);
});

test('a node has its group in constrained modes alone', () => {
  const groupsBy = (allows: (text: string) => boolean): readonly string[] => {
    const context = contextOf(['Impersonate-User', 'system:node:n1']);
    void impersonation(allows).step(context);
    return context.user.groups;
  };
  expect(groupsBy(() => true)).toEqual(['system:nodes', 'system:authenticated']);
  expect(groupsBy((text) => text.startsWith('impersonate '))).toEqual(['system:authenticated']);
});

test('the old mode comes last, and first once it was what allowed; its refusal is that of the first mode', () => {
  const { step, asked, attempts } = impersonation((text) => text === 'impersonate users bob');
  const ask = (name: string): RequestContext => {
    asked.length = 0;
    const context = contextOf(['Impersonate-User', name]);
    void step(context);
    return context;
  };
  expect(() => ask('eve')).toThrow('User "admin" cannot impersonate-on:user-info:list resource "pods"');
  expect(ask('bob')).toMatchObject({ impersonationConstraint: '' });
  expect(asked).toEqual(['impersonate-on:user-info:list pods', 'impersonate users bob']);
  ask('bob');
  expect(asked).toEqual(['impersonate users bob']);
  expect(() => ask('eve')).toThrow('User "admin" cannot impersonate resource "users"');
  expect(attempts).toEqual([' denied', 'legacy allowed', 'legacy allowed', ' denied']);
});

test('without constrained modes only the old one is asked', () => {
  const { step, asked } = impersonation(() => false, false);
  expect(() => void step(contextOf(['Impersonate-User', 'bob']))).toThrow(
    'cannot impersonate resource "users"',
  );
  expect(asked).toEqual(['impersonate users bob']);
});

test.each([
  [['Impersonate-Group', 'system:masters'], 'impersonating the system:masters group is not allowed'],
  [['Impersonate-Group', ''], 'impersonating the empty string group is not allowed'],
  [['Impersonate-Extra-Plain', 'x'], 'must be a domain-prefixed path (such as "acme.io/foo")'],
  [
    ['Impersonate-Extra-Acme.io%2Ftenant', ''],
    'impersonating the empty string value in extra is not allowed',
  ],
])('constrained modes never allow %j', (headers, message) => {
  const { step } = impersonation((text) => !text.startsWith('impersonate '));
  expect(() => void step(contextOf(['Impersonate-User', 'bob', ...headers]))).toThrow(message);
});

test('four groups or extras are asked for at once, and one by one where not all are allowed', () => {
  const groups = ['a', 'b', 'c', 'd'].flatMap((group) => ['Impersonate-Group', group]);
  const extras = ['1', '2', '3', '4'].flatMap((value) => ['Impersonate-Extra-Acme.io%2Fn', value]);
  const all = impersonation(() => true);
  void all.step(contextOf(['Impersonate-User', 'bob', ...groups, ...extras]));
  expect(all.asked.slice(2)).toEqual([
    `impersonate:user-info ${attributes}/groups *`,
    `impersonate:user-info ${attributes}/userextras/* *`,
  ]);
  const each = impersonation((text) => !text.endsWith('*'));
  void each.step(contextOf(['Impersonate-User', 'bob', ...groups]));
  expect(each.asked.slice(2).map((text) => text.split(' ').at(-1))).toEqual(['*', 'a', 'b', 'c', 'd']);
});

test('a name is that of a service account only where an account could have it', () => {
  const { step, asked } = impersonation(() => true, false);
  void step(contextOf(['Impersonate-User', 'system:serviceaccount:Shop:robot']));
  expect(asked).toEqual(['impersonate users system:serviceaccount:Shop:robot']);
});
