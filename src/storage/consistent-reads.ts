/**
 * Consistent reads from the watch cache (KEP-2340). "Most recent" asks for the newest revision of etcd and waits until the
 * view has reached it. Requests that arrive while that is asked share the next question, whose answer is newer than they are.
 */
import type { Clock } from '../base/clock.ts';
import { SharedSlice } from '../base/cooperate.ts';
import { SharedCall } from '../base/shared-call.ts';
import type { Following } from './following.ts';
import type { Newest, Told } from './newest.ts';
import type { StorageMetrics, StorageTimes } from './options.ts';
import { StorageError, type Revision } from './types.ts';
import type { View } from './view/view.ts';

export interface ConsistentReadsDependencies {
  readonly newest: Newest;
  readonly view: View;
  readonly follower: Following;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly metrics: StorageMetrics;
}

/** What a probe was answered; the next one need not wait until the view has it. */
export interface Probe {
  readonly told: Told;
  /** Rejects as `mostRecent`. */
  readonly reached: Promise<void>;
}

interface SharedProbe extends Probe {
  isReached: boolean;
  /** Requests that have waited until it was reached, and have gone on. */
  goneOn: number;
}

/** Requests that go on in the turn in which the view catches up; with what they do next, each takes some 40 µs. */
const atOnce = 32;

export class ConsistentReads {
  readonly #deps: ConsistentReadsDependencies;
  readonly #probes = new SharedCall<SharedProbe>(() => this.#probe());
  /** Of those that go on later. */
  readonly #slice = new SharedSlice();
  #probeCount = 0;

  constructor(deps: ConsistentReadsDependencies) {
    this.#deps = deps;
  }

  get counters(): { readonly probes: number; readonly fences: number } {
    return { probes: this.#probeCount, fences: this.#deps.newest.fences };
  }

  /**
   * Resolves when the view contains everything that was committed before this call.
   * @throws StorageError `unavailable`; `noSpace` or `corrupt` if etcd takes no fence where one is needed
   */
  async mostRecent(): Promise<void> {
    const probe = await this.#probes.join();
    // Answers are given to a few in a turn.
    if (probe.isReached) return;
    await probe.reached;
    probe.goneOn += 1;
    if (probe.goneOn > atOnce && this.#slice.shouldYield()) await this.#slice.yieldNow();
  }

  /**
   * A revision that is not older than this call, and when the view has it.
   * @throws StorageError `unavailable`
   */
  newest(): Promise<Probe> {
    return this.#probes.join();
  }

  /**
   * Waits for a revision, with a timeout.
   * @throws StorageError `futureRevision`
   */
  async notOlderThan(revision: Revision): Promise<void> {
    const { view, times } = this.#deps;
    if (view.revision >= revision && view.loadedAt > 0) return;
    // A view that is not loaded is at revision 0, which is nobody's state.
    if (await view.waiters.until(Math.max(1, revision), times.futureRevision)) return;
    const current = view.revision;
    throw new StorageError(
      'futureRevision',
      `revision ${revision} is not reached: the current revision is ${current}`,
      {
        revision: current,
      },
    );
  }

  /**
   * Waits for the initial load while it makes progress.
   * @throws StorageError `unavailable`
   */
  async loaded(): Promise<void> {
    const { view, times, follower } = this.#deps;
    for (let before = -1; view.loadedAt === 0;) {
      if (await view.waiters.until(1, times.operation)) return;
      const pages = follower.loading?.pages ?? 0;
      if (pages <= Math.max(before, 0))
        throw new StorageError('unavailable', `the state is not loaded: ${follower.trouble}`);
      before = pages;
    }
  }

  async #probe(): Promise<SharedProbe> {
    const { newest } = this.#deps;
    this.#probeCount += 1;
    const told = await newest.ask();
    const reached = newest.reach(told);
    const probe = { told, reached, isReached: false, goneOn: 0 };
    this.#measure(probe);
    return probe;
  }

  /** Waits that are given up are recorded, too. */
  #measure(probe: SharedProbe): void {
    const { clock, metrics } = this.#deps;
    const start = clock.monotonic();
    const observe = (): void => metrics.observeReadWait?.((clock.monotonic() - start) / 1000);
    probe.reached.then(() => {
      probe.isReached = true;
      observe();
    }, observe);
  }
}
