/** The file of --authorization-config: what it means, and all of its errors together, each with line and field. */
import { readAuthorizers } from '../../../src/options/authorization-configuration.ts';
import { YamlFile } from '../../../src/options/yaml-file.ts';

function read(body: string, minor = 36, version = 'v1') {
  const file = new YamlFile(
    `apiVersion: apiserver.config.k8s.io/${version}\nkind: AuthorizationConfiguration\n${body}`,
  );
  return { authorizers: readAuthorizers(file, { apiDomain: 'k8s.io', minor }), errors: file.errors };
}

const webhook = `
    timeout: 3s
    subjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: /x}
`;

test('authorizers in order, with defaults', () => {
  const { authorizers, errors } = read(`authorizers:
- {type: Node, name: node}
- type: Webhook
  name: first
  webhook:${webhook}
    unauthorizedTTL: 10s
    cacheAuthorizedRequests: false
    matchConditionSubjectAccessReviewVersion: v1
    matchConditions:
    - expression: has(request.resourceAttributes) && request.resourceAttributes.namespace == 'web'
- {type: RBAC, name: rbac}
`);
  expect(errors).toEqual([]);
  expect(authorizers).toEqual([
    { type: 'Node', name: 'node' },
    {
      ...{
        type: 'Webhook',
        name: 'first',
        timeoutMs: 3_000,
        version: 'v1',
        failurePolicy: 'Deny',
        access: '/x',
      },
      ...{ authorizedTtlMs: 0, unauthorizedTtlMs: 10_000 },
      conditions: ["has(request.resourceAttributes) && request.resourceAttributes.namespace == 'web'"],
    },
    { type: 'RBAC', name: 'rbac' },
  ]);
});

test('all errors together, with line and field', () => {
  const { errors } = read(`authorizers:
- {type: RBAC, name: a, webhook: {}}
- {type: RBAC, name: a}
- {type: Magic, name: B_}
- {}
- type: Webhook
  name: hook
  webhook:
    timeout: 31s
    authorizedTTL: -1s
    subjectAccessReviewVersion: v2
    failurePolicy: Allow
    connectionInfo: {type: InClusterConfig}
    matchConditions:
    - {expression: request.user}
    - {expression: request.nothing == 'x'}
    - {expression: request.user}
- type: Webhook
  name: other
  webhook: {connectionInfo: {type: KubeConfigFile, kubeConfigFile: x.yaml}}
`);
  for (const part of [
    'line 4: authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    'line 5: authorizers[1].type: Duplicate value: "RBAC"',
    'authorizers[1].name: Duplicate value: "a"',
    'authorizers[2].type: Unsupported value: "Magic"',
    'authorizers[2].name: Invalid value: "B_"',
    'authorizers[3].type: Required value',
    'authorizers[3].name: Required value',
    'line 11: authorizers[4].webhook.timeout: Invalid value: "31s": must be > 0s and <= 30s',
    'authorizers[4].webhook.authorizedTTL: Invalid value: "-1s": must be > 0s',
    'authorizers[4].webhook.subjectAccessReviewVersion: Unsupported value: "v2"',
    'authorizers[4].webhook.failurePolicy: Unsupported value: "Allow"',
    'authorizers[4].webhook.connectionInfo.type: Forbidden: InClusterConfig',
    'authorizers[4].webhook.matchConditionSubjectAccessReviewVersion: Required value',
    'authorizers[4].webhook.matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool',
    'authorizers[4].webhook.matchConditions[1].expression: Invalid value: "request.nothing == \'x\'": compilation failed',
    'authorizers[4].webhook.matchConditions[2].expression: Duplicate value',
    'authorizers[5].webhook.timeout: Required value',
    'authorizers[5].webhook.subjectAccessReviewVersion: Required value',
    'authorizers[5].webhook.failurePolicy: Required value',
    'authorizers[5].webhook.connectionInfo.kubeConfigFile: Invalid value: "x.yaml": must be an absolute path',
  ])
    expect(errors.join('\n')).toContain(part);
});

test('what a release does not know, and an empty list, are refused', () => {
  expect(read('authorizers: []\n').errors.join()).toContain('authorizers: Required value');
  expect(read('authorizers: [{type: RBAC, name: a}]\n', 31).errors.join()).toContain(
    'apiVersion must be one of',
  );
  const none = 'the emulated release knows no AuthorizationConfiguration; choose a later --emulated-release';
  expect(read('authorizers: [{type: RBAC, name: a}]\n', 21).errors.join()).toContain(none);
  const switched = `authorizers:\n- type: Webhook\n  name: a\n  webhook:${webhook}    cacheAuthorizedRequests: true\n`;
  expect(read(switched, 33).errors.join()).toContain('unknown field "cacheAuthorizedRequests"');
  expect(read(switched).errors).toEqual([]);
});
