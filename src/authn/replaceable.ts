/** An authenticator that another may take the place of while requests come. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

export class ReplaceableAuthenticator implements Authenticator {
  private current: Authenticator;

  constructor(first: Authenticator) {
    this.current = first;
  }

  authenticate(request: AuthenticationRequest): MaybePromise<AuthenticationResult | undefined> {
    return this.current.authenticate(request);
  }

  /** Asks `next` from now on. */
  replace(next: Authenticator): void {
    this.current = next;
  }
}
