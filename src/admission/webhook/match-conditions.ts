/** Match conditions of webhooks (KEP-3716): a webhook is called about what meets all of them. */
import { webhookValues } from '../../cel/admission/environment.ts';
import { EvaluationBudget, matchConditionsCost } from '../../cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import { forbidden } from '../../meta/status.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import { authorizerOf } from '../policy/authorizer-of.ts';
import { requestOf } from './admission-review.ts';
import type { WebhookDependencies } from './dependencies.ts';
import type { Invocation } from './match-rules.ts';
import { shown } from './shown.ts';

/** The gate of the field: a release without it calls the webhook whatever is stored. */
const gate = 'AdmissionWebhookMatchConditions';

/**
 * Whether the webhook is to be called. Where that cannot be said, it is not with `failurePolicy: Ignore`.
 * @throws StatusError 403 where it cannot be said, with `failurePolicy: Fail`
 */
export async function meetsConditions(
  { isFeatureEnabled, access }: Pick<WebhookDependencies, 'isFeatureEnabled' | 'access'>,
  { hook: { conditions, ignoresFailure }, resource }: Invocation,
  attributes: AdmissionAttributes,
): Promise<boolean> {
  if (!conditions || !isFeatureEnabled(gate)) return true;
  const object = await shown(attributes.object, resource, attributes);
  const oldObject = await shown(attributes.oldObject, resource, attributes);
  const { matches, problem } = await conditions.match({
    values: webhookValues({
      ...{ object, oldObject, request: requestOf(attributes, resource) },
      authorizer: authorizerOf(access, attributes),
    }),
    budget: new EvaluationBudget(matchConditionsCost),
    turns: new EvaluationTurns(),
  });
  if (problem === undefined) return matches;
  if (ignoresFailure) return false;
  throw forbidden(attributes.scope.resource.gvr, attributes.name, problem);
}
