/**
 * Admission of writes to a lane, including writes that wait for an external call.
 *
 *   waiting ──▶ working ──pause()──▶ paused ──resume()──▶ resuming ──▶ working ──end()──▶ gone
 *
 * A write counts twice: by its weight while it works, and by the bytes that it holds from start to end. Users share
 * both fairly: a user at its limit waits without blocking others. Writes that resume go before new ones. A write
 * whose bytes do not fit is skipped, as a webhook may hold the bytes of others for long.
 */
import { systemClock } from '../base/clock.ts';
import { FairQueue, type QueueHolder, type QueueRefusal, type Verdict } from '../base/fair-queue.ts';
import { FairShares } from '../base/fair-shares.ts';

export interface PlaceLimits {
  /** Total weight of concurrent writes; at most half for one user, but always room for one write. */
  readonly total: number;
  /** Total bytes of started writes; at most a quarter for one user, but always room for one write. */
  readonly heldBytes: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /**
   * Maximum wait to resume; then it continues without a place, as the holder of the place may wait for this write.
   */
  readonly maxResumeMs: number;
}

/** The weight and bytes of a write. */
export interface Load {
  readonly flow: string;
  readonly weight: number;
  readonly bytes: number;
}

export class LanePlaces {
  readonly #limits: PlaceLimits;
  readonly #working: FairShares;
  readonly #held: FairShares;
  readonly #queue: FairQueue<Load>;
  /** In order of resumption. */
  readonly #resuming = new Set<Resuming>();

  constructor(limits: PlaceLimits) {
    const { total, heldBytes, maxWaiting } = limits;
    this.#limits = limits;
    this.#working = new FairShares(total, total / 2);
    this.#held = new FairShares(heldBytes, heldBytes / 4);
    this.#queue = new FairQueue({ clock: systemClock, maxWaiting, onLeft: () => this.#grant() });
  }

  /** Resolves with a place (which the caller ends) when it is the turn of this write, or with the refusal. */
  async take(load: Load, holder: QueueHolder): Promise<Place | QueueRefusal> {
    const { maxWaitMs } = this.#limits;
    const waiting = this.#queue.wait(load.flow, load, { holder, maxWaitMs });
    this.#grant();
    return (await waiting) ?? new Place(load, this);
  }

  /** Releases its weight. */
  leave({ flow, weight }: Load): void {
    this.#working.give(flow, weight);
    this.#grant();
  }

  /** Releases its bytes. */
  release({ flow, bytes }: Load): void {
    this.#held.give(flow, bytes);
    this.#grant();
  }

  /** Calls back when it has a place again, unless cancelled by the returned function. */
  comeBack(load: Load, onPlace: () => void): () => void {
    const timer = setTimeout(() => this.#goOn(one), this.#limits.maxResumeMs);
    const one: Resuming = { load, onPlace, timer };
    this.#resuming.add(one);
    this.#grant();
    return () => {
      this.#forget(one);
      this.#grant();
    };
  }

  #goOn(one: Resuming): void {
    this.#forget(one);
    this.#working.take(one.load.flow, one.load.weight);
    one.onPlace();
  }

  #forget(one: Resuming): void {
    clearTimeout(one.timer);
    this.#resuming.delete(one);
  }

  #grant(): void {
    for (const one of [...this.#resuming])
      if (this.#working.fits(one.load.flow, one.load.weight)) this.#goOn(one);
    this.#queue.admit((_flow, load) => this.#judge(load));
  }

  #judge(load: Load): Verdict {
    const { flow, weight, bytes } = load;
    if (!this.#held.fits(flow, bytes) || this.#working.isAtLimit(flow, weight)) return 'pass';
    if (this.#isAwaited || !this.#working.fits(flow, weight)) return 'stop';
    this.#held.take(flow, bytes);
    this.#working.take(flow, weight);
    return 'admit';
  }

  /** Whether a resuming write waits for others. */
  get #isAwaited(): boolean {
    for (const { load } of this.#resuming) if (!this.#working.isAtLimit(load.flow, load.weight)) return true;
    return false;
  }
}

interface Resuming {
  readonly load: Load;
  readonly onPlace: () => void;
  readonly timer: NodeJS.Timeout;
}

/** The place of a started write. */
export class Place {
  readonly #load: Load;
  readonly #places: Pick<LanePlaces, 'leave' | 'release' | 'comeBack'>;
  #state: 'working' | 'paused' | 'resuming' | 'gone' = 'working';
  #stay: () => void = () => undefined;

  constructor(load: Load, places: Pick<LanePlaces, 'leave' | 'release' | 'comeBack'>) {
    this.#load = load;
    this.#places = places;
  }

  /** Releases its weight, but not its bytes. */
  pause(): void {
    if (this.#state === 'gone') return;
    this.#stop();
    this.#state = 'paused';
  }

  /** Calls back when it may continue, unless it pauses or ends before. */
  resume(onPlace: () => void): void {
    if (this.#state !== 'paused') return;
    this.#state = 'resuming';
    this.#stay = this.#places.comeBack(this.#load, () => {
      this.#state = 'working';
      onPlace();
    });
  }

  /** Releases everything. Idempotent. */
  end(): void {
    if (this.#state === 'gone') return;
    this.#stop();
    this.#state = 'gone';
    this.#places.release(this.#load);
  }

  #stop(): void {
    if (this.#state === 'working') this.#places.leave(this.#load);
    if (this.#state === 'resuming') this.#stay();
  }
}
