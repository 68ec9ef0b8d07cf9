/**
 * Spreads the work on bodies over turns of the event loop. Clients decide when bodies end: the last bytes of hundreds may come in one
 * turn, and to decode and check one takes up to some milliseconds. So in one turn the first goes on at once, and the others for a
 * bounded time in later ones, users in turn: one that sends many does not hold up those of others.
 *
 *   body ends ── first of the turn ─▶ goes on
 *       └────── others ─▶ wait ── turn of the user ─▶ go on
 */
import { written } from '../base/cooperate.ts';
import { eventLoop } from '../base/event-loop.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

/** No further body goes on in a turn after this time. */
const turnMs = 3;

export class BodyTurns {
  /** Of each user; the one whose turn was longest ago is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isDue = false;

  /** To await before the work on a whole body of this user. The number of those that wait is that of requests in work. */
  begin(user: string): MaybePromise<void> {
    if (!this.#isDue) {
      this.#openLater();
      return undefined;
    }
    return new Promise((resolve) => {
      const mine = this.#waiting.get(user);
      if (mine) mine.push(resolve);
      else this.#waiting.set(user, [resolve]);
    });
  }

  #openLater(): void {
    this.#isDue = true;
    eventLoop().nextTurn(() => void this.#open());
  }

  async #open(): Promise<void> {
    const end = eventLoop().now() + turnMs;
    while (this.#waiting.size > 0 && eventLoop().now() <= end) {
      this.#next()?.();
      // The work runs, and what it wrote is sent, before this continues.
      await written();
    }
    if (this.#waiting.size > 0) this.#openLater();
    else this.#isDue = false;
  }

  #next(): (() => void) | undefined {
    for (const [user, mine] of this.#waiting) {
      const next = mine.shift();
      this.#waiting.delete(user);
      if (mine.length > 0) this.#waiting.set(user, mine);
      return next;
    }
    return undefined;
  }
}
