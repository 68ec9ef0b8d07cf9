/** ValidatingAdmissionPolicy over HTTPS: a policy that one replica takes counts at the other. */
import type { ApiClient } from '../../support/client.ts';
import { startPair, type Pair } from '../../support/custom-resources.ts';
import { configMapRule, ServedPolicies } from '../../support/served-policies.ts';
import { waitFor } from '../../support/wait-for.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

let pair: Pair;
let one: ApiClient;
let two: ApiClient;
let served: ServedPolicies;

beforeAll(async () => {
  pair = await startPair(['--emulated-release=1.36']);
  one = pair.one.admin;
  two = pair.two.admin;
  served = new ServedPolicies('validating', [one, two]);
}, 60_000);
afterAll(() => pair[Symbol.asyncDispose]());

function write(name: string, spec: object, binding: object): Promise<void> {
  return served.write(name, spec, { validationActions: ['Deny'], ...binding });
}

test('a policy counts at every replica, until it is gone', async () => {
  const validations = [{ expression: "object.data.size != 'large'", message: 'it is too large' }];
  await write('sizes', { validations }, {});
  for (const [index, client] of [one, two].entries()) {
    const refused = await client.post(configMaps, { metadata: { name: 'a' }, data: { size: 'large' } });
    expect(refused.status).toBe(422);
    expect(refused.json()).toMatchObject({
      reason: 'Invalid',
      message:
        "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'sizes' with binding 'sizes-b' denied request: it is too large",
      details: {
        name: 'a',
        kind: 'configmaps',
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'sizes' with binding 'sizes-b' denied request: it is too large",
          },
        ],
      },
    });
    await client.ok('POST', configMaps, {
      metadata: { name: `small-${String(index)}` },
      data: { size: 'small' },
    });
  }
  await served.remove('sizes');
  for (const [index, client] of [one, two].entries())
    await client.ok('POST', configMaps, {
      metadata: { name: `large-${String(index)}` },
      data: { size: 'large' },
    });
});

test('parameters of a megabyte, chosen by their labels, are read from the watch cache', async () => {
  const labels = { limits: 'yes' };
  const data = { max: '2', filler: 'x'.repeat(900_000) };
  await one.ok('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'limits', labels },
    data,
  });
  await write(
    'limited',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'sized', expression: 'has(object.data.count)' }],
      variables: [{ name: 'max', expression: 'int(params.data.max)' }],
      validations: [
        {
          expression: 'int(object.data.count) <= variables.max',
          messageExpression: "'at most ' + string(variables.max)",
        },
      ],
    },
    { paramRef: { selector: { matchLabels: labels }, parameterNotFoundAction: 'Deny' } },
  );
  await one.ok('POST', configMaps, { metadata: { name: 'two' }, data: { count: '2' } });
  const refused = await one.post(configMaps, { metadata: { name: 'three' }, data: { count: '3' } });
  expect(refused.text).toContain('denied request: at most 2');
  // The other replica sees a changed parameter.
  await one.patch(`${configMaps}/limits`, 'merge', { data: { max: '3' } });
  await waitFor('the parameter at the other replica', async () => {
    const { status } = await two.post(`${configMaps}?dryRun=All`, {
      metadata: { name: 'three' },
      data: { count: '3' },
    });
    return status === 201;
  });
  await served.remove('limited');
});

test('mistakes are refused with their places', async () => {
  const refused = await one.post(served.policies, {
    metadata: { name: 'broken' },
    spec: {
      matchConstraints: { resourceRules: [configMapRule] },
      matchConditions: [{ name: 'c', expression: 'variables.a' }],
      variables: [
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: '1' },
      ],
      validations: [
        { expression: 'object.a ==' },
        { expression: 'variables.b' },
        { expression: 'params.a', messageExpression: '1' },
      ],
      auditAnnotations: [{ key: 'k', valueExpression: '1' }],
    },
  });
  expect(refused.status).toBe(422);
  const { details } = refused.json() as unknown as { details: { causes: { field: string }[] } };
  expect(details.causes.map(({ field }) => field)).toEqual([
    'spec.matchConditions[0].expression',
    'spec.variables[0].expression',
    'spec.validations[0].expression',
    'spec.validations[1].expression',
    'spec.validations[2].expression',
    'spec.validations[2].messageExpression',
    'spec.auditAnnotations[0].valueExpression',
  ]);
});
