/** Modes with one answer, decisions that are kept, and unions of those who could not find out. */
import { createAlwaysAllow, createAlwaysDeny } from '../../../src/authz/always.ts';
import type { AuthorizerDecision, RuleAuthorizer } from '../../../src/authz/types.ts';
import { createUnionAuthorizer } from '../../../src/authz/union-authorizer.ts';
import { DecisionCache } from '../../../src/authz/webhook/decision-cache.ts';
import { createWebhookAuthorizer } from '../../../src/authz/webhook/webhook-authorizer.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { RequestSelectors } from '../../../src/meta/request-selectors.ts';
import { waitFor } from '../../support/wait-for.ts';
import { asked, user } from '../../support/policy.ts';

const ask = { user: user('ann'), info: asked('get pods') };

test('AlwaysAllow and AlwaysDeny, alone and after one another', async () => {
  const [allow, deny] = [createAlwaysAllow(), createAlwaysDeny()];
  expect((await allow.authorize(ask)).decision).toBe('allow');
  expect(await deny.authorize(ask)).toEqual({ decision: 'noOpinion', reason: 'Everything is forbidden.' });
  expect((await createUnionAuthorizer([deny, allow]).authorize(ask)).decision).toBe('allow');
  const { resourceRules, nonResourceRules } = createUnionAuthorizer([deny, allow]).rulesFor(ask.user, 'web');
  expect([resourceRules.length, nonResourceRules.length]).toEqual([1, 1]);
  expect(deny.rulesFor(ask.user, 'web')).toEqual({ resourceRules: [], nonResourceRules: [], problems: [] });
});

test('a union tells of those who could not find out only where nobody decided', async () => {
  const broken = {
    authorize: (): AuthorizerDecision => ({ decision: 'noOpinion', reason: '', error: 'away' }),
  };
  expect((await createUnionAuthorizer([broken, createAlwaysAllow()]).authorize(ask)).error).toBeUndefined();
  expect(await createUnionAuthorizer([broken, createAlwaysDeny()]).authorize(ask)).toEqual({
    decision: 'noOpinion',
    reason: 'Everything is forbidden.',
    error: 'away',
  });
});

/** What a webhook that gives this answer decides. */
async function decisionOf(answer: JsonObject): Promise<AuthorizerDecision> {
  return webhookOf(() => answer).authorize(ask);
}

function webhookOf(answer: (review: JsonObject) => JsonObject, passesSelectors = true): RuleAuthorizer {
  return createWebhookAuthorizer({
    clock: systemClock,
    sendReview: (review) => Promise.resolve(answer(review)),
    group: 'authorization.orch.io',
    ...{ version: 'v1', passesSelectors },
    ttls: { authorizedTtlMs: 1_000, unauthorizedTtlMs: 1_000 },
    warn: () => undefined,
  });
}

