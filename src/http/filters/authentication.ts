/** Authenticates the request and then removes its credentials. */
import { bearerTokenOf } from '../../authn/bearer-token.ts';
import type { ProxyHeaders } from '../../authn/request-header.ts';
import { protocolsHeader, type SocketTokens } from '../../authn/socket-token.ts';
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  CredentialNotes,
} from '../../authn/types.ts';
import { whenReady } from '../../base/maybe-promise.ts';
import { anonymousUser, isAnonymous } from '../../meta/user.ts';
import { unauthorized } from '../../meta/status.ts';
import type { Logger } from '../../observe/log.ts';
import type { RequestContext } from '../request-context.ts';
import { wantsWebSocket } from '../websocket.ts';
import { peerOf } from '../peer-identity.ts';
import { createCredentialRemoval, removeSocketToken } from './credential-removal.ts';
import type { FailedAuthentications } from './failed-authentication.ts';
import type { Step } from './step.ts';

export interface AuthenticationParts {
  readonly authenticator: Authenticator;
  /** Request headers of an authenticating proxy; absent if there is none. */
  readonly proxyHeaders?: ProxyHeaders | undefined;
  /** Reads tokens of WebSockets; absent if they have none. */
  readonly socketTokens?: SocketTokens | undefined;
  /** Limits failed authentications; absent if there is no limit. */
  readonly failedAuthentications?: FailedAuthentications | undefined;
  /** Connections of HTTP/2 end with the first request of nobody known (gate `UnauthenticatedHTTP2DOSMitigation`). */
  readonly endsUnknown?: boolean | undefined;
  readonly logger: Logger;
}

/** Any result of the authenticator but a user is a 401 without a reason; the reason is logged. */
export function withAuthentication(parts: AuthenticationParts): Step {
  const { authenticator, proxyHeaders, socketTokens, failedAuthentications: failures, logger } = parts;
  const endsUnknown = parts.endsUnknown === true;
  const removeCredentials = createCredentialRemoval(proxyHeaders);
  const decide = (context: RequestContext, result: AuthenticationResult | undefined): void => {
    if (result?.notes) tell(context, result.notes);
    const isKnown = result?.outcome === 'authenticated';
    if (!isKnown) failures?.noteFailure(context);
    else if (result.user !== anonymousUser) failures?.noteSuccess(context);
    if (endsUnknown && context.req.httpVersionMajor === 2 && (!isKnown || isAnonymous(result.user)))
      context.closesConnection = true;
    removeCredentials(context.req);
    if (socketTokens) removeSocketToken(context.req, socketTokens);
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
    return whenReady(authenticator.authenticate(factsOf(context, socketTokens)), (result) => {
      decide(context, result);
    });
  };
}

function tell(context: RequestContext, { annotations, warnings }: CredentialNotes): void {
  for (const [key, value] of Object.entries(annotations)) context.annotate(key, value);
  for (const text of warnings) context.warn(text);
}

function factsOf(
  { req, info }: RequestContext,
  socketTokens: SocketTokens | undefined,
): AuthenticationRequest {
  const protocols = wantsWebSocket(req) ? req.headers[protocolsHeader] : undefined;
  const socketToken = protocols === undefined ? undefined : socketTokens?.tokenIn(protocols);
  return {
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    bearerToken: bearerTokenOf(req.headers.authorization) || (socketToken ?? ''),
    peer: peerOf(req.socket),
    remoteAddress: req.socket.remoteAddress ?? '',
    path: info.path,
  };
}
