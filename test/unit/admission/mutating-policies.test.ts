/** MutatingAdmissionPolicy: what policies make of a write. */
import type { AdmissionPlugin } from '../../../src/admission/admission-chain.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { attributesOf, type Write } from '../../support/admission.ts';
import { mutatedBy, put } from '../../support/admission-policies.ts';
import { admitted, apply, objects, outcome, patch, podRule, write } from '../../support/mutations.ts';

const refused = (problem: string): string => `403 policy 'p' with binding 'p-b' denied request: ${problem}`;

test.each<[string, JsonObject[], JsonObject]>([
  ['sets a member', [apply("Object{data: {'a': 'b'}}")], { data: { size: '3', a: 'b' } }],
  [
    'sets what depends on the object',
    [apply("Object{data: {'twice': string(int(object.data.size) * 2)}}")],
    { data: { size: '3', twice: '6' } },
  ],
  [
    'sets metadata by typed objects',
    [apply("Object{metadata: Object.metadata{labels: {'tier': namespaceObject.metadata.labels.tier}}}")],
    { metadata: { name: 'it', namespace: 'web', labels: { tier: 'gold' } } },
  ],
  [
    'sets an optional field only where it has a value',
    [apply("Object{?immutable: optional.none(), data: {?'a': optional.of('b')}}")],
    { data: { size: '3', a: 'b' } },
  ],
  ['sets nothing', [apply('Object{}')], { data: { size: '3' } }],
  [
    'patches',
    [patch("[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a/b~c'), value: 'd'}]")],
    { data: { size: '3', 'a/b~c': 'd' } },
  ],
  [
    'patches with an object as value',
    [
      patch(
        "[JSONPatch{op: 'add', path: '/metadata', value: Object.metadata{name: 'it', namespace: 'web', labels: {'a': 'b'}}}]",
      ),
    ],
    { metadata: { name: 'it', namespace: 'web', labels: { a: 'b' } } },
  ],
  [
    'patches nothing where a test fails',
    [
      patch(
        "[JSONPatch{op: 'add', path: '/data/x', value: '1'}, JSONPatch{op: 'test', path: '/data/size', value: '4'}]",
      ),
    ],
    { data: { size: '3' } },
  ],
  [
    'moves and removes',
    [
      patch(
        "[JSONPatch{op: 'copy', from: '/data/size', path: '/data/a'}, JSONPatch{op: 'move', from: '/data/a', path: '/data/b'}, JSONPatch{op: 'remove', path: '/data/size'}]",
      ),
    ],
    { data: { b: '3' } },
  ],
  [
    'sees what the one before made',
    [apply("Object{data: {'a': 'b'}}"), apply("Object{data: {'c': object.data.a + '!'}}")],
    { data: { size: '3', a: 'b', c: 'b!' } },
  ],
])('a policy that %s', async (_what, mutations, result) => {
  expect(await outcome(mutations)).toMatchObject(result);
  expect(await outcome(mutations)).toEqual(
    expect.objectContaining('data' in result ? { data: result['data'] } : { metadata: result['metadata'] }),
  );
});

test('items of keyed lists are merged by their keys, and defaults follow', async () => {
  const containers = [
    { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: 'b:1' },
  ];
  const expression = `Object{spec: Object.spec{containers: object.spec.containers.map(c,
    Object.spec.containers{name: c.name, env: [Object.spec.containers.env{name: 'MESH', value: 'on'}]}) +
    [Object.spec.containers{name: 'proxy', image: 'proxy:1', ports: [Object.spec.containers.ports{containerPort: 80}]}]}}`;
  const result = await outcome([apply(expression)], podRule, {
    resource: 'pods',
    object: { spec: { containers } },
  });
  expect(result).toMatchObject({
    spec: {
      containers: [
        {
          name: 'a',
          image: 'a:1',
          env: [
            { name: 'X', value: '1' },
            { name: 'MESH', value: 'on' },
          ],
        },
        { name: 'b', image: 'b:1', env: [{ name: 'MESH', value: 'on' }] },
        {
          name: 'proxy',
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePath: '/dev/termination-log',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
        },
      ],
    },
  });
});

