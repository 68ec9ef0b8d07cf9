/** A webhook that is asked only where its match conditions hold, and whose failure means what its policy says. */
import { reviewEnvironment, reviewValues } from '../../cel/access/environments.ts';
import { EvaluationBudget, matchConditionsCost } from '../../cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import { MatchConditions } from '../../cel/admission/match-conditions.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { PassiveClock } from '../../base/clock.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { AuthorizerAttributes, AuthorizerDecision, RuleAuthorizer } from '../types.ts';
import type { WebhookRules } from './configured-authorizers.ts';
import { specOf } from './webhook-authorizer.ts';

export interface ConditionalOptions extends Pick<WebhookRules, 'conditions' | 'failurePolicy'> {
  readonly name: string;
  /** Minor number of the release whose libraries the conditions may use. */
  readonly minor: number;
  /** Conditions see selectors (feature gate `AuthorizeWithSelectors`). */
  readonly passesSelectors: boolean;
  readonly warn: (details: object, message: string) => void;
  readonly clock: PassiveClock;
  /** Called with what the conditions came to, and how long they took. */
  readonly onJudged: (outcome: ConditionsOutcome, seconds: number) => void;
}

/** `failed`: it cannot be said whether they hold. */
export type ConditionsOutcome = 'hold' | 'exclude' | 'failed';

/** @param webhook has no opinion, with an error, where it fails */
export function createConditionalAuthorizer(
  webhook: RuleAuthorizer,
  options: ConditionalOptions,
): RuleAuthorizer {
  const { conditions, minor, name, warn, clock, onJudged, passesSelectors } = options;
  const environment = reviewEnvironment(minor);
  const texts = conditions.map((expression) => ({ expression }));
  const matching = new MatchConditions(texts, environment);
  const ask = (attributes: AuthorizerAttributes): MaybePromise<AuthorizerDecision> =>
    whenReady(webhook.authorize(attributes), (decision) => byPolicy(decision, options));
  const judge = async (attributes: AuthorizerAttributes): Promise<AuthorizerDecision> => {
    const since = clock.monotonic();
    const values = reviewValues(minor, filled(specOf({ version: 'v1', passesSelectors }, attributes)));
    const budget = new EvaluationBudget(matchConditionsCost);
    const { matches, problem } = await matching.match({ values, budget, turns: new EvaluationTurns() });
    const outcome = matches === true ? 'hold' : 'exclude';
    onJudged(problem === undefined ? outcome : 'failed', (clock.monotonic() - since) / 1_000);
    if (problem !== undefined) {
      warn({ webhook: name, problem }, 'the match conditions of an authorization webhook have no value');
      return byPolicy({ decision: 'noOpinion', reason: '', error: problem }, options);
    }
    return matches ? ask(attributes) : { decision: 'noOpinion', reason: '' };
  };
  return {
    authorize: conditions.length === 0 ? ask : judge,
    rulesFor: (user, namespace) => webhook.rulesFor(user, namespace),
  };
}

const emptyAttributes: JsonObject = {
  ...{ namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' },
};

/** Conditions may ask for what a review leaves out because it is empty: the namespace of what has none. */
function filled(spec: JsonObject): JsonObject {
  const { resourceAttributes: asked } = spec;
  return {
    ...{ user: '', uid: '', groups: [], extra: {}, ...spec },
    ...(isObject(asked) && { resourceAttributes: { ...emptyAttributes, ...asked } }),
  };
}

function byPolicy(
  decision: AuthorizerDecision,
  { failurePolicy, name }: ConditionalOptions,
): AuthorizerDecision {
  if (decision.error === undefined || failurePolicy === 'NoOpinion') return decision;
  return { decision: 'deny', reason: `the authorizer ${JSON.stringify(name)} could not decide` };
}
