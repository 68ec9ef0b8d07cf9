/** What faults did, the last of it. */
import type { PassiveClock } from '../../../base/clock.ts';
import type { FaultStrike } from '../../fault-orders.ts';
import type { ActiveFault } from './active-fault.ts';
import { fullResource, type StruckRequest } from './struck-request.ts';

const mostKept = 10_000;

export class FaultLog {
  readonly #clock: PassiveClock;
  #strikes: FaultStrike[] = [];

  constructor(clock: PassiveClock) {
    this.#clock = clock;
  }

  /** @param request absent if it was done to none in particular */
  add({ id, order }: ActiveFault, did: string, request?: StruckRequest): void {
    const { user = '', verb = '', namespace = '', name = '' } = request ?? {};
    const resource = request === undefined ? '' : fullResource(request);
    this.#strikes.push({
      ...{ at: this.#clock.now(), fault: id, kind: order.kind, did },
      ...{ user, verb, resource, namespace, name },
    });
    if (this.#strikes.length >= 2 * mostKept) this.#strikes = this.#strikes.slice(-mostKept);
  }

  get strikes(): readonly FaultStrike[] {
    return this.#strikes.slice(-mostKept);
  }

  clear(): void {
    this.#strikes = [];
  }
}
