import { createAuditPolicy } from '../../../src/audit/audit-policy.ts';
import { parseAuditPolicy } from '../../../src/audit/audit-policy-file.ts';
import { FileError } from '../../../src/base/file-error.ts';
import { parseRequestInfo } from '../../../src/http/request-info-resolver.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Query } from '../../../src/http/query.ts';

const head = 'apiVersion: audit.orch.io/v1\nkind: Policy\n';

function levelOf(rule: string, [method, path]: readonly [string, string], user = 'ann'): string {
  const policy = createAuditPolicy(
    parseAuditPolicy(`${head}rules:\n- ${rule}\n- level: Metadata\n`, namingProfiles.orch),
  );
  const info = parseRequestInfo(method, path, new Query(''));
  return policy({ user: { name: user, uid: '', groups: ['devs'], extra: {} }, info }).level;
}

const pod = ['GET', '/api/v1/namespaces/web/pods/a'] as const;
const status = ['PUT', '/api/v1/namespaces/web/pods/a/status'] as const;
const deployment = ['GET', '/apis/apps/v1/namespaces/web/deployments/a'] as const;
const node = ['GET', '/api/v1/nodes/a'] as const;
const health = ['GET', '/healthz/etcd'] as const;

test.each([
  ['users: [ann]', pod, true],
  ['users: [bob]', pod, false],
  ['userGroups: [ops, devs]', pod, true],
  ['userGroups: [ops]', pod, false],
  ['verbs: [get]', pod, true],
  ['verbs: [list]', pod, false],
  ['namespaces: [web]', pod, true],
  ['namespaces: [web]', node, false],
  ['namespaces: [""]', node, true],
  ['namespaces: [web]', health, false],
  ['resources: [{group: ""}]', pod, true],
  ['resources: [{group: ""}]', deployment, false],
  ['resources: [{group: apps, resources: [deployments]}]', deployment, true],
  ['resources: [{resources: [pods]}]', pod, true],
  ['resources: [{resources: [pods]}]', status, false],
  ['resources: [{resources: [pods/status]}]', status, true],
  ['resources: [{resources: ["pods/*"]}]', status, true],
  ['resources: [{resources: ["*/status"]}]', status, true],
  ['resources: [{resources: ["*/status"]}]', pod, false],
  ['resources: [{resources: ["*"]}]', status, true],
  ['resources: [{resources: [pods], resourceNames: [a]}]', pod, true],
  ['resources: [{resources: [pods], resourceNames: [b]}]', pod, false],
  ['nonResourceURLs: ["/healthz*"]', health, true],
  ['nonResourceURLs: ["/healthz"]', health, false],
  ['nonResourceURLs: ["*"]', pod, false],
] as const)('%s and %p', (rule, request, fits) => {
  expect(levelOf(`level: Request\n  ${rule}`, request)).toBe(fits ? 'Request' : 'Metadata');
});

test('the first matching rule applies; without one nothing is audited', () => {
  const text = `${head}omitStages: [RequestReceived]
rules:
- {level: None, verbs: [create], users: [bob]}
- {level: Metadata, verbs: [get, create], omitStages: [ResponseStarted]}
`;
  const policy = createAuditPolicy(parseAuditPolicy(text, namingProfiles.orch));
  const of = (method: string) =>
    policy({ user: undefined, info: parseRequestInfo(method, '/api/v1/nodes', new Query('')) });
  expect(of('POST')).toEqual({
    level: 'Metadata',
    omitStages: new Set(['RequestReceived', 'ResponseStarted']),
  });
  expect(of('DELETE').level).toBe('None');
});

test.each([
  ['rules: [\n', ['line 2: invalid YAML']],
  ['- a\n', ['line 1: not an audit policy']],
  [
    'apiVersion: v1\nkind: List\nrules: []\n',
    [
      'line 1: apiVersion must be one of audit.orch.io/v1, audit.orch.io/v1beta1, audit.orch.io/v1alpha1',
      'line 2: kind must be Policy',
      'line 3: rules are missing',
    ],
  ],
  [
    `${head}omitStages: [Never]
rules:
- level: Everything
  nonResourceURLs: ["healthz", "/a*b"]
  namespaces: [web]
- resources:
  - group: apps/v1
  - resourceNames: [a]
- level: None
  user: [ann]
  verbs: get
`,
    [
      'line 5: level must be one of None, Metadata, Request, RequestResponse',
      'line 5: resources and nonResourceURLs exclude each other in a rule',
      'line 6: nonResourceURL "healthz" must begin with /',
      'line 6: nonResourceURL "/a*b" may have a * only at its end',
      'line 8: level must be one of None, Metadata, Request, RequestResponse',
      'line 9: group must be a name without a version',
      'line 10: resourceNames require resources',
      'line 12: unknown field "user"',
      'line 13: verbs must be a list of strings',
      'line 3: stage "Never" must be one of RequestReceived, ResponseStarted, ResponseComplete, Panic',
    ],
  ],
])('errors in %j with their lines', (text, errors) => {
  let thrown: unknown;
  try {
    parseAuditPolicy(text, namingProfiles.orch);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(FileError);
  expect((thrown as FileError).errors).toEqual(errors);
});
