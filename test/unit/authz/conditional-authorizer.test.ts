/** Match conditions of an authorization webhook: when it is asked, and what a condition without a value means. */
import { systemClock } from '../../../src/base/clock.ts';
import { createConditionalAuthorizer } from '../../../src/authz/webhook/conditional-authorizer.ts';
import type { AuthorizerAttributes, AuthorizerDecision, RuleAuthorizer } from '../../../src/authz/types.ts';
import { parseRequestInfo } from '../../../src/http/request-info-resolver.ts';
import { Query } from '../../../src/http/query.ts';

const user = { name: 'ann', uid: '', groups: ['devs'], extra: {} };

function asking(path: string): AuthorizerAttributes {
  const [before = '', query = ''] = path.split('?');
  return { user, info: parseRequestInfo('GET', before, new Query(query)) };
}

const allowed: AuthorizerDecision = { decision: 'allow', reason: '' };

interface Outcome {
  readonly decision: AuthorizerDecision;
  readonly calls: number;
  readonly warnings: number;
  /** What the conditions came to; '' if there are none. */
  readonly judged: string;
}

async function outcome(
  conditions: readonly string[],
  failurePolicy: 'NoOpinion' | 'Deny',
  { path = '/api/v1/namespaces/web/pods', answer = allowed } = {},
): Promise<Outcome> {
  let calls = 0;
  let warnings = 0;
  const webhook: RuleAuthorizer = {
    authorize: () => {
      calls += 1;
      return answer;
    },
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], problems: [] }),
  };
  const warn = (): void => void (warnings += 1);
  let judged = '';
  const onJudged = (result: string, seconds: number): void => {
    expect(seconds).toBeGreaterThanOrEqual(0);
    judged += result;
  };
  const passesSelectors = true;
  const options = {
    name: 'hook',
    minor: 36,
    passesSelectors,
    conditions,
    failurePolicy,
    warn,
    onJudged,
    clock: systemClock,
  };
  const decision = await createConditionalAuthorizer(webhook, options).authorize(asking(path));
  return { decision, calls, warnings, judged };
}

const isPods = "request.resourceAttributes.resource == 'pods'";

test('it is asked where all conditions hold, and where there are none', async () => {
  for (const conditions of [[], [isPods], [isPods, "'devs' in request.groups"]])
    expect(await outcome(conditions, 'Deny')).toMatchObject({ decision: { decision: 'allow' }, calls: 1 });
  expect(await outcome([isPods, "request.user == 'bob'"], 'Deny')).toEqual({
    ...{ decision: { decision: 'noOpinion', reason: '' }, calls: 0, warnings: 0, judged: 'exclude' },
  });
});

test('a condition without a value means what the policy says, and the webhook is not asked', async () => {
  const path = '/logs/x';
  expect(await outcome([isPods], 'Deny', { path })).toEqual({
    decision: { decision: 'deny', reason: 'the authorizer "hook" could not decide' },
    ...{ calls: 0, warnings: 1, judged: 'failed' },
  });
  expect(await outcome([isPods], 'NoOpinion', { path })).toMatchObject({
    decision: { decision: 'noOpinion', error: expect.stringContaining('no such key') as string },
    ...{ calls: 0, warnings: 1 },
  });
  // Another condition that does not hold decides first.
  expect(await outcome([isPods, 'false'], 'Deny', { path })).toMatchObject({
    decision: { decision: 'noOpinion' },
    warnings: 0,
  });
});

test('a failed call means what the policy says; an answer without an opinion is no failure', async () => {
  const failed = { decision: 'noOpinion', reason: '', error: 'away' } as const;
  expect((await outcome([], 'Deny', { answer: failed })).decision.decision).toBe('deny');
  expect((await outcome([], 'NoOpinion', { answer: failed })).decision).toEqual(failed);
  const none = { decision: 'noOpinion', reason: 'not mine' } as const;
  expect((await outcome([isPods], 'Deny', { answer: none })).decision).toEqual(none);
});

test('conditions see selectors, and what a review leaves out because it is empty', async () => {
  const fields = 'request.resourceAttributes.fieldSelector.requirements';
  const narrow = `has(request.resourceAttributes.fieldSelector) && ${fields}.exists(r, r.key == 'spec.nodeName' && r.operator == 'In' && r.values == ['a'])`;
  const calls = async (condition: string, path: string): Promise<number> =>
    (await outcome([condition], 'Deny', { path })).calls;
  expect(await calls(narrow, '/api/v1/pods?fieldSelector=spec.nodeName%3Da')).toBe(1);
  expect(await calls(narrow, '/api/v1/pods?fieldSelector=spec.nodeName%3Db')).toBe(0);
  expect(await calls(narrow, '/api/v1/pods')).toBe(0);
  const labels = "request.resourceAttributes.labelSelector.requirements[0].operator == 'Exists'";
  expect(await calls(labels, '/api/v1/pods?labelSelector=app')).toBe(1);
  for (const empty of ["request.resourceAttributes.namespace == ''", "request.uid == ''"])
    expect(await calls(empty, '/api/v1/nodes')).toBe(1);
});
