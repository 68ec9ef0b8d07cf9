/** Service account tokens with keys that may be reloaded: authenticator, issuer and discovery documents. */
import { createServiceAccountAuthenticator } from '../../authn/service-account/service-account-authenticator.ts';
import { defaultIssuer } from '../../authn/service-account/token-claims.ts';
import { issuerDocuments, type IssuerDocuments } from '../../authn/service-account/issuer-discovery.ts';
import { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import {
  readSigningKey,
  readVerificationKeys,
  type VerificationKey,
} from '../../authn/service-account/service-account-keys.ts';
import { ReloadableAuthenticator } from '../../authn/reloadable-authenticator.ts';
import type { Authenticator } from '../../authn/types.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { PlainRoute } from '../../http/plain/plain-route.ts';
import { issuerRoutes } from '../../http/plain/issuer-routes.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { TokenMetrics } from '../../observe/token-metrics.ts';
import type { Storage } from '../../storage/types.ts';
import type { ServiceAccountCredentials } from '../../options/authentication/service-account-credentials.ts';
import type { AuthenticationConfig } from '../../options/authentication/authentication-config.ts';
import type { TokenUses } from './token-uses.ts';
import { createTokenObjects } from './stored-token-objects.ts';

export interface ServiceAccountsParts {
  readonly clock: Clock;
  readonly credentials: ServiceAccountCredentials;
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'peek' | 'get'>;
  readonly random: Pick<Random, 'uuid'>;
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** Records when tokens of Secrets are used. */
  readonly uses?: Pick<TokenUses, 'note'>;
  readonly serverMetrics: { readonly secretTokens: TokenMetrics };
}

export class ServiceAccounts {
  /** Accepted audiences of bound tokens. */
  readonly audiences: readonly string[];
  /** Issues tokens; undefined without a signing key. */
  readonly tokens: TokenIssuer | undefined;
  private readonly config: AuthenticationConfig;
  private readonly parts: ServiceAccountsParts;
  private readonly issuer: string;
  private readonly current: ReloadableAuthenticator;
  private keys: readonly VerificationKey[];

  constructor(config: AuthenticationConfig, parts: ServiceAccountsParts) {
    this.config = config;
    this.parts = parts;
    this.issuer = config.serviceAccounts.issuer || defaultIssuer(parts.naming);
    this.audiences = config.audiences.length > 0 ? config.audiences : [this.issuer];
    this.keys = keysOf(parts.credentials);
    this.current = new ReloadableAuthenticator(this.createAuthenticator());
    this.tokens = this.createIssuer(parts.credentials);
  }

  get authenticator(): Authenticator {
    return this.current;
  }

  /** Routes of the discovery documents; none if the issuer is not a URL of this service. */
  routes(): PlainRoute[] {
    const documents = (): IssuerDocuments | undefined => this.documents();
    return documents() ? issuerRoutes(documents) : [];
  }

  private documents(): IssuerDocuments | undefined {
    const { issuer, keys } = this;
    return issuerDocuments({ issuer, keys, keySetUri: this.config.serviceAccounts.keySetUri });
  }

  /** Replaces the keys. */
  use(credentials: ServiceAccountCredentials): void {
    this.keys = keysOf(credentials);
    this.current.replace(this.createAuthenticator());
    if (credentials.signingKey !== undefined) this.tokens?.signWith(readSigningKey(credentials.signingKey));
  }

  private createAuthenticator(): Authenticator {
    const { keys, issuer, audiences } = this;
    const { naming, storage, clock, isFeatureEnabled, uses, serverMetrics } = this.parts;
    const { secretTokens } = serverMetrics;
    const { lookup } = this.config.serviceAccounts;
    const objects = createTokenObjects(storage, clock);
    const about = { keys, naming, issuer, audiences, lookup, objects, clock };
    return createServiceAccountAuthenticator({
      ...about,
      isFeatureEnabled,
      noteUse: (use) => uses?.note(use),
      countUse: (use) => {
        secretTokens.legacy.add();
        if (use) secretTokens[use].add();
      },
      countBoundUse: (isStale) => {
        secretTokens[isStale ? 'stale' : 'valid'].add();
      },
    });
  }

  private createIssuer({ signingKey }: ServiceAccountCredentials): TokenIssuer | undefined {
    if (signingKey === undefined) return undefined;
    const { issuer, audiences } = this;
    const { naming, clock, random, isFeatureEnabled } = this.parts;
    const { maxTokenSeconds: maxLifeSeconds, extendsTokens: extendsLife } = this.config.serviceAccounts;
    const key = readSigningKey(signingKey);
    const newId = isFeatureEnabled('ServiceAccountTokenJTI') ? () => random.uuid() : undefined;
    const life = { maxLifeSeconds, extendsLife };
    return new TokenIssuer({ key, naming, issuer, audiences, ...life, newId, clock });
  }
}

function keysOf({ verificationKeys }: ServiceAccountCredentials): VerificationKey[] {
  return verificationKeys.flatMap(readVerificationKeys);
}
