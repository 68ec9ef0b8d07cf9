/**
 * What leaves this service: connections to agents of nodes, to pods and services. Here they are only described; the
 * program that builds the handler makes them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionTarget } from '../registry/subresources/connection-target.ts';
import type { RequestContext } from './request-context.ts';
import { noCache } from './respond.ts';
import { letBodyLast } from './streamed-body.ts';
import type { TakenConnection } from './upgrade.ts';
import { warningValues } from './warnings.ts';

/** The client's side of a request that is passed on; nothing of it is read or answered yet. */
export interface PassedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Name of the user. */
  readonly user: string;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Headers of every response, names and values alternating; those of the other side replace them. */
  readonly ownHeaders: readonly string[];
  /** Must be called before the body is read. */
  readonly beginBody: () => void;
  /** Must be called before the head of a response is written. */
  readonly beginResponse: () => void;
  /** Takes the connection for another protocol; absent if the client asks for none. */
  readonly takeConnection?: ((code: number) => TakenConnection) | undefined;
}

export interface Destination {
  readonly target: Exclude<ConnectionTarget, { readonly kind: 'nothing' }>;
  /** `log`: a text that is read. `stream`: another protocol. `proxy`: whatever is behind the target. */
  readonly purpose: 'log' | 'stream' | 'proxy';
  /** `proxy`: path (decoded) at the target. */
  readonly path: string;
  /** `proxy`: path (decoded) under which the client sees `/` of the target. */
  readonly mount: string;
  readonly name: string;
}

/**
 * Resolves when everything is passed on.
 * @throws StatusError; it can be answered if the response has no head and the connection is not taken
 */
export type PassOn = (client: PassedRequest, destination: Destination) => Promise<void>;

/** The client's side of a request. */
export function passedRequest(context: RequestContext): PassedRequest {
  const { req, res, upgrade } = context;
  return {
    ...{ req, res, user: context.user.name, signal: context.signal, ownHeaders: ownHeaders(context) },
    beginBody: () => {
      letBodyLast(req);
      if (!context.expectsContinue) return;
      context.expectsContinue = false;
      res.writeContinue();
    },
    beginResponse: () => {
      void context.audit?.record('ResponseStarted');
    },
    ...(upgrade && { takeConnection: (code: number) => context.takeConnection(code) }),
  };
}

function ownHeaders(context: RequestContext): string[] {
  const headers = ['Audit-Id', context.auditId, 'Cache-Control', noCache];
  for (const value of warningValues(context.warnings ?? [])) headers.push('Warning', value);
  if (context.closesConnection || context.phase.isDraining) headers.push('Connection', 'close');
  return headers;
}
