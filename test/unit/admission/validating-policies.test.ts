/** ValidatingAdmissionPolicy: what policies say of a write, by their fields and those of their bindings. */
import type { JsonObject } from '../../../src/base/json.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { attributesOf, type Write } from '../../support/admission.ts';
import { cpuBudget, cpuMsOf, leastOfThree } from '../../support/cpu-time.ts';
import { longestTurn } from '../../support/storage.ts';
import { judgedBy, put, putBinding } from '../../support/admission-policies.ts';

const write: Write = { resource: 'configmaps', object: { data: { size: '3' } } };
const objects = {
  'core/namespaces/web': { metadata: { name: 'web', labels: { tier: 'gold' } } },
  'core/configmaps/web/limits': { metadata: { name: 'limits' }, data: { max: '2' } },
};

/** '' for a write that passes, otherwise the code and what was denied. */
async function outcome(
  policy: JsonObject,
  binding: JsonObject = {},
  more: Partial<Write> = {},
): Promise<string> {
  const { plugin, index } = judgedBy(objects);
  put(index, policy, binding);
  try {
    await plugin.validate?.(attributesOf({ ...write, ...more }));
    return '';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${String(error.code)} ${error.message.replace(/^.*denied request: /, '')}`;
  }
}

const rule = (expression: string, more: JsonObject = {}): JsonObject => ({
  validations: [{ expression, ...more }],
});
const small = 'int(object.data.size) < 3';

test.each<[string, JsonObject, string]>([
  ['holds', rule("object.data.size == '3'"), ''],
  ['does not hold', rule(small), `422 failed expression: ${small}`],
  ['has a message', rule(small, { message: ' too large ' }), '422 too large'],
  [
    'has an expression for its message',
    rule(small, { message: 'no', messageExpression: "'size ' + object.data.size" }),
    '422 size 3',
  ],
  ['has a message of two lines', rule(small, { message: 'no', messageExpression: "'a\\nb'" }), '422 no'],
  [
    'has a message without a value',
    rule(small, { message: 'no', messageExpression: 'object.none' }),
    '422 no',
  ],
  ['has a reason', rule(small, { reason: 'Forbidden' }), `403 failed expression: ${small}`],
  [
    'has no value',
    rule('object.none == 1'),
    "422 expression 'object.none == 1' resulted in error: no such key: none",
  ],
  ['has no value, which is ignored', { ...rule('object.none == 1'), failurePolicy: 'Ignore' }, ''],
  [
    'fails although errors are ignored',
    { ...rule('false'), failurePolicy: 'Ignore' },
    '422 failed expression: false',
  ],
  ['meets no condition', { ...rule('false'), matchConditions: [{ name: 'c', expression: 'false' }] }, ''],
  [
    'has a condition without a value',
    { ...rule('true'), matchConditions: [{ name: 'c', expression: 'object.none' }] },
    "422 expression 'object.none' resulted in error: no such key: none",
  ],
  [
    'uses variables',
    {
      ...rule('variables.twice < 6 && variables.unused == 1 || variables.twice > 6'),
      variables: [
        { name: 'size', expression: 'int(object.data.size)' },
        { name: 'twice', expression: 'variables.size * 2' },
        { name: 'unused', expression: 'object.none' },
      ],
    },
    '422 failed expression: variables.twice < 6 && variables.unused == 1 || variables.twice > 6',
  ],
  [
    'uses a variable without a value',
    { ...rule('variables.a == 1'), variables: [{ name: 'a', expression: 'object.none' }] },
    `422 expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: none`,
  ],
  ['knows the namespace', rule("namespaceObject.metadata.labels.tier == 'gold'"), ''],
  ['knows the request', rule("request.userInfo.username == 'somebody' && request.operation == 'CREATE'"), ''],
])('a policy whose validation %s', async (_what, policy, result) => {
  expect(await outcome(policy)).toBe(result);
});

const ofParams: JsonObject = {
  ...rule('int(object.data.size) <= int(params.data.max)', { message: 'above the limit' }),
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
};

test.each<[string, JsonObject, JsonObject, string]>([
  [
    'found',
    ofParams,
    { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    '422 above the limit',
  ],
  [
    'in another namespace',
    ofParams,
    { paramRef: { name: 'limits', namespace: 'web', parameterNotFoundAction: 'Deny' } },
    '422 above the limit',
  ],
  [
    'missing',
    ofParams,
    { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    '422 failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
  ],
  ['missing and allowed', ofParams, { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } }, ''],
  [
    'missing and ignored',
    { ...ofParams, failurePolicy: 'Ignore' },
    { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    '',
  ],
  [
    'of an unknown kind',
    { ...ofParams, paramKind: { apiVersion: 'none/v1', kind: 'None' } },
    { paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } },
    "422 failed to configure binding: failed to find resource referenced by paramKind: 'none/v1, Kind=None'",
  ],
  [
    'of the cluster, with a namespace',
    { ...ofParams, paramKind: { apiVersion: 'v1', kind: 'Namespace' } },
    { paramRef: { name: 'a', namespace: 'b', parameterNotFoundAction: 'Deny' } },
    '422 failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
  ],
])('parameters that are %s', async (_what, policy, binding, result) => {
  expect(await outcome(policy, binding)).toBe(result);
});

test('parameters of many policies are read once where they are the same, and for those that have others', async () => {
  let reads = 0;
  const params = (name: string, max: string): object => ({
    metadata: { name },
    get data() {
      reads += 1;
      return { max };
    },
  });
  const { plugin, index } = judgedBy({
    'core/configmaps/web/wide': params('wide', '9'),
    'core/configmaps/web/limits': params('limits', '2'),
  });
  const bindTo = (name: string): JsonObject => ({
    paramRef: { name, parameterNotFoundAction: 'Deny' },
  });
  for (let i = 0; i < 5; i += 1) put(index, ofParams, bindTo('wide'), `policy-${i}`);
  await plugin.validate?.(attributesOf(write));
  expect(reads).toBe(1);
  put(index, ofParams, bindTo('limits'), 'policy-9');
  await expect(plugin.validate?.(attributesOf(write))).rejects.toThrow("'policy-9'");
  expect(reads).toBe(3);
});

const configMapRule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

test.each<[string, JsonObject, JsonObject, Partial<Write>, string]>([
  ['another resource', rule('false'), {}, { resource: 'secrets' }, ''],
  [
    'what is excluded',
    {
      ...rule('false'),
      matchConstraints: { resourceRules: [configMapRule], excludeResourceRules: [configMapRule] },
    },
    {},
    {},
    '',
  ],
  [
    'another name',
    { ...rule('false'), matchConstraints: { resourceRules: [{ ...configMapRule, resourceNames: ['a'] }] } },
    {},
    {},
    '',
  ],
  [
    'another namespace',
    rule('false'),
    { matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } },
    {},
    '',
  ],
  [
    'the namespace of the binding',
    rule('false'),
    { matchResources: { namespaceSelector: { matchLabels: { tier: 'gold' } } } },
    {},
    '422 failed expression: false',
  ],
  ['a policy without binding', rule('false'), { policyName: 'other' }, {}, ''],
  [
    'a policy itself',
    {
      ...rule('false'),
      matchConstraints: { resourceRules: [{ ...configMapRule, apiGroups: ['*'], resources: ['*'] }] },
    },
    {},
    { resource: 'admissionregistration.orch.io/v1/validatingwebhookconfigurations' },
    '',
  ],
])('writes of %s', async (...[, policy, binding, more, result]) => {
  expect(await outcome(policy, binding, more)).toBe(result);
});

test('warnings and annotations instead of a refusal, and what is counted', async () => {
  const { plugin, index, metrics } = judgedBy(objects);
  const auditAnnotations = [
    { key: 'size', valueExpression: "'it is ' + object.data.size" },
    { key: 'none', valueExpression: 'null' },
  ];
  put(
    index,
    { ...rule(small, { message: 'large' }), auditAnnotations },
    { validationActions: ['Warn', 'Audit'] },
  );
  const attributes = attributesOf(write);
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const scope = {
    ...attributes.scope,
    warn: (text: string) => warnings.push(text),
    annotate: (key: string, value: string) => {
      annotations[key] = value;
    },
  };
  await plugin.validate?.({ ...attributes, scope });
  expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b': large"]);
  expect(Object.keys(annotations).sort()).toEqual([
    'p/size',
    'validation.policy.admission.orch.io/validation_failure',
  ]);
  expect(annotations['p/size']).toBe('it is 3');
  expect(JSON.parse(annotations['validation.policy.admission.orch.io/validation_failure'] ?? '')).toEqual([
    ...[
      {
        message: 'large',
        policy: 'p',
        binding: 'p-b',
        expressionIndex: 0,
        validationActions: ['Warn', 'Audit'],
      },
    ],
  ]);
  expect(await metrics.text()).toContain(
    'apiserver_validating_admission_policy_check_total{policy="p",policy_binding="p-b",error_type="no_error",enforcement_action="warn"} 1',
  );
});

const list = `[${'1,'.repeat(99)}1]`;
const long = `${list}.all(a, ${list}.all(b, a + b > 0))`;

test('an expression is cut with the variables that it uses', async () => {
  const variables = Array.from({ length: 20 }, (_, i) => ({
    name: `v${String(i)}`,
    expression: i === 0 ? long : `variables.v${String(i - 1)} && ${long}`,
  }));
  expect(await outcome({ ...rule('variables.v19'), variables })).toMatch(
    /operation cancelled: .* more than 10 ms$/,
  );
});

test('two hundred variables, each of which uses the one before, have a value', async () => {
  const variables = Array.from({ length: 200 }, (_, i) => ({
    name: `v${String(i)}`,
    expression: i === 0 ? '1' : `variables.v${String(i - 1)} + 1`,
  }));
  expect(await outcome({ ...rule('variables.v199 == 200'), variables })).toBe('');
});

test('ten thousand policies about other resources cost a write nothing', async () => {
  const { plugin, index } = judgedBy(objects);
  for (let i = 0; i < 10_000; i += 1)
    put(
      index,
      { matchConstraints: { resourceRules: [{ ...configMapRule, resources: [`r${String(i)}`] }] } },
      {},
      `p${String(i)}`,
    );
  const attributes = attributesOf(write);
  const rounds = 1_000;
  const each = await leastOfThree(() => {
    const took = cpuMsOf(() => {
      for (let i = 0; i < rounds; i += 1) expect(plugin.validate?.(attributes)).toBeUndefined();
    });
    return Promise.resolve(took);
  });
  expect(each / rounds).toBeLessThan(cpuBudget(0.05));
});

test('ten thousand policies about a write hold no turn', async () => {
  const measure = async (): Promise<number> => {
    const { plugin, index } = judgedBy(objects);
    for (let i = 0; i < 10_000; i += 1) put(index, rule("object.data.size == '3'"), {}, `p${String(i)}`);
    return longestTurn(laterTurn().then(() => plugin.validate?.(attributesOf(write))));
  };
  expect(await leastOfThree(measure)).toBeLessThan(cpuBudget(30));
}, 60_000);

test('forty thousand bindings of a policy hold no turn, and those that do not match cost little', async () => {
  const { plugin, index } = judgedBy(objects);
  put(index, rule("object.data.size == '3'"));
  const elsewhere = { resourceRules: [{ ...configMapRule, resources: ['secrets'] }] };
  for (let i = 0; i < 40_000; i += 1) putBinding(index, `b${String(i)}`, { matchResources: elsewhere });
  const attributes = attributesOf(write);
  await plugin.validate?.(attributes);
  const judged = laterTurn().then(() => plugin.validate?.(attributes));
  expect(await longestTurn(judged)).toBeLessThan(cpuBudget(20));
}, 60_000);

test('a write that ten rules judge costs less than 100 microseconds more', async () => {
  const { plugin, index } = judgedBy(objects);
  put(index, {
    validations: [
      "object.data.size == '3'",
      'has(object.data.size)',
      "object.metadata.name.startsWith('i')",
      "request.operation in ['CREATE', 'UPDATE']",
      'size(object.data) < 10',
      "object.data.all(k, k.matches('^[a-z]+$'))",
      "!has(object.metadata.labels) || object.metadata.labels.all(k, k != 'forbidden')",
      "namespaceObject.metadata.labels.tier == 'gold'",
      "request.userInfo.username != 'nobody'",
      'int(object.data.size) < 100',
    ].map((expression) => ({ expression })),
  });
  const attributes = attributesOf(write);
  const judge = async (rounds: number): Promise<void> => {
    for (let i = 0; i < rounds; i += 1) await plugin.validate?.(attributes);
  };
  await judge(3_000);
  const before = process.threadCpuUsage();
  const rounds = 2_000;
  await judge(rounds);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000 / rounds).toBeLessThan(cpuBudget(0.1));
});

test.each(['at once', 'later', 'never'])(
  'an authorizer that answers %s is asked once for each question',
  async (when) => {
    const asked: unknown[] = [];
    const { plugin, index } = judgedBy(objects, {
      decide: (user, question) => {
        asked.push([user.name, question]);
        if (when === 'never') return Promise.reject(new Error('it is away'));
        const answer = { isAllowed: 'path' in question && question.path === '/a', reason: '' };
        return when === 'later' ? Promise.resolve(answer) : answer;
      },
    });
    const a = "authorizer.path('/a').check('get')";
    put(index, {
      matchConditions: [{ name: 'c', expression: `${a}.allowed() || ${a}.error() == 'it is away'` }],
      variables: [{ name: 'may', expression: `${a}.allowed()` }],
      validations: [
        { expression: `variables.may || ${a}.errored()` },
        { expression: "!authorizer.serviceAccount('web', 'robot').path('/b').check('get').allowed()" },
      ],
    });
    await plugin.validate?.(attributesOf(write));
    expect(asked).toEqual([
      ['somebody', { path: '/a', verb: 'get' }],
      [
        'system:serviceaccount:web:robot',
        { account: { namespace: 'web', name: 'robot' }, path: '/b', verb: 'get' },
      ],
    ]);
  },
);

test('metrics say why an expression has no value', async () => {
  const { plugin, index, metrics } = judgedBy(objects);
  const check = "authorizer.path('/a').check('get').errored()";
  const failing: Readonly<Record<string, readonly string[]>> = {
    invalid_error: ['object.none'],
    compile_error: ['none'],
    // Two checks for each, of which the budget of a policy has room for 28.
    out_of_budget: Array.from({ length: 15 }, () => `${check} == ${check}`),
  };
  for (const [name, expressions] of Object.entries(failing)) {
    const validations = expressions.map((expression) => ({ expression }));
    put(index, { validations, failurePolicy: 'Ignore' }, {}, name);
  }
  await plugin.validate?.(attributesOf(write));
  const text = await metrics.text();
  for (const name of Object.keys(failing))
    expect(text).toContain(
      `check_total{policy="${name}",policy_binding="${name}-b",error_type="${name}",enforcement_action="allow"} 1`,
    );
});
