/** Finds out who asks. Afterwards no credential is in reach of anything that comes later. */
import { bearerTokenOf } from '../../authn/bearer-token.ts';
import type { ProxyHeaders } from '../../authn/request-header.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from '../../authn/types.ts';
import { whenReady } from '../../base/maybe-promise.ts';
import { anonymousUser } from '../../meta/user.ts';
import { unauthorized } from '../../meta/status.ts';
import type { Logger } from '../../observe/log.ts';
import type { RequestContext } from '../context.ts';
import { peerOf } from '../peer-identity.ts';
import { createCredentialRemoval } from './credential-removal.ts';
import type { FailedAuthentications } from './failed-authentication.ts';
import type { Step } from './step.ts';

export interface AuthenticationParts {
  readonly authenticator: Authenticator;
  /** Headers in which an authenticating proxy tells of users; absent: there is none. */
  readonly proxyHeaders?: ProxyHeaders | undefined;
  /** Bounds what bad credentials cost; absent: nothing does. */
  readonly failedAuthentications?: FailedAuthentications | undefined;
  readonly logger: Logger;
}

/** Every answer of the authenticator but a user is a 401 that does not tell why; the log does. */
export function withAuthentication(parts: AuthenticationParts): Step {
  const { authenticator, proxyHeaders, failedAuthentications: failures, logger } = parts;
  const removeCredentials = createCredentialRemoval(proxyHeaders);
  const decide = (context: RequestContext, result: AuthenticationResult | undefined): void => {
    const isKnown = result?.outcome === 'authenticated';
    if (!isKnown) failures?.noteFailure(context);
    else if (result.user !== anonymousUser) failures?.noteSuccess(context);
    removeCredentials(context.req);
    if (isKnown) {
      context.user = result.user;
      return;
    }
    const { authenticator: by, reason } = result ?? { authenticator: '', reason: 'no credentials' };
    logger.debug('authentication refused', { auditId: context.auditId, by, reason });
    throw unauthorized();
  };
  return function authentication(context: RequestContext): void | Promise<void> {
    failures?.assertMayTry(context);
    return whenReady(authenticator.authenticate(factsOf(context)), (result) => {
      decide(context, result);
    });
  };
}

function factsOf({ req }: RequestContext): AuthenticationRequest {
  return {
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    bearerToken: bearerTokenOf(req.headers.authorization),
    peer: peerOf(req.socket),
    remoteAddress: req.socket.remoteAddress ?? '',
  };
}
