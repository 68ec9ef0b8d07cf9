/** Watches end, as when their time is over, or when a connection breaks. */
import type { RequestContext } from '../../../http/request-context.ts';
import type { ActiveFault } from './active-fault.ts';
import type { Effect, EffectParts } from './effect.ts';
import { isInScope, struckRequestOf } from './struck-request.ts';

/** @param cut the connection of each is cut, which may lose what was sent */
export function closesWatches(fault: ActiveFault, cut: boolean, parts: EffectParts): Effect {
  const close = (): void => {
    closeWatches(fault, cut, parts);
  };
  return {
    concerns: () => true,
    begin: () => {
      close();
      return Promise.resolve();
    },
    strike: async (_context, _handling, next) => {
      close();
      await next();
    },
  };
}

/** Closes the open watches in the scope of a fault, whatever its verbs are. */
export function closeWatches(
  { scope }: Pick<ActiveFault, 'scope'>,
  cut: boolean,
  { target, log }: EffectParts,
): void {
  const closed: RequestContext[] = [];
  target.endWatches((context) => {
    const request = struckRequestOf(context);
    if (request === undefined || !isInScope(request, { ...scope, verb: '*' })) return false;
    log(cut ? 'connection of the watch cut' : 'watch ended', request);
    closed.push(context);
    return !cut;
  });
  if (cut) for (const { res } of closed) res.destroy();
}
