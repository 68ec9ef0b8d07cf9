/** How clients prove who they are, as far as flags say it. Paths are not read yet; '' and empty lists: not given. */
import type { SigningAlgorithm } from '../../authn/jwt.ts';
import type { IdentityRules } from '../../authn/oidc/identity.ts';
import type { ProxyHeaders } from '../../authn/request-header.ts';

export interface ClientConfig {
  readonly anonymousAuth: boolean;
  /** '': the authority of the data folder's PKI, where that serves. */
  readonly clientCaFile: string;
  readonly tokenAuthFile: string;
  readonly authentication: AuthenticationConfig;
}

export interface AuthenticationConfig {
  /** Whom bound tokens must be meant for. */
  readonly audiences: readonly string[];
  readonly serviceAccounts: ServiceAccountConfig;
  readonly bootstrapTokens: boolean;
  readonly webhook: TokenWebhookConfig;
  /** undefined: there is no provider. */
  readonly oidc: OidcConfig | undefined;
  readonly proxies: ProxyConfig;
  readonly passwordFile: string;
}

/** Authenticating proxies. */
export interface ProxyConfig extends ProxyHeaders {
  /** '': there are none. */
  readonly caFile: string;
  /** Empty: whatever name the authorities have certified. */
  readonly allowedNames: readonly string[];
}

export interface OidcConfig extends IdentityRules {
  readonly caFile: string;
  readonly algorithms: readonly SigningAlgorithm[];
}

export interface TokenWebhookConfig {
  readonly configFile: string;
  readonly cacheMs: number;
  /** Of the reviews that are sent. */
  readonly version: 'v1' | 'v1beta1';
}

export interface ServiceAccountConfig {
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
  readonly issuer: string;
  /** Where others find the keys; '': below the issuer. */
  readonly keySetUri: string;
  readonly lookup: boolean;
  /** Longest life of a bound token. */
  readonly maxTokenSeconds: number;
  /** The authority that accounts and namespaces are told of. */
  readonly rootCaFile: string;
}
