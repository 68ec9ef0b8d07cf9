import { createPrivilegedGroupAuthorizer } from '../../../src/authz/privileged-group-authorizer.ts';
import { createAlwaysAllowPathsAuthorizer } from '../../../src/authz/always-allow-paths-authorizer.ts';
import { alwaysAllowPaths, alwaysAllowVerbs } from '../../../src/authz/always-allow-paths.ts';
import type { Authorizer, AuthorizerAttributes, AuthorizerDecision } from '../../../src/authz/types.ts';
import { createUnionAuthorizer } from '../../../src/authz/union-authorizer.ts';

function asking(path: string, verb = 'get', groups: readonly string[] = []): AuthorizerAttributes {
  return {
    user: { name: 'ann', uid: '', groups, extra: {} },
    info: {
      isResourceRequest: path.startsWith('/api'),
      path,
      verb,
      apiPrefix: '',
      apiGroup: '',
      apiVersion: '',
      namespace: '',
      resource: '',
      subresource: '',
      name: '',
      parts: [],
    },
  };
}

test('the open paths are those of health and version, for reading', () => {
  expect(alwaysAllowPaths).toEqual(['/healthz', '/livez', '/readyz', '/version', '/version/']);
  expect(alwaysAllowVerbs).toEqual(['get', 'head']);
});

const paths: [string, string, string][] = [
  ['/healthz', 'get', 'allow'],
  ['/livez', 'head', 'allow'],
  ['/healthz/etcd', 'get', 'noOpinion'],
  ['/livez/ping', 'head', 'noOpinion'],
  ['/livez/', 'get', 'noOpinion'],
  ['/readyz/poststarthook/rbac/bootstrap-roles', 'get', 'noOpinion'],
  ['/readyz', 'get', 'allow'],
  ['/version', 'get', 'allow'],
  ['/version/', 'get', 'allow'],
  ['/healthz', 'post', 'noOpinion'],
  ['/healthzz', 'get', 'noOpinion'],
  ['/metrics', 'get', 'noOpinion'],
  ['/', 'get', 'noOpinion'],
  ['/api/v1/healthz', 'get', 'noOpinion'],
];

test.each(paths)('%s by %s: %s', async (path, verb, want) => {
  expect((await createAlwaysAllowPathsAuthorizer().authorize(asking(path, verb))).decision).toBe(want);
});

test('masters may do everything, others are no matter of that authorizer', async () => {
  const authorizer = createPrivilegedGroupAuthorizer();
  const master = await authorizer.authorize(asking('/api/v1/pods', 'delete', ['x', 'system:masters']));
  expect(master.decision).toBe('allow');
  expect((await authorizer.authorize(asking('/api/v1/pods', 'delete', ['masters']))).decision).toBe(
    'noOpinion',
  );
});

function answering(decision: AuthorizerDecision['decision'], reason: string): Authorizer {
  return { authorize: () => Promise.resolve({ decision, reason }) };
}

test('a union takes the first opinion', async () => {
  const mute = answering('noOpinion', 'm');
  const union = createUnionAuthorizer([mute, answering('deny', 'd'), answering('allow', 'a')]);
  expect(await union.authorize(asking('/x'))).toEqual({ decision: 'deny', reason: 'd' });
});

test('a union without an opinion has the reasons of all', async () => {
  const union = createUnionAuthorizer([
    answering('noOpinion', 'a'),
    answering('noOpinion', ''),
    answering('noOpinion', 'b'),
  ]);
  expect(await union.authorize(asking('/x'))).toEqual({ decision: 'noOpinion', reason: 'a; b' });
});
