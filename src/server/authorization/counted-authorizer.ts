/** An authorizer whose decisions are counted. */
import type { Authorizer, AuthorizerDecision } from '../../authz/types.ts';
import { whenReady } from '../../base/maybe-promise.ts';
import type { AuthorizationMetrics } from '../../observe/authorization-metrics.ts';

/** @param name as configured, or the type in lower case. What it has no opinion about does not count. */
export function countedAuthorizer(
  authorizer: Authorizer,
  { type, name = type.toLowerCase() }: { readonly type: string; readonly name?: string },
  { decisions }: Pick<AuthorizationMetrics, 'decisions'>,
): Authorizer {
  // Looked up once, as every request passes here.
  const allowed = decisions.series({ type, name, decision: 'allowed' });
  const denied = decisions.series({ type, name, decision: 'denied' });
  const count = (result: AuthorizerDecision): AuthorizerDecision => {
    if (result.decision === 'allow') allowed.add();
    else if (result.decision === 'deny') denied.add();
    return result;
  };
  return {
    authorize: (attributes) => whenReady(authorizer.authorize(attributes), count),
    ...(authorizer.rulesFor && { rulesFor: authorizer.rulesFor.bind(authorizer) }),
  };
}
