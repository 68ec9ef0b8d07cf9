/**
 * Long responses in memory: they are parsed one after another, and while many wait for that, others are not read on.
 * Their servers are held up by back-pressure then, and connections stay in use, of which there is a bound.
 *
 *   response ─▶ read ── many wait ─▶ not read on ── fewer wait ─▶ read ─▶ waits ─▶ parsed
 */
import { Semaphore } from '../base/semaphore.ts';

/** Bytes of responses that wait: a second of parsing at most. */
const mostWaiting = 8 * 1024 * 1024;

export class AnswerQueue {
  readonly #turns = new Semaphore(1);
  #waiting = 0;
  readonly #stopped: (() => void)[] = [];

  /** Whether responses are to be read on. */
  get hasRoom(): boolean {
    return this.#waiting < mostWaiting;
  }

  /** Resolves when there may be room. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#stopped.push(resolve));
  }

  /** Runs the work on a response that was read, when its turn has come. */
  async inTurn<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#waiting += bytes;
    try {
      return await this.#turns.use(work);
    } finally {
      this.#waiting -= bytes;
      this.#readOn();
    }
  }

  /** One takes the place of the one that was parsed; all, where none is left whose end would be noticed. */
  #readOn(): void {
    if (!this.hasRoom) return;
    const count = this.#waiting === 0 ? this.#stopped.length : 1;
    for (const readOn of this.#stopped.splice(0, count)) readOn();
  }
}
