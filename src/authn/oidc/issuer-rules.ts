/**
 * An issuer of tokens as `--authentication-config` describes it (kube-apiserver: JWTAuthenticator of apiserver.config).
 * Plain data, so that it can be sent to worker processes.
 */
export interface IssuerRules {
  /** The claim `iss`. */
  readonly issuer: string;
  /** Where the discovery document is; '' for the usual place below the issuer. */
  readonly discoveryUrl: string;
  /** Authorities of the issuer's certificate (PEM); '' for those of the host. */
  readonly ca: string;
  /** A token is meant for one of these at least. */
  readonly audiences: readonly string[];
  readonly claimRules: readonly ClaimRule[];
  readonly username: ClaimMapping;
  /** undefined: users have no groups. */
  readonly groups: ClaimMapping | undefined;
  /** undefined: users have no uid. */
  readonly uid: ClaimMapping | undefined;
  readonly extra: readonly ExtraMapping[];
  readonly userRules: readonly ExpressionRule[];
}

/** A claim with a prefix, or an expression over `claims`. */
export type ClaimMapping =
  | { readonly claim: string; readonly prefix: string; readonly expression?: undefined }
  | { readonly claim?: undefined; readonly expression: string };

export interface ExtraMapping {
  readonly key: string;
  /** Over `claims`. */
  readonly expression: string;
}

/** An expression that must be true. */
export interface ExpressionRule {
  readonly expression: string;
  /** For the log; '' for the expression itself. */
  readonly message: string;
}

/** A claim with a required value, or an expression over `claims`. */
export type ClaimRule =
  { readonly claim: string; readonly value: string; readonly expression?: undefined } | ExpressionRule;

/** What `--authentication-config` says. Plain data. */
export interface ConfiguredAuthentication {
  readonly issuers: readonly IssuerRules[];
  /** undefined: `--anonymous-auth` decides. */
  readonly anonymous: AnonymousRules | undefined;
  /** Minor number of the release whose libraries the expressions may use. */
  readonly minor: number;
}

/** Whose requests without credentials are anonymous ones; all others are refused. */
export interface AnonymousRules {
  readonly isEnabled: boolean;
  /** Exact paths; empty: every path. */
  readonly paths: readonly string[];
}
