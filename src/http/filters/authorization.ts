/** Asks whether this user may do this. Runs before anything reads the body. */
import type { Authorizer } from '../../authz/types.ts';
import { whenReady } from '../../base/maybe-promise.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';
import { forbidden, StatusError } from '../../meta/status.ts';
import type { RequestContext } from '../context.ts';
import type { Step } from './step.ts';

/** Refuses with 403 unless somebody allows. */
export function withAuthorization(authorizer: Authorizer): Step {
  return function authorization(context: RequestContext): void | Promise<void> {
    const { user, info } = context;
    return whenReady(authorizer.authorize({ user, info }), ({ decision, reason }) => {
      if (decision !== 'allow') throw refusal(user, info, reason);
    });
  };
}

/** The 403 in the words that clients of this API know. */
export function refusal(user: UserInfo, info: RequestInfo, reason: string): StatusError {
  const who = `User ${JSON.stringify(user.name)}`;
  const because = reason === '' ? '' : `: ${reason}`;
  if (!info.isResourceRequest) {
    const message = `forbidden: ${who} cannot ${info.verb} path ${JSON.stringify(info.path)}${because}`;
    return new StatusError(403, 'Forbidden', message, {});
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where =
    info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const problem =
    `${who} cannot ${info.verb} resource ${JSON.stringify(resource)} ` +
    `in API group ${JSON.stringify(info.apiGroup)} ${where}${because}`;
  return forbidden({ group: info.apiGroup, resource: info.resource }, info.name, problem);
}