test.each<[string, JsonObject, string]>([
  [
    'names an unknown field',
    apply('Object{spec: Object.spec{a: 1}}'),
    'error applying patch: failed to convert patch object to typed object: .spec.a: field not declared in schema',
  ],
  [
    'has a value of a wrong type',
    apply("Object{spec: Object.spec{hostNetwork: 'yes'}}"),
    'error applying patch: failed to convert patch object to typed object: spec.hostNetwork: expected boolean, got string "yes"',
  ],
  [
    'sets an atomic list',
    apply("Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'a'}]}}"),
    'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tolerations',
  ],
  [
    'sets an atomic list, and one of an item',
    apply(
      "Object{spec: Object.spec{tolerations: [], containers: [Object.spec.containers{name: 'a', command: ['a']}]}}",
    ),
    'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tolerations, .spec.containers[0].command',
  ],
  [
    'names an item twice',
    apply(
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a'}, Object.spec.containers{name: 'a'}]}}",
    ),
    'error applying patch: failed to convert patch object to typed object: two items of a list have the same key {"name":"a"}',
  ],
  [
    'has an object of another place',
    apply('Object{spec: Object.spec{securityContext: Object.spec.other{runAsUser: 1}}}'),
    'type mismatch: unexpected type name "Object.spec.other", expected "Object.spec.securityContext", which matches field name path from root Object type',
  ],
  [
    'has no value',
    apply("Object{spec: Object.spec{hostname: object.metadata.labels['none']}}"),
    `expression 'Object{spec: Object.spec{hostname: object.metadata.labels['none']}}' resulted in error: no such key: labels`,
  ],
  [
    'patches what is not there',
    patch("[JSONPatch{op: 'remove', path: '/spec/none'}]"),
    'JSON Patch: operation 0 (remove): nothing exists at "/spec/none"',
  ],
  [
    'is no patch',
    patch("[JSONPatch{op: 'none', path: '/spec/none'}]"),
    'JSON Patch: operation 0: op must be one of add, remove, replace, move, copy, test',
  ],
  [
    'leaves another kind',
    patch("[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]"),
    'the patch leaves no Pod of v1',
  ],
])('a policy about pods that %s is refused', async (_what, mutation, problem) => {
  const pod = { resource: 'pods', object: { spec: { containers: [{ name: 'a', image: 'a' }] } } };
  expect(await outcome([mutation], podRule, pod)).toBe(refused(problem));
  // With Ignore the write goes on as it came.
  expect(await outcome([mutation], { ...podRule, failurePolicy: 'Ignore' }, pod)).toMatchObject(pod.object);
});

test('a patch with a field that the kind does not have is an internal error whatever the failure policy', async () => {
  const mutation = patch("[JSONPatch{op: 'add', path: '/none', value: 1}]");
  expect(await outcome([mutation], { failurePolicy: 'Ignore' })).toBe(
    '500 Internal error occurred: strict decoding error: unknown field "none"',
  );
});

test('neither the namespace nor field ownership can be changed', async () => {
  expect(await outcome([apply("Object{metadata: Object.metadata{namespace: 'other'}}")])).toMatch(
    /^400 the namespace of the provided object/,
  );
  const made = await outcome(
    [patch("[JSONPatch{op: 'add', path: '/metadata/managedFields', value: [{'manager': 'me'}]}]")],
    {},
  );
  expect(made).toMatchObject({ metadata: { name: 'it' } });
  expect((made as { metadata: object }).metadata).not.toHaveProperty('managedFields');
});

const setA = apply("Object{data: {'a': 'b'}}");

test.each<[string, JsonObject, Partial<Write> & { binding?: JsonObject }, boolean]>([
  ['another resource', {}, { resource: 'secrets' }, false],
  ['a condition that is false', { matchConditions: [{ name: 'c', expression: 'false' }] }, {}, false],
  [
    'a condition about the namespace',
    { matchConditions: [{ name: 'c', expression: "namespaceObject.metadata.labels.tier == 'gold'" }] },
    {},
    true,
  ],
  [
    'a binding for other namespaces',
    {},
    { binding: { matchResources: { namespaceSelector: { matchLabels: { tier: 'tin' } } } } },
    false,
  ],
  ['a binding of another policy', {}, { binding: { policyName: 'q' } }, false],
])('a write that meets %s', async (_what, policy, more, isChanged) => {
  const result = await outcome([setA], policy, more);
  expect(JSON.stringify(result).includes('"a":"b"')).toBe(isChanged);
});

