/** Expressions of admission: what they may name, match conditions, budgets. */
import {
  compileTo,
  policyEnvironment,
  policyValues,
  webhookEnvironment,
  webhookValues,
} from '../../../src/cel/admission/environment.ts';
import { EvaluationBudget, matchConditionsCost } from '../../../src/cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../../src/cel/evaluation-turns.ts';
import { MatchConditions, type Matched } from '../../../src/cel/admission/match-conditions.ts';
import type { AuthorizationQuestion, Decide } from '../../../src/cel/library/authorizer.ts';
import { AwaitedAnswer } from '../../../src/cel/language/errors.ts';
import { boolType, stringType } from '../../../src/cel/language/types.ts';

const request = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  ...{ name: 'web', namespace: 'shop', operation: 'UPDATE', dryRun: false, options: { fieldManager: 'me' } },
  userInfo: { username: 'ada', groups: ['dev'], extra: { scope: ['a', 'b'] } },
};
const asked: AuthorizationQuestion[] = [];
const decide: Decide = (question) => {
  asked.push(question);
  const isAllowed = 'path' in question ? question.path === '/healthz' : question.name === 'web';
  const error = question.verb === 'break' ? 'broken' : '';
  return { isAllowed, reason: isAllowed ? 'by a rule' : '', error };
};
const input = {
  object: { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 3, 'a-b': 'c' } },
  oldObject: null,
  request,
  namespaceObject: { metadata: { name: 'shop', labels: { tier: 'gold' } }, status: { phase: 'Active' } },
  params: { max: 5 },
  authorizer: {
    decide,
    resource: { group: 'apps', resource: 'deployments', subresource: '', namespace: 'shop', name: 'web' },
  },
};

function valueOf(text: string): unknown {
  const { program, problem } = compileTo(text, policyEnvironment(36, { hasParams: true }));
  if (!program) return problem;
  return new EvaluationBudget(1_000).evaluate(program, policyValues(input, { hasParams: true }));
}

test.each([
  ['object.spec.replicas <= params.max', true],
  ["object.spec['a-b'] == 'c'", true],
  ['oldObject == null', true],
  ["request.namespace == object.metadata.namespace && request.operation == 'UPDATE'", true],
  ["request.userInfo.groups.exists(g, g == 'dev') && 'b' in request.userInfo.extra['scope']", true],
  ["request.options.fieldManager == 'me' && !request.dryRun", true],
  ['has(request.subResource)', false],
  ["namespaceObject.metadata.labels['tier'] == 'gold' && namespaceObject.status.phase == 'Active'", true],
])('%s', (text, value) => {
  expect(valueOf(text)).toBe(value);
});

test.each([
  ['request.user', /^compilation failed: ERROR: <input>:1:8: undefined field 'user'/],
  ['namespaceObject.spec.nodes', /undefined field 'nodes'/],
  ['self', /undeclared reference to 'self'/],
  ['1 +', /^compilation failed: ERROR: <input>:1:4: Syntax error/],
])('%s does not compile', (text, problem) => {
  expect(valueOf(text)).toMatch(problem);
});

test('conditions of webhooks know neither parameters nor the namespace, and the libraries of their release', () => {
  for (const text of ['params.a', 'namespaceObject.metadata.name', 'variables.a'])
    expect(compileTo(text, webhookEnvironment(36)).problem).toMatch(/undeclared reference/);
  expect(compileTo("ip('::1').family() == 6", webhookEnvironment(29)).problem).toMatch(
    /undeclared reference/,
  );
  expect(compileTo("ip('::1').family() == 6", webhookEnvironment(30)).program).toBeDefined();
});

test.each([
  ["'a'", [boolType], 'must evaluate to bool'],
  ['1', [boolType, stringType], 'must evaluate to one of bool, string'],
  ['object.a', [boolType], undefined],
  ['1', undefined, undefined],
])('%s is checked against %j', (text, results, problem) => {
  expect(compileTo(text, webhookEnvironment(36), results).problem).toBe(problem);
});

async function matched(expressions: readonly string[], cost = matchConditionsCost): Promise<Matched> {
  const texts = expressions.map((expression, index) => ({ name: `c${String(index)}`, expression }));
  return new MatchConditions(texts, webhookEnvironment(36)).match({
    values: webhookValues(input),
    budget: new EvaluationBudget(cost),
    turns: new EvaluationTurns(),
  });
}

test.each<[string[], object]>([
  [['true', 'object.spec.replicas == 3'], { matches: true }],
  [['true', 'false', 'true'], { matches: false }],
  [['object.none', 'false'], { matches: false }],
  [['object.none', 'true'], { problem: "expression 'object.none' resulted in error: no such key: none" }],
  [
    ['object.none', 'object.other == 1'],
    {
      problem:
        "[expression 'object.none' resulted in error: no such key: none, expression 'object.other == 1' resulted in error: no such key: other]",
    },
  ],
  [['object.spec'], { problem: "expression 'object.spec' resulted in error: the value is no bool" }],
])('conditions %j', async (expressions, result) => {
  expect(await matched(expressions)).toEqual(result);
});

