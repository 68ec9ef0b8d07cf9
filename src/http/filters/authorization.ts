/** Authorizes the request before its body is read. */
import type { Authorizer, AuthorizerDecision } from '../../authz/types.ts';
import { whenReady } from '../../base/maybe-promise.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';
import { forbidden, StatusError } from '../../meta/status.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

/** Rejects with 403 unless an authorizer allows the request; keeps the decision for the audit event. */
export function withAuthorization(authorizer: Authorizer): Step {
  return function authorization(context: RequestContext): void | Promise<void> {
    const { user, info } = context;
    return whenReady(authorizer.authorize({ user, info }), (decision) => {
      context.authorization = decision;
      assertAllowed(user, info, decision);
    });
  };
}

/** @throws StatusError 403 if it is not allowed; Error if an authorizer failed and none allowed it */
export function assertAllowed(user: UserInfo, info: RequestInfo, answer: AuthorizerDecision): void {
  const { decision, reason, error } = answer;
  if (decision === 'allow') return;
  if (decision === 'noOpinion' && error !== undefined)
    throw new Error(`who may do this could not be found out: ${error}`);
  throw refusal(user, info, reason);
}

/** The 403 with the message of kube-apiserver. */
export function refusal(user: UserInfo, info: RequestInfo, reason: string): StatusError {
  const who = `User ${JSON.stringify(user.name)}`;
  const because = reason === '' ? '' : `: ${reason}`;
  if (!info.isResourceRequest) {
    const message = `forbidden: ${who} cannot ${info.verb} path ${JSON.stringify(info.path)}${because}`;
    return new StatusError(403, 'Forbidden', message, { details: {} });
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where =
    info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const problem =
    `${who} cannot ${info.verb} resource ${JSON.stringify(resource)} ` +
    `in API group ${JSON.stringify(info.apiGroup)} ${where}${because}`;
  return forbidden({ group: info.apiGroup, resource: info.resource }, info.name, problem);
}