test('configurations of admission and reviews are changed by no policy', async () => {
  const everything = {
    matchConstraints: {
      resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
    },
  };
  const label = apply("Object{metadata: Object.metadata{labels: {'a': 'b'}}}");
  for (const resource of [
    'admissionregistration.orch.io/v1/mutatingwebhookconfigurations',
    'admissionregistration.orch.io/v1/validatingwebhookconfigurations',
    'authorization.orch.io/v1/subjectaccessreviews',
    'authentication.orch.io/v1/tokenreviews',
  ])
    expect(await outcome([label], everything, { resource, object: {} })).not.toHaveProperty(
      'metadata.labels',
    );
  expect(await outcome([label], everything)).toHaveProperty('metadata.labels', { a: 'b' });
});

test('parameters, and the refusal where there are none', async () => {
  const policy = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
  const mutation = apply("Object{data: {'max': params.data.max}}");
  const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
  expect(await outcome([mutation], policy, { binding: { paramRef } })).toHaveProperty('data.max', '2');
  const none = { paramRef: { ...paramRef, name: 'none' } };
  expect(await outcome([mutation], policy, { binding: none })).toBe(
    refused(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ),
  );
});

test('variables see what the mutation before made', async () => {
  const variables = [{ name: 'count', expression: 'size(object.data)' }];
  const mutation = (key: string): JsonObject => apply(`Object{data: {'${key}': string(variables.count)}}`);
  expect(await outcome([mutation('a'), mutation('b')], { variables })).toMatchObject({
    data: { size: '3', a: '1', b: '2' },
  });
});

test('policies run by name; those with IfNeeded once more, where something behind them changed the object', async () => {
  const add = (text: string): JsonObject =>
    apply(`Object{data: {'order': (has(object.data.order) ? object.data.order : '') + '${text}'}}`);
  const mutated = mutatedBy({ objects });
  put(mutated.index, { mutations: [add('b')], reinvocationPolicy: 'Never' }, {}, 'b');
  put(mutated.index, { mutations: [add('a')], reinvocationPolicy: 'IfNeeded' }, {}, 'a');
  put(mutated.index, { mutations: [add('c')], reinvocationPolicy: 'IfNeeded' }, {}, 'c');
  // What a changes in the second phase is reason for c to run again, but not for a.
  expect(await admitted(mutated, write)).toHaveProperty('data.order', 'abcac');
  const webhook: AdmissionPlugin = {
    name: 'behind',
    admit({ object }, reinvocation) {
      const data = object?.['data'] as { order: string } | undefined;
      if (!data || reinvocation.isReinvocation) return;
      data.order += 'w';
      reinvocation.requestReinvocation();
    },
  };
  expect(await admitted(mutated, write, webhook)).toHaveProperty('data.order', 'abcwac');
});

test('all that went wrong is said, and counted', async () => {
  const mutated = mutatedBy({ objects });
  const mutations = [
    apply('Object{data: object.none}'),
    apply("Object{data: {'a': 'b'}}"),
    apply('Object{a: 1}'),
  ];
  put(mutated.index, { mutations, reinvocationPolicy: 'Never' });
  const attributes = attributesOf(write);
  const error = await mutated
    .chain()
    .admit(attributes)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StatusError);
  const { status } = error as StatusError;
  expect(status).toMatchObject({
    ...{ code: 403, reason: 'Invalid', details: { name: 'it', kind: 'configmaps' } },
    message: refused("expression 'Object{data: object.none}' resulted in error: no such key: none").slice(4),
  });
  expect((status.details as { causes: unknown[] }).causes).toHaveLength(2);
  const text = await mutated.metrics.text();
  const labels = 'policy="p",policy_binding="p-b",error_type=';
  expect(text).toContain(`apiserver_mutating_admission_policy_check_total{${labels}"invalid_error"} 2`);
  expect(text).toContain(`apiserver_mutating_admission_policy_check_total{${labels}"no_error"} 1`);
});
