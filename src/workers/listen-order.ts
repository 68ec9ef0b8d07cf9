/**
 * The order in which those that share a port begin to listen. Whoever starts while nobody serves listens early, and
 * answers health checks (and 503) while it loads the state. The others listen once they have the state, but not before
 * the early one has it, too: a client would get answers and 503 in turn.
 *
 *   began ─┬─ early: listens ──has the state──▶ serves ─▶ lets those go that wait
 *          └─ has the state ──the early one has it, has ended, or took too long──▶ listens
 */
import { pause } from '../base/pause.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../observe/log.ts';

/** Whoever has the state listens after this time in any case: the early one may hang. */
const longestWaitMs = 30_000;

export class ListenOrder {
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, 'info'>;
  /** By number; of those that have not ended. */
  readonly #lives = new Map<number, { serves: boolean }>();
  #early: { readonly number: number; readonly over: AbortController } | undefined;

  constructor(clock: Clock, logger: Pick<Logger, 'info'>) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** One begins to load the state. @returns whether it listens meanwhile */
  begin(number: number): boolean {
    this.end(number);
    const isServed = [...this.#lives.values()].some(({ serves }) => serves);
    this.#lives.set(number, { serves: false });
    if (isServed || this.#early !== undefined) return false;
    this.#early = { number, over: new AbortController() };
    return true;
  }

  /** One has the state. Resolves when it may listen. */
  async loaded(number: number): Promise<void> {
    const life = this.#lives.get(number);
    if (this.#early === undefined || this.#early.number === number) this.#endEarly();
    else {
      const first = this.#early;
      const fields = { worker: number, waitsFor: first.number };
      this.#logger.info(
        'a worker has the state, and listens once the first that loads it has it, too',
        fields,
      );
      await pause(this.#clock, longestWaitMs, first.over.signal);
    }
    if (life !== undefined) life.serves = true;
  }

  /** One has ended. */
  end(number: number): void {
    this.#lives.delete(number);
    if (this.#early?.number === number) this.#endEarly();
  }

  #endEarly(): void {
    this.#early?.over.abort();
    this.#early = undefined;
  }
}
