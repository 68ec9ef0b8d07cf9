/** Authorizes users to act for certificate signers. */
import type { SignerPermission } from '../../admission/certificates.ts';
import type { Authorizer } from '../../authz/types.ts';
import type { NamingProfile } from '../../meta/naming.ts';

export function createSignerPermission(
  authorizer: Authorizer,
  { apiDomain }: NamingProfile,
): SignerPermission {
  return {
    async maySign(user, verb, name): Promise<boolean> {
      const info = {
        ...{ isResourceRequest: true, path: '', apiPrefix: 'apis', apiGroup: `certificates.${apiDomain}` },
        ...{ apiVersion: '*', resource: 'signers', subresource: '', namespace: '', parts: [], verb, name },
      };
      return (await authorizer.authorize({ user, info })).decision === 'allow';
    },
  };
}
