/**
 * How many servers are asked at once. A server is asked for one of its APIs at a time; servers whose last answer took long
 * have a place of their own, so that no other one waits for them again.
 *
 *   for an API ─▶ its server's turn ─┬─ usually ───────▶ a few places ─┬─▶ asked
 *                                    └─ slow last time ▶ one place ────┘
 */
import type { PassiveClock } from '../../base/clock.ts';
import { Semaphore } from '../../base/semaphore.ts';

/** Documents of many megabytes are not fetched all at once, nor many lists that are parsed at once. */
const usualPlaces = 2;
const slowPlaces = 1;
const slowMs = 5_000;

interface Server {
  readonly turn: Semaphore;
  isSlow: boolean;
}

export class FetchPlaces {
  readonly #clock: PassiveClock;
  readonly #usual = new Semaphore(usualPlaces);
  readonly #slow = new Semaphore(slowPlaces);
  readonly #servers = new Map<string, Server>();

  constructor(clock: PassiveClock) {
    this.#clock = clock;
  }

  /** Asks a server when there is a place; settles as `ask` does. */
  use<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const server = this.#servers.get(name) ?? { turn: new Semaphore(1), isSlow: false };
    this.#servers.set(name, server);
    return server.turn.use(() => {
      const places = server.isSlow ? this.#slow : this.#usual;
      return places.use(() => this.#timed(server, ask));
    });
  }

  /** What is known of a server that is asked no more. */
  forget(name: string): void {
    this.#servers.delete(name);
  }

  async #timed<T>(server: Server, ask: () => Promise<T>): Promise<T> {
    const begun = this.#clock.monotonic();
    try {
      return await ask();
    } finally {
      server.isSlow = this.#clock.monotonic() - begun > slowMs;
    }
  }
}
