/** History before now is gone, as after a compaction of etcd that clients were too slow for. */
import type { RequestContext } from '../../../http/request-context.ts';
import type { ActiveFault } from './active-fault.ts';
import { closeWatches } from './closes-watches.ts';
import type { Effect, EffectParts } from './effect.ts';
import { askedVersionOf, withHistoryFrom } from './expired-history.ts';

/** Watches in the scope end, so that their clients come back with a version that is too old. */
export function expiresHistory(fault: ActiveFault, parts: EffectParts): Effect {
  let first = 0;
  const begin = async (): Promise<void> => {
    first = await parts.target.moveOn();
    closeWatches(fault, false, parts);
  };
  const isOld = ({ info, query }: RequestContext): boolean => {
    const version = askedVersionOf(info.verb, query);
    return version > 0 && version < first;
  };
  return {
    // Until it has begun it waits for any request.
    concerns: (context) => first === 0 || isOld(context),
    begin,
    strike: async (context, handling, next) => {
      if (first === 0) await begin();
      if (isOld(context)) {
        parts.log('the version that it asks for is too old (410)', handling.request);
        handling.verbs = withHistoryFrom(first, handling.verbs);
      }
      await next();
    },
  };
}
