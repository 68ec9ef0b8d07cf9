/** Authentication flags → configuration. */
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';
import type {
  AuthenticationConfig,
  ClientConfig,
  ProxyConfig,
  ServiceAccountConfig,
} from './authentication-config.ts';
import {
  authenticationFlags,
  type AuthenticationFlagName,
  type AuthenticationFlags,
} from './authentication-flags.ts';
import { readOidc } from './oidc-options.ts';

export function readAuthentication(texts: FlagValues, errors: FlagErrors): ClientConfig {
  const flags = new FlagReader(authenticationFlags, texts, errors);
  return {
    anonymousAuth: flags.boolean('anonymous-auth'),
    clientCaFile: flags.text('client-ca-file'),
    tokenAuthFile: flags.text('token-auth-file'),
    authentication: readAuthenticators(flags),
  };
}

function readAuthenticators(flags: AuthenticationFlags): AuthenticationConfig {
  return {
    audiences: flags.list('api-audiences'),
    serviceAccounts: serviceAccountConfig(flags),
    oidc: readOidc(flags),
    proxies: proxyConfig(flags),
    passwordFile: flags.text('basic-auth-file'),
    bootstrapTokens: flags.boolean('enable-bootstrap-token-auth'),
    webhook: {
      configFile: flags.text('authentication-token-webhook-config-file'),
      cacheMs: flags.duration('authentication-token-webhook-cache-ttl'),
      version: flags.choice('authentication-token-webhook-version', ['v1beta1', 'v1']),
    },
  };
}

function serviceAccountConfig(flags: AuthenticationFlags): ServiceAccountConfig {
  return {
    keyFiles: flags.list('service-account-key-file'),
    signingKeyFile: flags.text('service-account-signing-key-file'),
    issuer: issuer(flags),
    keySetUri: keySetUri(flags),
    lookup: flags.boolean('service-account-lookup'),
    maxTokenSeconds: maxTokenSeconds(flags),
    extendsTokens: flags.boolean('service-account-extend-token-expiration'),
    rootCaFile: flags.text('root-ca-file'),
  };
}

function proxyConfig(flags: AuthenticationFlags): ProxyConfig {
  const lowerCase = (name: AuthenticationFlagName): string[] =>
    flags.list(name).map((header) => header.toLowerCase());
  return {
    caFile: flags.text('requestheader-client-ca-file'),
    allowedNames: flags.list('requestheader-allowed-names'),
    usernames: lowerCase('requestheader-username-headers'),
    uids: lowerCase('requestheader-uid-headers'),
    groups: lowerCase('requestheader-group-headers'),
    extraPrefixes: lowerCase('requestheader-extra-headers-prefix'),
  };
}

/** An issuer with a colon must be a URL, as the `iss` claim is a StringOrURI (RFC 7519, section 4.1.1). */
function issuer(flags: AuthenticationFlags): string {
  const text = flags.text('service-account-issuer');
  if (text.includes(':') && !URL.canParse(text)) {
    const cause = `flag --service-account-issuer has the value ${JSON.stringify(text)}`;
    flags.add(cause, 'use a URL, or a name without a colon');
  }
  return text;
}

const tokenSeconds = { min: 3600, max: 2 ** 32 };

/** From one hour to 2^32 seconds, as in kube-apiserver. 2^32 is also the maximum of a TokenRequest. */
function maxTokenSeconds(flags: AuthenticationFlags): number {
  const name = 'service-account-max-token-expiration';
  const seconds = Math.floor(flags.duration(name) / 1000);
  if (seconds === 0) return tokenSeconds.max;
  if (seconds < tokenSeconds.min || seconds > tokenSeconds.max) {
    const cause = `flag --${name} has the value ${JSON.stringify(flags.text(name))}`;
    flags.add(cause, 'use a duration between 1h and 2^32 seconds, or 0 for 2^32 seconds');
  }
  return seconds;
}

/** Keys must not be fetched over plain HTTP. */
function keySetUri(flags: AuthenticationFlags): string {
  const text = flags.text('service-account-jwks-uri');
  if (text !== '' && URL.parse(text)?.protocol !== 'https:') {
    const cause = `flag --service-account-jwks-uri has the value ${JSON.stringify(text)}`;
    flags.add(cause, 'use an https URL');
  }
  return text;
}
