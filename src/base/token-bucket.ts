/** A rate limit: burst and average per second. */
export interface Rate {
  readonly qps: number;
  readonly burst: number;
}

/** A bucket that starts full and is refilled by `qps` tokens per second up to `burst`. */
export class TokenBucket {
  private readonly rate: Rate;
  private readonly now: () => number;
  private tokens: number;
  private filledAt: number;

  /** @param now monotonic milliseconds */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.rate = rate;
    this.now = now;
    this.tokens = rate.burst;
    this.filledAt = now();
  }

  /** True if there is no token. */
  get isEmpty(): boolean {
    this.fill();
    return this.tokens < 1;
  }

  /** Takes a token. Returns false if there is none. */
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
