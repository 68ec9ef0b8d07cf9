/** A fault that was ordered: decides which requests it strikes, each decision by seed, request and its count. */
import { SeededRandom } from '../../../base/seeded-random.ts';
import type { FaultKind, FaultOrder, FaultScope, SeededFault } from '../../fault-orders.ts';
import { isInScope, type StruckRequest } from './struck-request.ts';

/** Requests that are kept by name. */
const mostNamed = 1_000;

const onceKinds: ReadonlySet<FaultKind> = new Set(['closeWatches', 'restart']);

export class ActiveFault {
  readonly id: number;
  readonly order: FaultOrder;
  readonly scope: FaultScope;
  readonly #seed: number;
  readonly #times: number;
  /** undefined: all that are in the scope. */
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #requests: string[] = [];
  #passed = 0;
  #strikes = 0;

  constructor({ id, seed, order }: SeededFault) {
    this.id = id;
    this.order = order;
    this.scope = order.scope ?? {};
    this.#times = this.scope.times ?? (this.isDoneAtOnce ? 1 : Infinity);
    this.#seed = seed;
    this.#wanted = this.scope.requests && new Set(this.scope.requests);
  }

  /** How many requests it has struck. */
  get strikes(): number {
    return this.#strikes;
  }

  /** It is over when it has been done, unless the order says how often. */
  get isDoneAtOnce(): boolean {
    return onceKinds.has(this.order.kind);
  }

  /** The first that it has struck. */
  get requests(): readonly string[] {
    return this.#requests;
  }

  get isSpent(): boolean {
    return this.#strikes >= this.#times;
  }

  /**
   * Whether it strikes this request, which counts.
   * @param number of the request: chance decides equally for equal ones, in whatever order requests for different objects come
   */
  strikesAt(request: StruckRequest, number: string): boolean {
    if (this.isSpent || !isInScope(request, this.scope) || !this.#isWanted(number)) return false;
    this.#passed += 1;
    if (this.#passed <= (this.scope.after ?? 0)) return false;
    const { rate = 1 } = this.scope;
    if (rate < 1 && this.#draw(number) >= rate) return false;
    this.strike();
    if (this.#requests.length < mostNamed) this.#requests.push(number);
    return true;
  }

  strike(): void {
    this.#strikes += 1;
  }

  /** History that has expired stays so: the requests that are named say when that begins. */
  #isWanted(number: string): boolean {
    if (this.#wanted === undefined || this.#wanted.has(number)) return true;
    return this.order.kind === 'expireHistory' && this.#strikes > 0;
  }

  #draw(number: string): number {
    return new SeededRandom(this.#seed, `${String(this.id)} ${number}`).number();
  }
}
