/** So many at once after a rest, and so many for each second on the average. */
export interface Rate {
  readonly qps: number;
  readonly burst: number;
}

/** A bucket that is full at the beginning, and fills by `qps` tokens each second up to `burst`. */
export class TokenBucket {
  private readonly rate: Rate;
  private readonly now: () => number;
  private tokens: number;
  private filledAt: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.rate = rate;
    this.now = now;
    this.tokens = rate.burst;
    this.filledAt = now();
  }

  /** True while there is none to take. */
  get isEmpty(): boolean {
    this.fill();
    return this.tokens < 1;
  }

  /** Takes a token. False: there is none left, and nothing is taken. */
  tryTake(): boolean {
    if (this.isEmpty) return false;
    this.tokens -= 1;
    return true;
  }

  private fill(): void {
    const now = this.now();
    const filled = this.tokens + ((now - this.filledAt) / 1_000) * this.rate.qps;
    this.tokens = Math.min(this.rate.burst, filled);
    this.filledAt = now;
  }
}
