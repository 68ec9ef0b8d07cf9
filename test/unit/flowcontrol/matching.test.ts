import { bootstrapSources } from '../../../src/flowcontrol/bootstrap-configuration.ts';
import {
  everythingOf,
  level,
  makeFlows,
  objects,
  request,
  schema,
  user,
  userSubject,
} from '../../support/flow-control.ts';

describe('the schemas that every service begins with', () => {
  const { configuration } = makeFlows(600, bootstrapSources(objects));
  const admin = user('root', 'system:masters');
  const manager = user('system:orch-controller-manager');
  const account = user('system:serviceaccount:web:robot', 'system:serviceaccounts');
  const system = user('system:serviceaccount:orch-system:robot', 'system:serviceaccounts');
  const nobody = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };
  const stranger = { name: 'x', uid: '', groups: [], extra: {} };
  const lease = 'PUT /apis/coordination.orch.io/v1/namespaces/web/leases/x';
  test.each([
    [admin, 'GET /api/v1/pods', 'exempt', 'exempt'],
    [admin, 'GET /healthz', 'exempt', 'exempt'],
    [nobody, 'GET /healthz', 'probes', 'exempt'],
    [user('ann'), 'GET /readyz', 'probes', 'exempt'],
    [user('ann'), 'POST /readyz', 'global-default', 'global-default'],
    [user('ann'), 'GET /healthz/etcd', 'global-default', 'global-default'],
    [nobody, 'GET /version', 'global-default', 'global-default'],
    [user('ann'), 'GET /api/v1/namespaces/a/pods', 'global-default', 'global-default'],
    [user('system:node:n', 'system:nodes'), 'GET /api/v1/nodes/n', 'system-nodes', 'system'],
    [manager, lease, 'system-leader-election', 'leader-election'],
    [
      manager,
      'PATCH /api/v1/namespaces/orch-system/configmaps/x',
      'orch-controller-manager',
      'workload-high',
    ],
    [manager, 'PUT /api/v1/namespaces/orch-system/configmaps/x', 'system-leader-election', 'leader-election'],
    [manager, 'PUT /api/v1/namespaces/web/configmaps/x', 'orch-controller-manager', 'workload-high'],
    [user('system:orch-scheduler'), 'GET /api/v1/pods', 'orch-scheduler', 'workload-high'],
    [system, lease, 'system-leader-election', 'leader-election'],
    [system, 'PUT /api/v1/namespaces/web/endpoints/x', 'workload-leader-election', 'leader-election'],
    [system, 'GET /api/v1/pods', 'orch-system-service-accounts', 'workload-high'],
    [account, lease, 'service-accounts', 'workload-low'],
    [account, 'GET /api/v1/pods', 'service-accounts', 'workload-low'],
    [stranger, 'GET /api/v1/pods', 'catch-all', 'catch-all'],
  ])('%o %s', (who, text, name, levelName) => {
    const flow = configuration.flowOf(who, request(text));
    expect([flow.name, flow.level.name]).toEqual([name, levelName]);
  });
});

/** The name of the schema that takes a request where only this rule comes before the last resort. */
function matched(rule: object, who: string, text: string): boolean {
  const { configuration } = makeFlows();
  const subjects = [userSubject('ann')];
  void configuration.use({
    levels: [level('own', 1)],
    schemas: [schema('own', 'own', 5, { subjects, ...rule })],
  });
  return configuration.flowOf(user(who), request(text)).name === 'own';
}

const pods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/status'] };
const inWeb = { ...pods, namespaces: ['web', 'api'] };
const across = { ...pods, clusterScope: true };

