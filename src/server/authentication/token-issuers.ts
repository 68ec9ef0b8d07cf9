/** The issuers of `--authentication-config`: each with its keys and its rules, replaced while requests are served. */
import { isDeepStrictEqual } from 'node:util';
import { signingAlgorithms, readUnverified, textClaim } from '../../authn/jwt.ts';
import type { ConfiguredAuthentication, IssuerRules } from '../../authn/oidc/issuer-rules.ts';
import { identityByRules } from '../../authn/oidc/mapped-identity.ts';
import { createOidcAuthenticator } from '../../authn/oidc/oidc-authenticator.ts';
import { OidcProvider } from '../../authn/oidc/oidc-provider.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from '../../authn/types.ts';
import type { Environment } from '../../base/environment.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { systemAuthorities } from '../../base/system-authorities.ts';

export interface TokenIssuersParts {
  readonly environment: Environment;
  readonly warn: (details: object, message: string) => void;
  /** What to call with each decision on a token of this issuer. */
  readonly onDecided: (issuer: string) => (isAccepted: boolean, seconds: number) => void;
}

interface OpenIssuer {
  readonly rules: IssuerRules;
  readonly minor: number;
  readonly provider: OidcProvider;
  readonly authenticator: Authenticator;
}

export class TokenIssuers implements Authenticator {
  private readonly parts: TokenIssuersParts;
  private issuers: ReadonlyMap<string, OpenIssuer> = new Map();

  /** Starts to fetch the keys of all issuers. */
  constructor(configured: ConfiguredAuthentication | undefined, parts: TokenIssuersParts) {
    this.parts = parts;
    if (configured) this.use(configured);
  }

  /** Replaces the issuers. Those that stay as they are keep their keys; tokens of those that changed are judged again. */
  use({ issuers, minor }: ConfiguredAuthentication): void {
    const former = this.issuers;
    this.issuers = new Map(issuers.map((rules) => [rules.issuer, this.opened(rules, minor)]));
    const kept = new Set([...this.issuers.values()].map(({ provider }) => provider));
    for (const { provider } of former.values()) if (!kept.has(provider)) provider.close();
  }

  close(): void {
    for (const { provider } of this.issuers.values()) provider.close();
  }

  authenticate(request: AuthenticationRequest): MaybePromise<AuthenticationResult | undefined> {
    if (!request.bearerToken.startsWith('ey')) return undefined;
    return this.issuerOf(request.bearerToken)?.authenticator.authenticate(request);
  }

  /** With one issuer its authenticator looks by itself, where it knows the token already. */
  private issuerOf(token: string): OpenIssuer | undefined {
    const [only] = this.issuers.values();
    if (this.issuers.size <= 1) return only;
    const jwt = readUnverified(token);
    return jwt && this.issuers.get(textClaim(jwt.claims, 'iss'));
  }

  private opened(rules: IssuerRules, minor: number): OpenIssuer {
    const former = this.issuers.get(rules.issuer);
    if (former && former.minor === minor && isDeepStrictEqual(former.rules, rules)) return former;
    const provider = former && hasSameSource(former.rules, rules) ? former.provider : this.provider(rules);
    const authenticator = createOidcAuthenticator({
      ...{ issuer: rules.issuer, provider, clock: this.parts.environment.clock },
      ...{ algorithms: signingAlgorithms, identify: identityByRules(rules, minor) },
      onDecided: this.parts.onDecided(rules.issuer),
    });
    return { rules, minor, provider, authenticator };
  }

  private provider({ issuer, discoveryUrl, ca }: IssuerRules): OidcProvider {
    const { environment, warn } = this.parts;
    const authorities = ca === '' ? systemAuthorities() : [ca];
    const provider = new OidcProvider({ ...environment, issuer, discoveryUrl, ca: authorities, warn });
    void provider.run();
    return provider;
  }
}

/** Whether the keys come from the same place. */
function hasSameSource(a: IssuerRules, b: IssuerRules): boolean {
  return a.discoveryUrl === b.discoveryUrl && a.ca === b.ca;
}
