/** What signs the tokens of service accounts. */

/** Makes the tokens of service accounts. */
export interface AccountTokens {
  boundToken(request: {
    readonly subject: {
      readonly namespace: string;
      readonly account: { readonly name: string; readonly uid: string };
      readonly bound: BoundObject | undefined;
    };
    readonly audiences: readonly string[];
    readonly lifeSeconds: number;
  }): {
    readonly token: string;
    /** What was requested, or less. */
    readonly lifeSeconds: number;
    readonly audiences: readonly string[];
    readonly expires: Date;
  };
}

/** The object that a token lives with. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret';
  readonly name: string;
  readonly uid: string;
}