test('conditions that no longer compile are a problem', async () => {
  expect((await matched(['nothing'])).problem).toMatch(/^compilation error: compilation failed: ERROR/);
});

const costly = '[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, a + b > 0))';

test('conditions that cost more than they may together are a problem, whatever comes behind', async () => {
  expect(await matched([costly])).toEqual({ matches: true });
  expect(await matched([costly, costly, 'false'], 900)).toEqual({
    problem: 'validation failed due to running out of cost budget, no further validation rules will be run',
  });
});

test('an expression is cut when its time is over', () => {
  let now = 0;
  const long = `[1,2,3,4,5,6,7,8,9].all(c, ${costly})`;
  const { program } = compileTo(long, webhookEnvironment(36));
  if (!program) throw new Error('it compiles');
  const budget = new EvaluationBudget(1_000_000, () => (now += 6));
  expect(() => budget.evaluate(program, webhookValues(input))).toThrow(/took more than/);
});

const pods = "authorizer.group('').resource('pods')";

test.each<[string, unknown]>([
  ["authorizer.path('/healthz').check('get').allowed()", true],
  ["authorizer.path('/metrics').check('get').allowed()", false],
  ["authorizer.requestResource.check('update').allowed()", true],
  ["authorizer.requestResource.name('other').check('update').allowed()", false],
  [`${pods}.namespace('shop').name('web').check('get').reason()`, 'by a rule'],
  [`${pods}.check('break').errored()`, true],
  [`${pods}.check('break').error()`, 'broken'],
  [`${pods}.check('get').error()`, ''],
  [`${pods}.fieldSelector('a=b').labelSelector('c=d').subresource('log').check('list').allowed()`, false],
  [
    "has(object.spec) && authorizer.serviceAccount('shop', 'robot').path('/healthz').check('get').allowed()",
    true,
  ],
])('%s', (text, value) => {
  expect(valueOfDear(text)).toBe(value);
});

function valueOfDear(text: string, minor = 36): unknown {
  const { program, problem } = compileTo(text, policyEnvironment(minor, { hasParams: true }));
  if (!program) return problem;
  const budget = new EvaluationBudget(matchConditionsCost);
  try {
    return budget.valueOf(text, program, policyValues(input, { hasParams: true }));
  } catch (error) {
    return (error as Error).message;
  }
}

test('a check says what is asked', () => {
  asked.length = 0;
  valueOfDear(
    "authorizer.serviceAccount('shop', 'robot').group('apps').resource('deployments').subresource('scale').namespace('n').name('a').check('get').allowed() || authorizer.path('/b').check('post').allowed()",
  );
  expect(asked).toEqual([
    {
      account: { namespace: 'shop', name: 'robot' },
      ...{
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'n',
        name: 'a',
        verb: 'get',
      },
    },
    { path: '/b', verb: 'post' },
  ]);
});

test.each([
  ["authorizer.path(' ').check('get').allowed()", /path must not be empty$/],
  ["authorizer.group('').resource('').check('get').allowed()", /resource must not be empty$/],
  [
    "authorizer.serviceAccount('A', 'b').path('/').check('get').allowed()",
    /Invalid service account namespace$/,
  ],
  ["authorizer.serviceAccount('a', 'b_').path('/').check('get').allowed()", /Invalid service account name$/],
  ["['a', 'b', 'c'].all(n, !authorizer.path('/' + n).check('get').allowed())", /actual cost limit exceeded$/],
  ['authorizer.check()', /found no matching overload for 'check'/],
])('%s fails', (text, problem) => {
  expect(valueOfDear(text)).toMatch(problem);
});

test('the authorizer came with release 1.27, its selectors with 1.31', () => {
  expect(valueOfDear("authorizer.path('/a').check('get').allowed()", 26)).toMatch(
    /undeclared reference to 'authorizer'/,
  );
  expect(valueOfDear("authorizer.path('/a').check('get').allowed()", 27)).toBe(false);
  const selecting = `${pods}.labelSelector('a=b').check('get').allowed()`;
  expect(valueOfDear(selecting, 30)).toMatch(/undeclared reference to 'labelSelector'/);
  expect(valueOfDear(selecting, 31)).toBe(false);
});

test('an evaluation that has to wait for answers is repeated, at the cost of one', async () => {
  const answers = new Map<string, boolean>();
  const waiting: Decide = (question) => {
    const key = JSON.stringify(question);
    const known = answers.get(key);
    if (known !== undefined) return { isAllowed: known, reason: '', error: '' };
    throw new AwaitedAnswer(Promise.resolve().then(() => answers.set(key, true)));
  };
  const text = "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed()";
  const { program } = compileTo(text, policyEnvironment(36, { hasParams: true }));
  if (!program) throw new Error('it does not compile');
  const values = policyValues(
    { ...input, authorizer: { ...input.authorizer, decide: waiting } },
    { hasParams: true },
  );
  // Two checks fit, three would not.
  const budget = new EvaluationBudget(750_000);
  expect(await new EvaluationTurns().answered(() => budget.evaluate(program, values))).toBe(true);
  expect(answers.size).toBe(2);
});
