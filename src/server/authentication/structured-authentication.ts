/** What `--authentication-config` says, in use: the issuers of tokens, and which requests may be anonymous. */
import { createHash } from 'node:crypto';
import type { ConfiguredAuthentication } from '../../authn/oidc/issuer-rules.ts';
import type { AuthenticationRequest, Authenticator } from '../../authn/types.ts';
import type { Environment } from '../../base/environment.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import { TokenIssuers, type TokenIssuersParts } from './token-issuers.ts';

export interface StructuredParts {
  readonly environment: Environment;
  readonly credentials: Pick<Credentials, 'structuredAuthentication'>;
  readonly logger: Logger;
  readonly serverMetrics: Pick<ServerMetrics, 'tokenDecisions'>;
}

export class StructuredAuthentication {
  /** None without the file. */
  readonly authenticators: readonly Authenticator[];
  private readonly issuers: TokenIssuers | undefined;
  private readonly otherwise: boolean;
  private configured: ConfiguredAuthentication | undefined;

  constructor(
    { anonymousAuth }: Pick<CompletedConfig, 'anonymousAuth'>,
    { environment, credentials, logger: root, serverMetrics }: StructuredParts,
  ) {
    const logger = root.child({ component: 'authn' });
    this.otherwise = anonymousAuth;
    this.configured = credentials.structuredAuthentication;
    const warn: TokenIssuersParts['warn'] = (details, message) => logger.warn(message, { ...details });
    const onDecided = observeTokens(serverMetrics);
    this.issuers = this.configured && new TokenIssuers(this.configured, { environment, warn, onDecided });
    this.authenticators = this.issuers ? [this.issuers] : [];
  }

  /** Replaces the configuration, if there is one. */
  use(configured: ConfiguredAuthentication | undefined): void {
    if (!configured || configured === this.configured) return;
    this.configured = configured;
    this.issuers?.use(configured);
  }

  /** Paths are compared as they are: what is below one of them is another one. */
  readonly allowsAnonymous = ({ path }: AuthenticationRequest): boolean => {
    const rules = this.configured?.anonymous;
    if (!rules) return this.otherwise;
    if (!rules.isEnabled) return false;
    return rules.paths.length === 0 || (path !== undefined && rules.paths.includes(path));
  };

  close(): void {
    this.issuers?.close();
  }
}

/** Observes decisions on tokens of an issuer, which is known by its digest. */
export function observeTokens({
  tokenDecisions,
}: Pick<ServerMetrics, 'tokenDecisions'>): TokenIssuersParts['onDecided'] {
  return (issuer) => {
    const jwt_issuer_hash = `sha256:${createHash('sha256').update(issuer).digest('hex')}`;
    return (isAccepted, seconds) => {
      const result = isAccepted ? 'success' : 'failure';
      tokenDecisions.series({ result, jwt_issuer_hash }).observe(seconds);
    };
  };
}
