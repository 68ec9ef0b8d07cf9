/**
 * Who may work in a lane, and who may wait there for a call that leaves the process.
 *
 *   waiting ──▶ working ──pause()──▶ paused ──resume()──▶ resuming ──▶ working ──end()──▶ gone
 *
 * Work counts twice: by what it weighs while it works, and by the bytes that it holds from its beginning to its end.
 * Users share both fairly: who has their share in use waits without holding up the others. Those who come back from a
 * pause are ahead of those who have not begun. One whose bytes do not fit is passed over, not waited for: a webhook may
 * keep the bytes of others here for long.
 */
import { FairQueue, type QueueHolder, type QueueRefusal, type Verdict } from '../base/fair-queue.ts';
import { FairShares } from '../base/fair-shares.ts';

export interface PlaceLimits {
  /** What the writes that are worked on at once may weigh in all; one user gets half of it at most, and one write always. */
  readonly total: number;
  /** Bytes of all that have begun; one user gets a quarter of it at most, and one write always. */
  readonly heldBytes: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** Longest wait of one that comes back; then it goes on without a place: whoever has it may wait for this very one. */
  readonly maxResumeMs: number;
}

/** What a write counts for. */
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
  /** In the order in which they came back. */
  readonly #resuming = new Set<Resuming>();

  constructor(limits: PlaceLimits) {
    const { total, heldBytes, maxWaiting } = limits;
    this.#limits = limits;
    this.#working = new FairShares(total, total / 2);
    this.#held = new FairShares(heldBytes, heldBytes / 4);
    this.#queue = new FairQueue({ maxWaiting, onLeft: () => this.#grant() });
  }

  /** Resolves with the place when it is this write's turn (the caller ends it), or with why it is not. */
  async take(load: Load, holder: QueueHolder): Promise<Place | QueueRefusal> {
    const { maxWaitMs } = this.#limits;
    const waiting = this.#queue.wait(load.flow, load, { holder, maxWaitMs });
    this.#grant();
    return (await waiting) ?? new Place(load, this);
  }

  /** It works no more. */
  leave({ flow, weight }: Load): void {
    this.#working.give(flow, weight);
    this.#grant();
  }

  /** It is over, and holds nothing. */
  release({ flow, bytes }: Load): void {
    this.#held.give(flow, bytes);
    this.#grant();
  }

  /** Calls back when it has a place again, unless the result is called before. */
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

  /** Somebody comes back who waits for what others have in use. */
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

/** The place of a write that has begun. */
export class Place {
  readonly #load: Load;
  readonly #places: Pick<LanePlaces, 'leave' | 'release' | 'comeBack'>;
  #state: 'working' | 'paused' | 'resuming' | 'gone' = 'working';
  #stay: () => void = () => undefined;

  constructor(load: Load, places: Pick<LanePlaces, 'leave' | 'release' | 'comeBack'>) {
    this.#load = load;
    this.#places = places;
  }

  /** It works no more for now, but goes on holding its bytes. */
  pause(): void {
    if (this.#state === 'gone') return;
    this.#stop();
    this.#state = 'paused';
  }

  /** Calls back when it may work again, unless it pauses or ends before. */
  resume(onPlace: () => void): void {
    if (this.#state !== 'paused') return;
    this.#state = 'resuming';
    this.#stay = this.#places.comeBack(this.#load, () => {
      this.#state = 'working';
      onPlace();
    });
  }

  /** Gives everything back. Idempotent. */
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
