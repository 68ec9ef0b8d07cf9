import type { PassiveClock } from './clock.ts';

/** A rate limit: burst and average per second. */
export interface Rate {
  readonly qps: number;
  readonly burst: number;
}

/** A bucket that starts full and is refilled by `qps` tokens per second up to `burst`. */
export class TokenBucket {
  private readonly rate: Rate;
  private readonly clock: Pick<PassiveClock, 'monotonic'>;
  private tokens: number;
  private filledAt: number;

  constructor(rate: Rate, clock: Pick<PassiveClock, 'monotonic'>) {
    this.rate = rate;
    this.clock = clock;
    this.tokens = rate.burst;
    this.filledAt = clock.monotonic();
  }

  /** True if there is no token. */
  get isEmpty(): boolean {
    this.fill();
    return this.tokens < 1;
  }

  /** Takes tokens, later ones among them if there are too few. Returns false if there is none. */
  tryTake(tokens = 1): boolean {
    if (this.isEmpty) return false;
    this.tokens -= tokens;
    return true;
  }

  private fill(): void {
    const now = this.clock.monotonic();
    const filled = this.tokens + ((now - this.filledAt) / 1_000) * this.rate.qps;
    this.tokens = Math.min(this.rate.burst, filled);
    this.filledAt = now;
  }
}
