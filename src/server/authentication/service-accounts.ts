/** Everything around service account tokens, which rests on keys that may change: who checks them, who makes them, what others are told. */
import { createServiceAccountAuthenticator } from '../../authn/service-account/service-account-authenticator.ts';
import { defaultIssuer } from '../../authn/service-account/token-claims.ts';
import { issuerDocuments, type IssuerDocuments } from '../../authn/service-account/issuer-discovery.ts';
import { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import {
  readSigningKey,
  readVerificationKeys,
  type VerificationKey,
} from '../../authn/service-account/service-account-keys.ts';
import { ReplaceableAuthenticator } from '../../authn/reloadable-authenticator.ts';
import type { Authenticator } from '../../authn/types.ts';
import type { PlainRoute } from '../../http/plain/plain-route.ts';
import { issuerRoutes } from '../../http/plain/issuer-routes.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Storage } from '../../storage/types.ts';
import type { AccountMaterials } from '../../options/authentication/account-materials.ts';
import type { AuthenticationConfig } from '../../options/authentication/authentication-config.ts';
import { createTokenObjects } from './token-objects.ts';

export interface ServiceAccountsParts {
  readonly materials: AccountMaterials;
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'peek' | 'get'>;
}

export class ServiceAccounts {
  /** Whom bound tokens have to be meant for. */
  readonly audiences: readonly string[];
  /** Makes tokens; undefined: there is no key to sign them with. */
  readonly tokens: TokenIssuer | undefined;
  private readonly config: AuthenticationConfig;
  private readonly parts: ServiceAccountsParts;
  private readonly issuer: string;
  private readonly current: ReplaceableAuthenticator;
  private keys: readonly VerificationKey[];

  constructor(config: AuthenticationConfig, parts: ServiceAccountsParts) {
    this.config = config;
    this.parts = parts;
    this.issuer = config.serviceAccounts.issuer || defaultIssuer(parts.naming);
    this.audiences = config.audiences.length > 0 ? config.audiences : [this.issuer];
    this.keys = keysOf(parts.materials);
    this.current = new ReplaceableAuthenticator(this.createAuthenticator());
    this.tokens = this.createIssuer(parts.materials);
  }

  get authenticator(): Authenticator {
    return this.current;
  }

  /** What tells others how to check tokens; none where they could not find it. */
  routes(): PlainRoute[] {
    const documents = (): IssuerDocuments | undefined => this.documents();
    return documents() ? issuerRoutes(documents) : [];
  }

  private documents(): IssuerDocuments | undefined {
    const { issuer, keys } = this;
    return issuerDocuments({ issuer, keys, keySetUri: this.config.serviceAccounts.keySetUri });
  }

  /** Takes these keys for those that count from now on. */
  use(materials: AccountMaterials): void {
    this.keys = keysOf(materials);
    this.current.replace(this.createAuthenticator());
    if (materials.signingKey !== undefined) this.tokens?.signWith(readSigningKey(materials.signingKey));
  }

  private createAuthenticator(): Authenticator {
    const { keys, issuer, audiences } = this;
    const { naming, storage } = this.parts;
    const { lookup } = this.config.serviceAccounts;
    const objects = createTokenObjects(storage);
    return createServiceAccountAuthenticator({ keys, naming, issuer, audiences, lookup, objects });
  }

  private createIssuer({ signingKey }: AccountMaterials): TokenIssuer | undefined {
    if (signingKey === undefined) return undefined;
    const { issuer, audiences } = this;
    const { naming } = this.parts;
    const { maxTokenSeconds: maxLifeSeconds } = this.config.serviceAccounts;
    return new TokenIssuer({ key: readSigningKey(signingKey), naming, issuer, audiences, maxLifeSeconds });
  }
}

function keysOf({ verificationKeys }: AccountMaterials): VerificationKey[] {
  return verificationKeys.flatMap(readVerificationKeys);
}