test.each([
  [inWeb, 'ann', 'GET /api/v1/namespaces/web/pods', true],
  [inWeb, 'ann', 'GET /api/v1/namespaces/api/pods/x', true],
  [inWeb, 'bob', 'GET /api/v1/namespaces/web/pods', false],
  [inWeb, 'ann', 'DELETE /api/v1/namespaces/web/pods/x', false],
  [inWeb, 'ann', 'GET /api/v1/namespaces/other/pods', false],
  [inWeb, 'ann', 'GET /api/v1/pods', false],
  [inWeb, 'ann', 'GET /api/v1/namespaces/web/secrets', false],
  [inWeb, 'ann', 'GET /apis/apps/v1/namespaces/web/pods', false],
  [inWeb, 'ann', 'GET /api/v1/namespaces/web/pods/x/status', true],
  [inWeb, 'ann', 'GET /api/v1/namespaces/web/pods/x/log', false],
  [inWeb, 'ann', 'GET /pods', false],
  [across, 'ann', 'GET /api/v1/pods', true],
  [across, 'ann', 'GET /api/v1/namespaces/web/pods', false],
  [{ ...across, namespaces: ['*'] }, 'ann', 'GET /api/v1/namespaces/web/pods', true],
  [{ ...inWeb, verbs: ['*'], resources: ['*'] }, 'ann', 'DELETE /api/v1/namespaces/web/pods/x/any', true],
])('resource rule %o: %s %s', (rule, who, text, expected) => {
  expect(matched({ resourceRules: [rule] }, who, text)).toBe(expected);
});

test.each([
  ['/metrics', 'GET /metrics', true],
  ['/metrics', 'GET /metrics/x', false],
  ['/metrics', 'HEAD /metrics', false],
  ['/logs/*', 'GET /logs/a/b', true],
  ['/logs/*', 'GET /logs', false],
  ['*', 'GET /anything', true],
  ['*', 'GET /api/v1/pods', false],
])('path %s: %s', (url, text, expected) => {
  const rule = { verbs: ['get'], nonResourceURLs: [url] };
  expect(matched({ nonResourceRules: [rule] }, 'ann', text)).toBe(expected);
});

test.each([
  [{ kind: 'User', user: { name: '*' } }, true],
  [{ kind: 'User', user: { name: 'system:serviceaccount:web:robot' } }, true],
  [{ kind: 'Group', group: { name: 'devs' } }, true],
  [{ kind: 'Group', group: { name: 'ops' } }, false],
  [{ kind: 'Group', group: { name: '*' } }, true],
  [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'web', name: 'robot' } }, true],
  [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'web', name: '*' } }, true],
  [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'we', name: '*' } }, false],
  [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'web', name: 'rob' } }, false],
])('subject %o', (subject, expected) => {
  const { configuration } = makeFlows();
  void configuration.use({
    levels: [level('own', 1)],
    schemas: [schema('own', 'own', 5, everythingOf(subject))],
  });
  const who = user('system:serviceaccount:web:robot', 'devs');
  expect(configuration.flowOf(who, request('GET /api/v1/pods')).name === 'own').toBe(expected);
});

test('the lower precedence is matched first, among equals the earlier name', () => {
  const { configuration } = makeFlows();
  const ann = everythingOf(userSubject('ann'));
  const levels = [level('own', 1)];
  const flowOf = (...names: [string, number][]): string => {
    void configuration.use({ levels, schemas: names.map(([name, rank]) => schema(name, 'own', rank, ann)) });
    return configuration.flowOf(user('ann'), request('GET /api/v1/pods')).name;
  };
  expect(flowOf(['a', 50], ['b', 40])).toBe('b');
  expect(flowOf(['b', 40], ['a', 40])).toBe('a');
});

test('a user who comes with other groups is looked at again', () => {
  const { configuration } = makeFlows();
  const levels = [level('own', 1)];
  const devs = everythingOf({ kind: 'Group', group: { name: 'devs' } });
  void configuration.use({ levels, schemas: [schema('own', 'own', 5, devs)] });
  const names = [user('ann'), user('ann', 'devs'), user('ann')].map(
    (who) => configuration.flowOf(who, request('GET /api/v1/pods')).name,
  );
  expect(names).toEqual(['catch-all', 'own', 'catch-all']);
});
