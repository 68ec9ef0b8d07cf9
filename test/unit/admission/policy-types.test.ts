/** The type check of policies: which kinds are looked at, and what is said of expressions. */
import { createTypeChecker } from '../../../src/admission/validating-policy/type-checking.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ResourceCatalogue, ServedResource } from '../../../src/registry/types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { longestTurn } from '../../support/storage.ts';

const { catalogue } = realCatalogue(namingProfiles.kubernetes);
const check = createTypeChecker(() => catalogue);

const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };

/** `field: warning` of each warning. */
async function warned(
  expression: string,
  { rules = [deployments], ...more }: { rules?: object[] } & JsonObject = {},
): Promise<string[]> {
  const matchConstraints = { resourceRules: rules };
  const found = await check({ matchConstraints, validations: [{ expression }], ...more });
  return found.map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`);
}

test('a mistake is told with the kind and the place', async () => {
  expect(await warned('object.replicas > 1')).toEqual([
    "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
  ]);
});

test.each([
  'object.spec.replicas > 1',
  "object.metadata.labels['a'] == 'b' && has(object.metadata.creationTimestamp)",
  "object.spec.template.spec.containers.all(c, c.image.startsWith('x') && c.resources.limits['cpu'] != null)",
  "object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == '1%'",
  'oldObject == null || object.spec.?replicas.orValue(1) >= oldObject.spec.replicas',
  "request.operation == 'CREATE' && namespaceObject.metadata.name == 'x'",
  "authorizer.requestResource.check('get').allowed()",
  "object.metadata.managedFields.all(m, m.manager != '')",
])('no mistake: %s', async (expression) => {
  expect(await warned(expression)).toEqual([]);
});

test.each([
  ["object.spec.replicas == 'x'", "found no matching overload for '_==_' applied to '(int, string)'"],
  [
    'object.spec.selector.matchLabels.app == 1',
    "found no matching overload for '_==_' applied to '(string, int)'",
  ],
  [
    'oldObject.metadata.labels.size() > "x"',
    "found no matching overload for '_>_' applied to '(int, string)'",
  ],
  ['object.__proto__ == 1', "undefined field '__proto__'"],
])('a mistake: %s', async (expression, problem) => {
  const [warning = ''] = await warned(expression);
  expect(warning).toContain(problem);
});

test('kinds of all rules in order, one paragraph each; wildcards and subresources name none', async () => {
  const rules = [
    {
      apiGroups: ['batch', 'apps'],
      apiVersions: ['v1'],
      resources: ['jobs', 'deployments', 'nothing', 'jobs/status'],
    },
    { apiGroups: ['*'], apiVersions: ['v1'], resources: ['pods'] },
    { apiGroups: [''], apiVersions: ['*'], resources: ['pods'] },
    { apiGroups: [''], apiVersions: ['v1'], resources: ['*', 'pods/log'] },
  ];
  const [text = ''] = await warned('object.nope', { rules });
  expect(text.match(/\S+, Kind=\w+/g)).toEqual(['apps/v1, Kind=Deployment', 'batch/v1, Kind=Job']);
  expect(text).toContain('^\n\nbatch/v1');
  expect(await warned('object.nope', { rules: rules.slice(1) })).toEqual([]);
});

test('at most ten kinds of a rule', async () => {
  const resources = [
    ...['pods', 'services', 'configmaps', 'secrets', 'nodes', 'namespaces', 'endpoints', 'events'],
    ...['limitranges', 'resourcequotas', 'serviceaccounts', 'podtemplates', 'persistentvolumes'],
  ];
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources }];
  const [text = ''] = await warned('object.nope', { rules });
  expect(text.match(/Kind=/g)).toHaveLength(10);
});

test('variables have the type of their expressions, parameters that of their kind', async () => {
  const variables = [{ name: 'count', expression: 'object.spec.replicas' }];
  expect(await warned('variables.count > 1', { variables })).toEqual([]);
  const [wrong = ''] = await warned("variables.count > 'a'", { variables });
  expect(wrong).toContain("'(int, string)'");
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  expect(await warned("params.data['a'] == 'x'", { paramKind })).toEqual([]);
  const [parameter = ''] = await warned('params.data.a == 1', { paramKind });
  expect(parameter).toContain("'(string, int)'");
  expect(await warned('params.any == 1', { paramKind: { apiVersion: 'x.example/v1', kind: 'X' } })).toEqual(
    [],
  );
});

test('messages are checked, too', async () => {
  const validations = [{ expression: 'true' }, { expression: 'true', messageExpression: 'object.nope' }];
  const found = await check({ matchConstraints: { resourceRules: [deployments] }, validations });
  expect(found.map(({ fieldRef }) => fieldRef)).toEqual(['spec.validations[1].messageExpression']);
});

test('very many mistakes are cut, and hold the thread for moments', async () => {
  const validations = Array.from({ length: 3_000 }, () => ({ expression: 'object.nope > 1' }));
  const resourceRules = [{ ...deployments, resources: ['deployments', 'statefulsets', 'daemonsets'] }];
  const checking = check({ matchConstraints: { resourceRules }, validations });
  const longest = await longestTurn(checking);
  const found = await checking;
  expect(JSON.stringify(found).length).toBeLessThan(200_000);
  expect(found.length).toBeGreaterThan(100);
  expect(longest).toBeLessThan(100);
});

test('schemas are prepared before they are read, and of a thousand million combinations few are looked up', async () => {
  const names = Array.from({ length: 1_100 }, (_, i) => `n${String(i)}`);
  let looks = 0;
  let isPrepared = false;
  const pods = catalogue.resource('', 'v1', 'pods');
  if (!pods) throw new Error('there are no pods');
  const large: ServedResource = {
    ...pods,
    prepare: () => Promise.resolve().then(() => void (isPrepared = true)),
    get schema() {
      if (!isPrepared) throw new Error('the schema is read in one step');
      return pods.schema;
    },
  };
  const served = {
    resource: (group: string) => {
      looks += 1;
      return group === 'n0' && looks === 1 ? large : undefined;
    },
    kind: () => large,
  } as unknown as ResourceCatalogue;
  const rule = { apiGroups: names, apiVersions: names, resources: names };
  const checking = createTypeChecker(() => served);
  const found = await checking({
    ...{ matchConstraints: { resourceRules: [rule, rule] }, validations: [{ expression: 'object.nope' }] },
    paramKind: { apiVersion: 'v1', kind: 'Any' },
  });
  expect(found).toHaveLength(1);
  expect(looks).toBeLessThan(200_000);
});
