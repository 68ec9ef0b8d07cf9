/** Authentication flags → configuration. */
import type { AuthenticationConfig, ServiceAccountConfig } from '../server/authentication/config.ts';
import type { FlagReader } from './flag-reader.ts';
import { oidcConfig } from './oidc-config.ts';

export function authenticationConfig(flags: FlagReader): AuthenticationConfig {
  return {
    audiences: flags.list('api-audiences'),
    serviceAccounts: serviceAccountConfig(flags),
    oidc: oidcConfig(flags),
    bootstrapTokens: flags.boolean('enable-bootstrap-token-auth'),
    webhook: {
      configFile: flags.text('authentication-token-webhook-config-file'),
      cacheMs: flags.duration('authentication-token-webhook-cache-ttl'),
      version: flags.choice('authentication-token-webhook-version', ['v1beta1', 'v1']),
    },
  };
}

function serviceAccountConfig(flags: FlagReader): ServiceAccountConfig {
  return {
    keyFiles: flags.list('service-account-key-file'),
    signingKeyFile: flags.text('service-account-signing-key-file'),
    issuer: issuer(flags),
    lookup: flags.boolean('service-account-lookup'),
    rootCaFile: flags.text('root-ca-file'),
  };
}

/** Whatever has a colon must be a URL, as the claim that it becomes. */
function issuer(flags: FlagReader): string {
  const text = flags.text('service-account-issuer');
  if (text.includes(':') && !URL.canParse(text)) {
    const cause = `flag --service-account-issuer has the value ${JSON.stringify(text)}`;
    flags.add(cause, 'give a URL or a name without a colon');
  }
  return text;
}
