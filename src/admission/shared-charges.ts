/**
 * What several writes take of one quota is written together: while one update of its status is under way, the next ones
 * gather, and the update that follows counts all of them, one after the other.
 */
import { Arrivals } from '../base/arrivals.ts';
import type { Clock } from '../base/clock.ts';
import { outsideSlot, withoutSlot } from '../base/slot-holder.ts';
import { timeLimit } from '../base/time-limit.ts';
import type { ResourceQuotaStatus } from '../api/core/v1.types.ts';
import type { QuotaAccessor, ResourceQuota } from './resource-quota.ts';

/** Charges of one update: each takes some 20 µs of the thread, and as much again when another replica was first. */
const mostTogether = 100;
/** An update gets as long as each of its charges. */
const updateMs = 10_000;

type Change = (quota: ResourceQuota) => ResourceQuotaStatus;

interface Charge {
  readonly change: Change;
  readonly signal: AbortSignal;
  /** What is wrong with it alone, as of the newest quota that was seen. */
  problem: { readonly error: unknown } | undefined;
  readonly settle: (problem?: { readonly error: unknown }) => void;
}

/** Nothing is to be written: each charge has a problem. */
class NothingCharged extends Error {
  constructor() {
    super('the quota has no room for any of the writes');
    this.name = 'NothingCharged';
  }
}

export class SharedCharges implements QuotaAccessor {
  readonly #accessor: QuotaAccessor;
  readonly #clock: Clock;
  /** By quota while it is updated: who comes next. */
  readonly #waiting = new Map<string, Charge[]>();
  /** What follows a charge takes a millisecond or two, and a hundred are settled together. */
  readonly #turns = new Arrivals();

  constructor(accessor: QuotaAccessor, clock: Clock) {
    this.#accessor = accessor;
    this.#clock = clock;
  }

  /**
   * Settles when the quota was written with this charge. Releases the place of the work meanwhile.
   * @throws what `change` throws of the newest quota, the reason of the signal, or what keeps the quota from being written
   */
  update(namespace: string, name: string, change: Change, signal: AbortSignal): Promise<void> {
    const settled = Promise.withResolvers<undefined>();
    const charge = chargeOf(change, signal, (problem) => {
      if (problem) settled.reject(problem.error);
      else settled.resolve(undefined);
    });
    return withoutSlot(async () => {
      if (!signal.aborted) this.#add(namespace, name, charge);
      await settled.promise;
      await this.#turns.begin(namespace);
    });
  }

  #add(namespace: string, name: string, charge: Charge): void {
    const key = `${namespace}/${name}`;
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.push(charge);
      return;
    }
    const own = [charge];
    this.#waiting.set(key, own);
    void outsideSlot(() => this.#rounds(namespace, name, own));
  }

  /** Never rejects. */
  async #rounds(namespace: string, name: string, waiting: Charge[]): Promise<void> {
    while (waiting.length > 0) {
      const round = waiting.splice(0, mostTogether).filter(({ signal }) => !signal.aborted);
      if (round.length > 0) await this.#round(namespace, name, round);
    }
    this.#waiting.delete(`${namespace}/${name}`);
  }

  /** Never rejects: each charge has its own outcome. */
  async #round(namespace: string, name: string, charges: readonly Charge[]): Promise<void> {
    using limit = timeLimit(this.#clock, updateMs);
    try {
      await this.#accessor.update(namespace, name, (quota) => withAll(quota, charges), limit.signal);
    } catch (error) {
      if (!(error instanceof NothingCharged)) {
        for (const charge of charges) charge.settle({ error });
        return;
      }
    }
    for (const charge of charges) charge.settle(charge.problem);
  }
}

function chargeOf(change: Change, signal: AbortSignal, onSettled: Charge['settle']): Charge {
  const onAbort = (): void => {
    onSettled({ error: signal.reason });
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  const settle: Charge['settle'] = (problem) => {
    signal.removeEventListener('abort', onAbort);
    onSettled(problem);
  };
  return { change, signal, problem: undefined, settle };
}

/** The status with all charges that it has room for. @throws NothingCharged */
function withAll(quota: ResourceQuota, charges: readonly Charge[]): ResourceQuotaStatus {
  let { status } = quota;
  let charged = 0;
  for (const charge of charges) {
    charge.problem = undefined;
    if (charge.signal.aborted) continue;
    try {
      status = charge.change({ ...quota, status });
      charged += 1;
    } catch (error) {
      charge.problem = { error };
    }
  }
  if (charged === 0) throw new NothingCharged();
  return status ?? {};
}
