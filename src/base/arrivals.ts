/**
 * Spreads work over turns of the event loop that peers let begin: last bytes of hundreds of request bodies, or of answers of a
 * webhook that was stuck, may come in one turn, and what follows takes up to some milliseconds each. So in one turn the first goes on at
 * once, and the others for a bounded time in later ones, peers in turn: one that sends many does not hold up others.
 *
 *   arrives ── first of the turn ─▶ goes on
 *       └──── others ─▶ wait ── turn of the peer ─▶ go on
 */
import { written } from './cooperate.ts';
import { eventLoop, type EventLoop } from './event-loop.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Nothing more goes on in a turn after this time. */
const turnMs = 3;
/** The same after so many, as what they take may come behind other waits. */
const perTurn = 4;

export class Arrivals {
  /** By peer; the one whose turn was longest ago is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Where the next turn is due; a simulation may end before it comes. */
  #due: EventLoop | undefined;

  /**
   * To await before the work on what has arrived of this peer, and to be followed by it without another wait. Who calls bounds the
   * number of those that wait.
   */
  begin(peer: string): MaybePromise<void> {
    if (this.#due !== eventLoop()) {
      this.#openLater();
      return undefined;
    }
    return new Promise((resolve) => {
      const mine = this.#waiting.get(peer);
      if (mine) mine.push(resolve);
      else this.#waiting.set(peer, [resolve]);
    });
  }

  #openLater(): void {
    this.#due = eventLoop();
    this.#due.nextTurn(() => void this.#open());
  }

  async #open(): Promise<void> {
    const end = eventLoop().now() + turnMs;
    for (let done = 0; done < perTurn && this.#waiting.size > 0 && eventLoop().now() <= end; done += 1) {
      this.#next()?.();
      // The work runs, and what it wrote is sent, before this continues.
      await written();
    }
    if (this.#waiting.size > 0) this.#openLater();
    else this.#due = undefined;
  }

  #next(): (() => void) | undefined {
    for (const [peer, mine] of this.#waiting) {
      const next = mine.shift();
      this.#waiting.delete(peer);
      if (mine.length > 0) this.#waiting.set(peer, mine);
      return next;
    }
    return undefined;
  }
}
