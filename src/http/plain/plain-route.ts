/** Non-resource URLs: discovery, health, version, metrics. They pass the same filter chain as resources. */
import type { NextFunction, Request, Response, Router as ExpressRouter } from 'express';
import { Router } from 'express';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { methodNotSupported } from '../../meta/status.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from '../filters/step.ts';
import { sendNotFoundPage } from '../respond.ts';

export interface PlainRoute {
  /** Express path: `/version`, `/livez{/*check}`. */
  readonly path: string;
  /** Entries in the list of paths at `/`; defaults to the path. */
  readonly listed?: () => MaybePromise<readonly string[]>;
  readonly serve: Step;
}

/** A step that serves the routes, GET and HEAD only; other paths get a 404 page. */
export function createPlainRoutes(routes: readonly PlainRoute[]): Step {
  // Compiling the paths takes as long as much of a start; many a control plane of a test is never asked for one.
  let made: ExpressRouter | undefined;
  return function plainRoutes(context: RequestContext): Promise<void> {
    const { req, res } = context;
    return new Promise((resolve, reject) => {
      const answer = (serve: Step, start = ''): void => {
        context.route = start;
        runStep(serve, context).then(resolve, reject);
      };
      (req as PlainRequest)[answering] = answer;
      made ??= routerOf(routes);
      made(req as Request, res as Response, (error: unknown) => {
        if (error instanceof Error) reject(error);
        else answer(sendNotFoundPage);
      });
    });
  };
}

function routerOf(routes: readonly PlainRoute[]): ExpressRouter {
  const router: ExpressRouter = Router({ caseSensitive: true });
  for (const route of routes) {
    const start = startOf(route.path);
    router.all(route.path, (req: PlainRequest, _res: Response, next: NextFunction) => {
      const answer = req[answering];
      if (answer) answer(route.serve, start);
      else next();
    });
  }
  return router;
}

/** The part of a route's path that is the same for all requests, for metrics. */
function startOf(path: string): string {
  return path.replace(/\/?[{:*].*$/, '');
}

/** Stored on the request: a WeakMap in the old generation would keep requests alive. */
const answering = Symbol('answering');

interface PlainRequest extends Request {
  [answering]?: (serve: Step, start: string) => void;
}

async function runStep(serve: Step, context: RequestContext): Promise<void> {
  const { method } = context.req;
  if (serve !== sendNotFoundPage && method !== 'GET' && method !== 'HEAD') throw methodNotSupported();
  await serve(context);
}
