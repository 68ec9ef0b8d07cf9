/** The issuer interface of service account tokens. */

/** Issues service account tokens. */
export interface AccountTokens {
  boundToken(request: {
    readonly subject: {
      readonly namespace: string;
      readonly account: { readonly name: string; readonly uid: string };
      readonly bound: BoundObject | undefined;
      /** Where the Pod runs that the token is bound to; '' for the uid of a Node that does not exist. */
      readonly node?: { readonly name: string; readonly uid: string } | undefined;
    };
    readonly audiences: readonly string[];
    readonly lifeSeconds: number;
  }): {
    readonly token: string;
    /** The granted validity, which may be shorter than requested. */
    readonly lifeSeconds: number;
    readonly audiences: readonly string[];
    readonly expires: Date;
    /** Its id; undefined: it has none. */
    readonly id: string | undefined;
  };
}

/** The object to which a token is bound. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}