test.each([true, false])('a review has selectors if the gate is on: %s', async (isOn) => {
  const specs: unknown[] = [];
  const webhook = webhookOf(({ spec }) => {
    specs.push((spec as JsonObject)['resourceAttributes']);
    return { status: { allowed: true } };
  }, isOn);
  const list = { ...asked('list pods'), selectors: new RequestSelectors('spec.nodeName=a,x!=b', 'app,!old') };
  await webhook.authorize({ user: ask.user, info: list });
  await webhook.authorize({ user: ask.user, info: { ...list, selectors: new RequestSelectors('=', '=') } });
  const narrow = {
    fieldSelector: {
      requirements: [
        { key: 'spec.nodeName', operator: 'In', values: ['a'] },
        { key: 'x', operator: 'NotIn', values: ['b'] },
      ],
    },
    labelSelector: {
      requirements: [
        { key: 'app', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    },
  };
  const wide = { resource: 'pods', verb: 'list', version: 'v1' };
  // Without selectors both are one question.
  expect(specs).toEqual(isOn ? [{ ...wide, ...narrow }, wide] : [wide]);
});

test('a webhook allows with a review of the version that was sent, or without one', async () => {
  const review = { apiVersion: 'authorization.orch.io/v1', kind: 'SubjectAccessReview' };
  const status = { allowed: true };
  expect((await decisionOf({ ...review, status })).decision).toBe('allow');
  expect((await decisionOf({ status })).decision).toBe('allow');
  for (const other of [{ kind: 'Pod' }, { apiVersion: 'authorization.orch.io/v1beta1' }, { kind: null }]) {
    const { decision, error } = await decisionOf({ ...review, ...other, status });
    expect(decision).toBe('noOpinion');
    expect(error).toMatch('something else than a SubjectAccessReview of authorization.orch.io/v1');
  }
});

test('a long reason of the webhook is cut, as reasons are kept by the thousand', async () => {
  const { decision, reason } = await decisionOf({ status: { allowed: false, reason: 'r'.repeat(500_000) } });
  expect(decision).toBe('noOpinion');
  expect(reason).toBe(`${'r'.repeat(2_000)}…`);
});

describe('kept decisions', () => {
  const yes: AuthorizerDecision = { decision: 'allow', reason: '' };
  const no: AuthorizerDecision = { decision: 'noOpinion', reason: '' };

  function counted(...answers: AuthorizerDecision[]): {
    calls: number;
    ask: () => Promise<AuthorizerDecision>;
  } {
    const counter = {
      calls: 0,
      ask: (): Promise<AuthorizerDecision> => Promise.resolve(answers[counter.calls++] ?? no),
    };
    return counter;
  }

  test('hold as long as their kind does', async () => {
    const cache = new DecisionCache({ authorizedTtlMs: 60_000, unauthorizedTtlMs: 5 }, systemClock);
    const first = counted(yes);
    expect(await cache.decide('a', first.ask)).toBe(yes);
    expect(cache.decide('a', first.ask)).toBe(yes);
    const second = counted(no, yes);
    expect(await cache.decide('b', second.ask)).toBe(no);
    await waitFor('the refusal to be forgotten', async () => (await cache.decide('b', second.ask)) === yes);
    expect([first.calls, second.calls]).toEqual([1, 2]);
  });

  test('are not kept where they could not be found out, or the question is too long', async () => {
    const cache = new DecisionCache({ authorizedTtlMs: 60_000, unauthorizedTtlMs: 60_000 }, systemClock);
    const broken = counted({ ...no, error: 'away' }, yes);
    await cache.decide('a', broken.ask);
    expect(await cache.decide('a', broken.ask)).toBe(yes);
    const long = counted(yes, no);
    await cache.decide('x'.repeat(20_000), long.ask);
    expect(await cache.decide('x'.repeat(20_000), long.ask)).toBe(no);
  });

  test('are bounded: the oldest goes', async () => {
    const cache = new DecisionCache({ authorizedTtlMs: 60_000, unauthorizedTtlMs: 60_000 }, systemClock);
    for (let n = 0; n <= 8_192; n++) await cache.decide(`key-${n}`, counted(yes).ask);
    expect(cache.decide('key-8192', counted(no).ask)).toBe(yes);
    expect(await cache.decide('key-0', counted(no).ask)).toBe(no);
  });

  test('an error in asking is told to all who wait, and to nobody later', async () => {
    const cache = new DecisionCache({ authorizedTtlMs: 60_000, unauthorizedTtlMs: 60_000 }, systemClock);
    const failing = (): Promise<AuthorizerDecision> => Promise.reject(new Error('away'));
    const both = [failing, counted(yes).ask].map(async (asking) => cache.decide('a', asking));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.decide('a', counted(yes).ask)).toBe(yes);
  });
});

test.each<JsonObject>([
  { allowed: true, denied: 'true' },
  { allowed: true, denied: 1 },
  { denied: 'true' },
  { allowed: 'true' },
  { allowed: true, reason: 5 },
  { allowed: true, evaluationError: {} },
])('an answer of other types decides nothing, and is an error: %j', async (status) => {
  const decision = await decisionOf({ status });
  expect(decision).toMatchObject({ decision: 'noOpinion', reason: '' });
  expect(decision.error).toMatch(/has a wrong type$/);
});

test('what is null in an answer is left out', async () => {
  const status = { allowed: true, denied: null, reason: null };
  expect(await decisionOf({ status })).toEqual({ decision: 'allow', reason: '' });
});
