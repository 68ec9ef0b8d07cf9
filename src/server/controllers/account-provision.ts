/** The CA bundle and tokens that controllers provide to service accounts and namespaces. */
import type { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import type { AccountProvision } from './controller-manager.ts';

/** @param tokens undefined without a signing key */
export function accountProvision(rootCa: string, tokens: TokenIssuer | undefined): AccountProvision {
  const makeToken: AccountProvision['makeToken'] =
    tokens &&
    (({ namespace, name, uid, secretName }) =>
      tokens.legacyToken({
        namespace,
        account: { name, uid },
        bound: { kind: 'Secret', name: secretName, uid: '' },
      }));
  return { rootCa, makeToken };
}
