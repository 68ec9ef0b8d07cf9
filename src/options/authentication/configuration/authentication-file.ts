/** The file of `--authentication-config`: read, checked, and its expressions compiled. */
import type { ConfiguredAuthentication } from '../../../authn/oidc/issuer-rules.ts';
import type { NamingProfile } from '../../../meta/naming.ts';
import type { AccessConfig } from '../../access-options.ts';
import type { FileCheck } from '../../file-check.ts';
import { YamlFile } from '../../yaml-file.ts';
import { checkExpressions } from './expression-text.ts';
import { readAuthenticationRules } from './read-authentication.ts';

/**
 * undefined without a file; errors are added to those of `check`.
 * @param issuer of service account tokens; '' for that of the naming profile
 */
export function readAuthenticationFile(
  access: AccessConfig,
  { naming, issuer }: { readonly naming: NamingProfile; readonly issuer: string },
  check: FileCheck,
): Promise<ConfiguredAuthentication | undefined> {
  return check.parsedInPart(access.authenticationFile, {
    flag: '--authentication-config',
    code: 'AUTHENTICATION_INVALID',
    parse: async (text) => {
      const file = new YamlFile(text);
      const ownIssuers = issuer === '' ? [] : [issuer];
      const { configured, expressions } = readAuthenticationRules(file, { ...access, naming, ownIssuers });
      await checkExpressions(file, expressions, access.minor);
      return { value: configured, errors: file.errors };
    },
  });
}
