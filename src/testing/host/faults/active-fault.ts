/** A fault that was ordered: decides which requests it strikes, each decision by seed, request and its count. */
import { SeededRandom } from '../../../base/seeded-random.ts';
import type { FaultKind, FaultOrder, FaultScope, SeededFault } from '../../fault-orders.ts';
import { fullResource, isInScope, type StruckRequest } from './struck-request.ts';

/** Requests that are counted apart; more of them share a count. */
const mostCounted = 10_000;

const onceKinds: ReadonlySet<FaultKind> = new Set(['closeWatches', 'restart']);

export class ActiveFault {
  readonly id: number;
  readonly order: FaultOrder;
  readonly scope: FaultScope;
  readonly #seed: number;
  readonly #times: number;
  readonly #counts = new Map<string, number>();
  #passed = 0;
  #strikes = 0;

  constructor({ id, seed, order }: SeededFault) {
    this.id = id;
    this.order = order;
    this.scope = order.scope ?? {};
    this.#times = this.scope.times ?? (this.isDoneAtOnce ? 1 : Infinity);
    this.#seed = seed;
  }

  /** How many requests it has struck. */
  get strikes(): number {
    return this.#strikes;
  }

  /** It is over when it has been done, unless the order says how often. */
  get isDoneAtOnce(): boolean {
    return onceKinds.has(this.order.kind);
  }

  get isSpent(): boolean {
    return this.#strikes >= this.#times;
  }

  /**
   * Whether it strikes this request, which counts. The n-th request of a user for an object meets the same fate in every
   * run, in whatever order requests for different objects come.
   */
  strikesAt(request: StruckRequest): boolean {
    if (this.isSpent || !isInScope(request, this.scope)) return false;
    this.#passed += 1;
    if (this.#passed <= (this.scope.after ?? 0)) return false;
    const { rate = 1 } = this.scope;
    if (rate < 1 && this.#draw(request) >= rate) return false;
    this.strike();
    return true;
  }

  strike(): void {
    this.#strikes += 1;
  }

  #draw(request: StruckRequest): number {
    const { user, verb, namespace, name } = request;
    const whole = [user, verb, fullResource(request), namespace, name].join(' ');
    const key = this.#counts.size < mostCounted || this.#counts.has(whole) ? whole : '';
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return new SeededRandom(this.#seed, `${String(this.id)} ${key} ${String(count)}`).number();
  }
}
