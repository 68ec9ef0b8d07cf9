/** Status of validating policies, as the leading replica writes it. */
import type { ApiObject } from '../../support/api-object.ts';
import { definitions, startPair, type Pair } from '../../support/custom-resources.ts';
import { waitFor } from '../../support/wait-for.ts';

const policies = '/apis/admissionregistration.orch.io/v1/validatingadmissionpolicies';
let pair: Pair;

beforeAll(async () => {
  pair = await startPair(['--emulated-release=1.36']);
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

interface PolicyStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: { readonly expressionWarnings?: { fieldRef: string; warning: string }[] };
}

function policy(group: string, resource: string, expression: string): object {
  const rule = { apiGroups: [group], apiVersions: ['v1'], resources: [resource], operations: ['CREATE'] };
  return { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] };
}

/** The status of this generation, once it is there. */
async function checked(name: string, generation: number): Promise<PolicyStatus> {
  let status: PolicyStatus = {};
  await waitFor(
    `the type check of ${name}`,
    async () => {
      const object: ApiObject = await pair.two.admin.ok('GET', `${policies}/${name}`);
      status = object['status'] ?? {};
      return status.observedGeneration === generation;
    },
    { timeout: 30_000, details: () => JSON.stringify(status) },
  );
  return status;
}

test('of a built-in kind: a warning, which goes when the policy is mended', async () => {
  const { admin } = pair.one;
  const spec = policy('apps', 'deployments', 'object.replicas > 1');
  await admin.ok('POST', policies, { metadata: { name: 'built-in' }, spec });
  const { typeChecking } = await checked('built-in', 1);
  expect(typeChecking?.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
    },
  ]);
  const path = `${policies}/built-in`;
  const mended = { spec: policy('apps', 'deployments', 'object.spec.replicas > 1') };
  const answer = await admin.request('PATCH', path, mended, {
    'content-type': 'application/merge-patch+json',
  });
  expect(answer.status).toBe(200);
  expect(await checked('built-in', 2)).toEqual({ observedGeneration: 2, typeChecking: {} });
});

test('of a custom resource, by its schema', async () => {
  const { admin } = pair.one;
  const spec = { type: 'object', properties: { size: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  await admin.ok('POST', definitions, {
    metadata: { name: 'gadgets.example.com' },
    spec: {
      ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'gadgets', kind: 'Gadget' } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  for (const replica of [pair.one, pair.two])
    await waitFor('gadgets are served', async () => {
      const { status } = await replica.admin.get('/apis/example.com/v1/gadgets');
      return status === 200;
    });
  const right = "object.spec.size > 1 && object.metadata.labels['a'] == 'b'";
  await admin.ok('POST', policies, {
    metadata: { name: 'right' },
    spec: policy('example.com', 'gadgets', right),
  });
  expect(await checked('right', 1)).toEqual({ observedGeneration: 1, typeChecking: {} });
  const wrong = policy('example.com', 'gadgets', "object.spec.size > 'a'");
  await admin.ok('POST', policies, { metadata: { name: 'wrong' }, spec: wrong });
  const { typeChecking } = await checked('wrong', 1);
  const [warning] = typeChecking?.expressionWarnings ?? [];
  expect(warning?.warning).toContain(
    'example.com/v1, Kind=Gadget: ERROR: <input>:1:18: found no matching overload',
  );
});
