/** Routes that are no resources: discovery, health, version, metrics. They pass the same chain as everything else. */
import type { NextFunction, Request, Response, Router as ExpressRouter } from 'express';
import { Router } from 'express';
import { methodNotSupported } from '../../meta/status.ts';
import type { RequestContext } from '../context.ts';
import type { Step } from '../filters/step.ts';
import { sendNotFoundPage } from '../respond.ts';

export interface PlainRoute {
  /** Express path: `/version`, `/livez{/*check}`. */
  readonly path: string;
  /** How the route appears in the list of paths at `/`; absent: as its path. */
  readonly listed?: () => readonly string[];
  readonly serve: Step;
}

/** One step that serves the routes; GET and HEAD only, and a page of its own for what nobody serves. */
export function createPlainRoutes(routes: readonly PlainRoute[]): Step {
  const router: ExpressRouter = Router({ caseSensitive: true });
  for (const route of routes) {
    router.all(route.path, (req: PlainRequest, _res: Response, next: NextFunction) => {
      const answer = req[answering];
      if (answer) answer(route.serve);
      else next();
    });
  }
  return function plainRoutes(context: RequestContext): Promise<void> {
    const { req, res } = context;
    return new Promise((resolve, reject) => {
      const answer = (serve: Step): void => {
        runStep(serve, context).then(resolve, reject);
      };
      (req as PlainRequest)[answering] = answer;
      router(req as Request, res as Response, (error: unknown) => {
        if (error instanceof Error) reject(error);
        else answer(sendNotFoundPage);
      });
    });
  };
}

/** On the request itself: a table by request would keep requests alive once it has grown old. */
const answering = Symbol('answering');

interface PlainRequest extends Request {
  [answering]?: (serve: Step) => void;
}

async function runStep(serve: Step, context: RequestContext): Promise<void> {
  const { method } = context.req;
  if (serve !== sendNotFoundPage && method !== 'GET' && method !== 'HEAD') throw methodNotSupported();
  await serve(context);
}
