/** Asks the authorizers of requests on behalf of admission plugins. */
import type {
  AccessAnswer,
  AccessChecker,
  AccessDecider,
  AccessQuestion,
  PathQuestion,
} from '../../admission/access-checker.ts';
import type { SignerPermission } from '../../admission/certificates.ts';
import type { Authorizer, AuthorizerDecision } from '../../authz/types.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { RequestSelectors } from '../../meta/request-selectors.ts';
import type { RequestInfo } from '../../meta/request-info.ts';

export function createAccessChecker(authorizer: Authorizer): AccessChecker & AccessDecider {
  const decide: AccessDecider['decide'] = (user, question) => {
    const decision = authorizer.authorize({ user, info: infoOf(question) });
    return decision instanceof Promise ? decision.then(answerOf) : answerOf(decision);
  };
  return { decide, check: async (user, question) => decide(user, question) };
}

function answerOf({ decision, reason, error }: AuthorizerDecision): AccessAnswer {
  return { isAllowed: decision === 'allow', reason, ...(error !== undefined && { error }) };
}

function infoOf(question: AccessQuestion | PathQuestion): RequestInfo {
  if ('path' in question) {
    const { path, verb } = question;
    const none = { apiPrefix: '', apiGroup: '', apiVersion: '', namespace: '', resource: '' };
    return { isResourceRequest: false, path, verb, ...none, subresource: '', name: '', parts: [] };
  }
  const { verb, group, resource, name, subresource = '', namespace = '' } = question;
  const { fieldSelector = '', labelSelector = '' } = question;
  const isNarrowed = fieldSelector !== '' || labelSelector !== '';
  return {
    ...(isNarrowed && { selectors: new RequestSelectors(fieldSelector, labelSelector) }),
    ...{ isResourceRequest: true, path: '', apiPrefix: group === '' ? 'api' : 'apis', apiGroup: group },
    ...{ apiVersion: '*', resource, subresource, namespace, parts: [], verb, name },
  };
}

/** Authorizes users to act for certificate signers. */
export function createSignerPermission(
  access: AccessChecker,
  { apiDomain }: NamingProfile,
): SignerPermission {
  const signers = { group: `certificates.${apiDomain}`, resource: 'signers' };
  return {
    maySign: async (user, verb, name) => (await access.check(user, { ...signers, verb, name })).isAllowed,
  };
}
