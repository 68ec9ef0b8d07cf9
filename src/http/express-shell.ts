/**
 * Express as a shell around the chain. API requests pass a single handler without the conveniences of Express: they
 * cost time, and the chain does all of this by the rules of this API. A program that uses the library can add
 * middleware and routers. Express sets the prototype of every request and response. Changing the prototype changes
 * the hidden class of an object, so code that sees both becomes megamorphic. Therefore the server creates requests
 * and responses with those prototypes, and Express has nothing to change. A get takes 10 to 20 % less CPU time (61 to
 * 68 µs instead of 76, compared with 33 for a bare Express).
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { Express, Request, Response } from 'express';
import { streamClassesOf, type StreamClasses } from './http2/stream-classes.ts';
import { originForm } from './request-info-resolver.ts';

/** Classes that the server should use for requests and responses. */
export interface MessageClasses {
  readonly incoming: typeof IncomingMessage;
  readonly outgoing: typeof ServerResponse;
  /** Those of HTTP/2. */
  readonly streams: StreamClasses;
}

export interface Shell {
  (req: IncomingMessage, res: ServerResponse): void;
  readonly classes: MessageClasses;
}

/** Adds middleware and routers of the program that uses the library; see the README of this folder. */
export type ExtendExpress = (app: Express) => void;

export interface ShellParts {
  /** Handles every request that no middleware has answered. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void;
  /** Adds middleware before the listener. */
  readonly extend?: ExtendExpress | undefined;
  /** Responds to a request whose middleware failed; defaults to the listener. */
  readonly fail?: (error: unknown, req: IncomingMessage, res: ServerResponse) => void;
}

/** Passes every request through Express and its extensions to `listener`. */
export function createShell({
  listener,
  extend,
  fail = (_error, ...sent) => listener(...sent),
}: ShellParts): Shell {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  extend?.(app);
  app.use(listener);
  const classes = classesOf(app);
  const streamApp = appOfStreams(app, classes.streams);
  const shell = (req: IncomingMessage, res: ServerResponse): void => {
    req.url = originForm(req.url ?? '/');
    // A request that Express cannot parse is rejected by the chain, not by a page of Express. A request whose
    // middleware failed must not reach the chain: the middleware may be what rejects it.
    const done = (error?: unknown): void => {
      if (error === undefined || error === null) listener(req, res);
      else fail(error, req, res);
    };
    if (req.httpVersionMajor === 2) streamApp.handle(req, res, done);
    else app(req as Request, res as Response, done);
  };
  return Object.assign(shell, { classes });
}

function classesOf(app: Express): MessageClasses {
  class ShellRequest extends IncomingMessage {}
  class ShellResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(ShellRequest.prototype, app.request);
  Object.setPrototypeOf(ShellResponse.prototype, app.response);
  app.request = ShellRequest.prototype as Request;
  app.response = ShellResponse.prototype as Response;
  const streams = streamClassesOf(ShellRequest, ShellResponse);
  return { incoming: ShellRequest, outgoing: ShellResponse, streams };
}

/** The part of an Express application that serves a request; its types do not have it. */
interface Handles {
  handle(req: IncomingMessage, res: ServerResponse, done: (error?: unknown) => void): void;
}

/** The same application for the classes of HTTP/2, so that Express has nothing to change there either. */
function appOfStreams(app: Express, streams: StreamClasses): Handles {
  return Object.create(app, {
    request: { value: streams.request.prototype as unknown },
    response: { value: streams.response.prototype as unknown },
  }) as Handles;
}
