/** Restarts of a control plane: while it is away, it waits for its time, or for somebody who wants it back. */
import { systemClock, type Clock } from '../../base/clock.ts';
import { pause } from '../../base/pause.ts';

export interface RestartedPlane {
  readonly clock: Clock;
  /** Ends all that serves. */
  readonly close: () => Promise<void>;
  readonly serve: () => Promise<void>;
}

/** How long is waited for one that is away: longer than a restart takes, and not as long as a fault may keep it away. */
const longestAwayMs = 10_000;

export class Restarts {
  readonly #plane: RestartedPlane;
  #going: Promise<void> | undefined;
  /** What is done with what serves now. */
  readonly #held = new Set<Promise<unknown>>();
  #absence = new AbortController();
  #isAway = false;
  #hasEnded = false;

  constructor(plane: RestartedPlane) {
    this.#plane = plane;
  }

  /** The one that goes on; resolves when it serves again. */
  get going(): Promise<void> | undefined {
    return this.#going;
  }

  /**
   * Does what needs something that serves, once that is so; a restart begins when it is done.
   * @throws Error if it is still away after that time
   */
  async whileServing<T>(act: () => Promise<T>, timeoutMs = longestAwayMs): Promise<T> {
    const until = systemClock.monotonic() + timeoutMs;
    // Another may begin as soon as one is over.
    while (this.#going !== undefined) await this.over(Math.max(0, until - systemClock.monotonic()));
    const done = act();
    const held = done.catch(() => undefined).finally(() => this.#held.delete(held));
    this.#held.add(held);
    return done;
  }

  /** Nothing serves, and the time of that is not over. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Resolves when it serves again. One restart that goes on is enough. */
  begin(downMs: number): Promise<void> {
    this.#going ??= this.#restart(downMs).finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  /** It serves again without waiting any longer. */
  comeBack(): void {
    this.#absence.abort();
  }

  /** Resolves when it serves. @throws Error if it is still away after that time */
  async over(timeoutMs: number): Promise<void> {
    if (this.#going === undefined) return;
    const waited = new AbortController();
    const late = pause(systemClock, timeoutMs, waited.signal);
    await Promise.race([this.#going, late]).finally(() => waited.abort());
    if (this.going !== undefined) throw new Error('the control plane is away: a fault restarts it');
  }

  /** Resolves when none goes on; it does not come back. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.comeBack();
    await this.#going?.catch(() => undefined);
  }

  async #restart(downMs: number): Promise<void> {
    const { clock, close, serve } = this.#plane;
    this.#absence = new AbortController();
    await Promise.all(this.#held);
    await close();
    this.#isAway = true;
    await pause(clock, downMs, this.#absence.signal);
    this.#isAway = false;
    if (!this.#hasEnded) await serve();
  }
}
