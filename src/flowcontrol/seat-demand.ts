/** How many seats a priority level could use over a period: those that are taken, and those that requests wait for. */

export interface DemandFigures {
  readonly average: number;
  readonly deviation: number;
  readonly high: number;
}

/** Integrates over time, so that a moment counts as long as it lasted. */
export class SeatDemand {
  private value = 0;
  private high = 0;
  private sum = 0;
  private squares = 0;
  private since: number;
  private begun: number;

  /** @param now monotonic milliseconds */
  constructor(now: number) {
    this.since = now;
    this.begun = now;
  }

  set(value: number, now: number): void {
    this.integrate(now);
    this.value = value;
    if (value > this.high) this.high = value;
  }

  /** The figures since the last call; the next period begins. */
  take(now: number): DemandFigures {
    this.integrate(now);
    const ms = now - this.begun;
    const average = ms > 0 ? this.sum / ms : this.value;
    const variance = ms > 0 ? this.squares / ms - average ** 2 : 0;
    const figures = { average, deviation: Math.sqrt(Math.max(0, variance)), high: this.high };
    Object.assign(this, { begun: now, sum: 0, squares: 0, high: this.value });
    return figures;
  }

  private integrate(now: number): void {
    const ms = now - this.since;
    this.sum += this.value * ms;
    this.squares += this.value ** 2 * ms;
    this.since = now;
  }
}
