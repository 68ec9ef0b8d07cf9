/** The authentication configuration from flags. Files are not read yet; '' and empty lists mean not given. */
import type { SigningAlgorithm } from '../../authn/jwt.ts';
import type { IdentityRules } from '../../authn/oidc/identity.ts';
import type { ProxyHeaders } from '../../authn/request-header.ts';

export interface ClientConfig {
  readonly anonymousAuth: boolean;
  /** '' for the CA of the data folder's PKI, if that PKI is in use. */
  readonly clientCaFile: string;
  readonly tokenAuthFile: string;
  readonly authentication: AuthenticationConfig;
}

export interface AuthenticationConfig {
  /** Accepted audiences of bound tokens. */
  readonly audiences: readonly string[];
  readonly serviceAccounts: ServiceAccountConfig;
  readonly bootstrapTokens: boolean;
  readonly webhook: TokenWebhookConfig;
  /** undefined if OpenID Connect is disabled. */
  readonly oidc: OidcConfig | undefined;
  readonly proxies: ProxyConfig;
  readonly passwordFile: string;
}

/** Authenticating proxies. */
export interface ProxyConfig extends ProxyHeaders {
  /** '' if there are no authenticating proxies. */
  readonly caFile: string;
  /** Empty if any name that the CA certified is accepted. */
  readonly allowedNames: readonly string[];
}

export interface OidcConfig extends IdentityRules {
  readonly caFile: string;
  readonly algorithms: readonly SigningAlgorithm[];
}

export interface TokenWebhookConfig {
  readonly configFile: string;
  readonly cacheMs: number;
  /** API version of the TokenReviews that are sent. */
  readonly version: 'v1' | 'v1beta1';
}

export interface ServiceAccountConfig {
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
  readonly issuer: string;
  /** Published URI of the JWKS; '' for the default below the issuer. */
  readonly keySetUri: string;
  readonly lookup: boolean;
  /** Maximum validity of a bound token. */
  readonly maxTokenSeconds: number;
  /** Whether tokens of volumes of pods live for a year and are noted after an hour. */
  readonly extendsTokens: boolean;
  /** The CA bundle that is published to service accounts and namespaces. */
  readonly rootCaFile: string;
}
