/** What each kind of fault does to the requests that it strikes. */
import { pause } from '../../../base/pause.ts';
import { millisecondsOf } from './milliseconds.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import type { FaultKind, FaultOrder } from '../../fault-orders.ts';
import type { ActiveFault } from './active-fault.ts';
import type { Effect, EffectParts } from './effect.ts';
import { closesWatches, closeWatches } from './closes-watches.ts';
import { expiresHistory } from './expires-history.ts';
import { loseAnswer } from './lost-answer.ts';
import { refusalOf } from './refusal.ts';

type OrderOf<Kind extends FaultKind> = Extract<FaultOrder, { readonly kind: Kind }>;

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const guarded: ReadonlySet<string> = new Set(['update', 'patch', 'delete']);

/** The effect of a fault. */
export function effectOf(fault: ActiveFault, parts: EffectParts): Effect {
  const { order } = fault;
  switch (order.kind) {
    case 'closeWatches':
      return closesWatches(fault, order.cut === true, parts);
    case 'expireHistory':
      return expiresHistory(fault, parts);
    case 'staleReads':
      return readsLate(fault, order, parts);
    case 'lagReplica':
      return readsLate(fault, order, parts);
    case 'conflicts':
      return conflicts(parts);
    case 'delay':
      return delays(order, parts);
    case 'refuse':
      return refuses(order, parts);
    case 'restart':
      return restarts(fault, order, parts);
    case 'loseAnswers':
      return losesAnswers(order, parts);
  }
}

function readsLate(
  { id }: ActiveFault,
  { kind, by }: OrderOf<'staleReads' | 'lagReplica'>,
  { target, log }: EffectParts,
): Effect {
  const mayBeStale = ({ query }: RequestContext): boolean => {
    const version = query.get('resourceVersion');
    return kind === 'staleReads' ? version === '0' : version !== '';
  };
  return {
    // Consistent reads are consistent at every replica, however far it is behind.
    concerns: (context, { verb }) => reads.has(verb) && mayBeStale(context),
    begin: async () => {
      // It loads the state before it is behind.
      await target.lagging();
      target.lagBy(id, millisecondsOf(by));
    },
    end: () => {
      target.lagBy(id, 0);
    },
    strike: async (_context, handling, next) => {
      log(`answered by a replica that is ${by} behind`, handling.request);
      handling.verbs = await target.lagging();
      await next();
    },
  };
}

function conflicts({ target, log }: EffectParts): Effect {
  return {
    concerns: (_context, { verb, name }) => guarded.has(verb) && name !== '',
    strike: async (context, { request }, next) => {
      if (await target.touch(context.info)) log('another client wrote the object before', request);
      await next();
    },
  };
}

function delays({ by }: OrderOf<'delay'>, { target, log }: EffectParts): Effect {
  return {
    concerns: () => true,
    strike: async (context, { request }, next) => {
      log(`delayed by ${by}`, request);
      await pause(target.clock, millisecondsOf(by), context.signal);
      await next();
    },
  };
}

function refuses({ status, retryAfter }: OrderOf<'refuse'>, { log }: EffectParts): Effect {
  return {
    concerns: () => true,
    strike: (_context, { request }) => {
      log(`refused with ${String(status)}`, request);
      throw refusalOf(status, retryAfter);
    },
  };
}

function restarts(fault: ActiveFault, { downFor = '0s' }: OrderOf<'restart'>, parts: EffectParts): Effect {
  const { target, log } = parts;
  const did = `the server restarted, and was away for ${downFor}`;
  const restart = (): Promise<void> => {
    closeWatches(fault, true, parts);
    return target.restart(millisecondsOf(downFor));
  };
  return {
    concerns: () => true,
    begin: async () => {
      log(did);
      await restart();
    },
    strike: async ({ res }, { request }) => {
      log(did, request);
      res.destroy();
      await restart();
    },
  };
}

function losesAnswers({ as = 'cut' }: OrderOf<'loseAnswers'>, { log }: EffectParts): Effect {
  return {
    concerns: (_context, { verb }) => writes.has(verb),
    strike: (context, { request }, next) =>
      loseAnswer(context, as, async (asked) => {
        await next(asked);
        log(`took effect, and its answer was lost (${as})`, request);
      }),
  };
}
