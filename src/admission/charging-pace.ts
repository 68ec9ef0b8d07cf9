/** Whether a write that is charged to many quotas can be done in time: if not, it is told so early. */
import type { PassiveClock } from '../base/clock.ts';

/** By then a pace shows. */
const tellsAfterMs = 1_000;
/** The pace changes: a write is given up that would take this many times its time. */
const patience = 2;

export class ChargingPace {
  readonly #clock: PassiveClock;
  readonly #begunAt: number;
  readonly #total: number;
  readonly #limitMs: number;
  #begun = 0;

  /** @param total charges that are to be made within `limitMs` from now */
  constructor(clock: PassiveClock, total: number, limitMs: number) {
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
    this.#total = total;
    this.#limitMs = limitMs;
  }

  /** One more is made from now on: those under way count as if they were done. */
  begin(): void {
    this.#begun += 1;
  }

  /** Whether the charges would take far too long if they went on as they did. */
  get isHopeless(): boolean {
    const passed = this.#clock.monotonic() - this.#begunAt;
    return passed > tellsAfterMs && passed * this.#total > this.#begun * this.#limitMs * patience;
  }
}
