/** Asks the authorizers of requests on behalf of admission plugins. */
import type { AccessChecker } from '../../admission/access-checker.ts';
import type { SignerPermission } from '../../admission/certificates.ts';
import type { Authorizer } from '../../authz/types.ts';
import type { NamingProfile } from '../../meta/naming.ts';

export function createAccessChecker(authorizer: Authorizer): AccessChecker {
  return {
    async check(user, { verb, group, resource, name, subresource = '', namespace = '' }) {
      const info = {
        ...{ isResourceRequest: true, path: '', apiPrefix: group === '' ? 'api' : 'apis', apiGroup: group },
        ...{ apiVersion: '*', resource, subresource, namespace, parts: [], verb, name },
      };
      const { decision, reason } = await authorizer.authorize({ user, info });
      return { isAllowed: decision === 'allow', reason };
    },
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
