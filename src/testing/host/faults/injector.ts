/** The faults of a control plane: which requests they strike, and in what order they are done to one. */
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { Dispatches, Interpose } from '../../../http/interpose.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import type { FaultId, FaultOrder, FaultStrike, SeededFault } from '../../fault-orders.ts';
import { ActiveFault } from './active-fault.ts';
import { checkOrder } from './check-order.ts';
import type { Effect, Handling } from './effect.ts';
import { effectOf } from './effects.ts';
import { FaultLog } from './fault-log.ts';
import type { FaultTarget } from './fault-target.ts';
import { RequestNumbers } from './request-numbers.ts';
import { struckRequestOf } from './struck-request.ts';

/** Faults that are active at once, and those that are over and still counted. */
const mostFaults = 1_000;
const mostKnown = 10_000;

interface Active {
  readonly fault: ActiveFault;
  readonly effect: Effect;
}

export class FaultInjector {
  readonly #target: FaultTarget;
  readonly #log: FaultLog;
  readonly #active = new Map<FaultId, Active>();
  /** Of faults that are over, too. */
  readonly #known = new Map<FaultId, ActiveFault>();
  #numbers = new RequestNumbers();

  constructor(target: FaultTarget) {
    this.#target = target;
    this.#log = new FaultLog(target.clock);
  }

  /** For the handler of each replica of the control plane. Without faults it costs a request a look at a number. */
  readonly interpose: Interpose = (dispatches) => {
    const { usual } = dispatches;
    return (context) => (this.#active.size === 0 ? usual(context) : this.#serve(context, dispatches));
  };

  /**
   * Begins a fault; what it does at once is done when this resolves.
   * @throws TypeError for an order that cannot be carried out
   */
  async start(given: SeededFault): Promise<void> {
    checkOrder(given.order);
    this.#checkResources(given.order);
    if (this.#active.size >= mostFaults)
      throw new TypeError(`${String(mostFaults)} faults are active: end some, or clear them all`);
    const fault = new ActiveFault(given);
    const log = this.#log.add.bind(this.#log, fault);
    const effect = effectOf(fault, { target: this.#target, log });
    this.#know(fault);
    const waits = fault.scope.after !== undefined || fault.scope.requests !== undefined;
    if (!waits) await effect.begin?.();
    if (waits || !fault.isDoneAtOnce) this.#active.set(fault.id, { fault, effect });
    else fault.strike();
  }

  #checkResources({ kind, scope }: FaultOrder): void {
    for (const resource of [scope?.resource ?? []].flat()) {
      const meant = this.#target.meant(resource);
      if (meant !== undefined)
        throw new TypeError(
          `${kind}: there is no resource ${resource}: give ${meant}, as in paths of the API`,
        );
    }
  }

  end(id: FaultId): void {
    this.#active.get(id)?.effect.end?.();
    this.#active.delete(id);
  }

  /** Ends all, and forgets what they did. What is away comes back. */
  clear(): void {
    this.#target.comeBack();
    for (const id of [...this.#active.keys()]) this.end(id);
    this.#known.clear();
    this.#log.clear();
    this.#numbers = new RequestNumbers();
  }

  /** How many requests a fault has struck. */
  strikes(id: FaultId): number {
    return this.#known.get(id)?.strikes ?? 0;
  }

  /** The first requests that a fault has struck, by their names and numbers. */
  requests(id: FaultId): readonly string[] {
    return this.#known.get(id)?.requests ?? [];
  }

  get log(): readonly FaultStrike[] {
    return this.#log.strikes;
  }

  #know(fault: ActiveFault): void {
    this.#known.set(fault.id, fault);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  #serve(context: RequestContext, dispatches: Dispatches): MaybePromise<void> {
    const request = struckRequestOf(context);
    if (request === undefined) return dispatches.usual(context);
    const handling = { request, number: this.#numbers.next(request), verbs: dispatches.verbs };
    return pass(context, { handling, dispatches, faults: this.#active.values() });
  }
}

interface Passage {
  readonly handling: Handling;
  readonly dispatches: Dispatches;
  /** Those that it has yet to pass, in the order in which they were ordered. */
  readonly faults: Iterator<Active>;
}

/** Passes a request through the faults: what one refuses does not reach the next. */
function pass(context: RequestContext, passage: Passage): MaybePromise<void> {
  const { handling, dispatches, faults } = passage;
  for (let next = faults.next(); next.done !== true; next = faults.next()) {
    const { fault, effect } = next.value;
    if (!effect.concerns(context, handling.request) || !fault.strikesAt(handling.request, handling.number))
      continue;
    return effect.strike(context, handling, (asked = context) => pass(asked, passage));
  }
  const { verbs } = handling;
  return verbs === dispatches.verbs ? dispatches.usual(context) : dispatches.by(verbs)(context);
}
