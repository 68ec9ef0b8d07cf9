/** Allows everybody to read the open paths; of all else it has no opinion. */
import { isOpenPath, openVerbs } from './open-paths.ts';
import { noOpinion, type Authorizer, type AuthorizerAttributes, type AuthorizerDecision } from './types.ts';

const allow: AuthorizerDecision = { decision: 'allow', reason: 'open path' };

export function createOpenPathAuthorizer(): Authorizer {
  return {
    authorize({ info }: AuthorizerAttributes): AuthorizerDecision {
      const isOpen = !info.isResourceRequest && openVerbs.includes(info.verb) && isOpenPath(info.path);
      return isOpen ? allow : noOpinion;
    },
  };
}
