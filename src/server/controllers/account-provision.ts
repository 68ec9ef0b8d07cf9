/** What controllers give to accounts and namespaces, from the service's own keys. */
import type { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import type { AccountProvision } from './controller-manager.ts';

/** @param tokens undefined: there is no key to sign tokens with */
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
