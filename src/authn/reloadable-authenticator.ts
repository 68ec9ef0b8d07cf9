/** An authenticator that can be replaced while requests are served (reloaded files). */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

export class ReloadableAuthenticator implements Authenticator {
  private current: Authenticator;

  constructor(first: Authenticator) {
    this.current = first;
  }

  authenticate(request: AuthenticationRequest): MaybePromise<AuthenticationResult | undefined> {
    return this.current.authenticate(request);
  }

  /** Delegates to `next` from now on. */
  replace(next: Authenticator): void {
    this.current = next;
  }
}
