/** The watches of all connections. */
import type { Clock, Timer } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { AnswerListener } from '../storage/etcd/etcd-line.ts';
import type { Change } from './key-history.ts';
import type { Replacement, WatchCreateRequest, WatchResponse } from './messages.ts';
import { Watcher, type WatchContext } from './watcher.ts';

export interface WatchServiceContext extends WatchContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Least interval of notifications of progress. */
  readonly progressNotifyMs: number;
}

export class WatchService {
  readonly #context: WatchServiceContext;
  /** With the timers of those that ask for notifications of progress. */
  readonly #watchers = new Map<Watcher, Timer | undefined>();

  constructor(context: WatchServiceContext) {
    this.#context = context;
  }

  open(request: WatchCreateRequest, listener: AnswerListener<WatchResponse>): Watcher {
    const watcher = new Watcher(this.#context, request, listener);
    this.#watchers.set(watcher, request.progress_notify === true ? this.#progressTimer(watcher) : undefined);
    return watcher;
  }

  /** Tells everyone the changes of the newest revision. */
  notify(changes: readonly Change[]): void {
    const { revision } = this.#context.store();
    this.#each((watcher) => watcher.notify(changes, revision));
  }

  /** Tells everyone that the newest revision replaced keys by those of an earlier state. */
  notifyReplacement(replacement: Replacement): void {
    const { revision } = this.#context.store();
    this.#each((watcher) => watcher.notifyReplacement(replacement, revision));
  }

  #each(tell: (watcher: Watcher) => void): void {
    for (const [watcher, timer] of this.#watchers) {
      if (watcher.isOver) this.#remove(watcher, timer);
      else tell(watcher);
    }
  }

  stop(): void {
    for (const [watcher, timer] of this.#watchers) {
      watcher.cancel();
      this.#remove(watcher, timer);
    }
  }

  #remove(watcher: Watcher, timer: Timer | undefined): void {
    this.#context.clock.clear(timer);
    this.#watchers.delete(watcher);
  }

  #progressTimer(watcher: Watcher): Timer {
    const { clock, random, progressNotifyMs } = this.#context;
    const timer = clock.setInterval(
      () => {
        watcher.notifyProgress();
      },
      progressNotifyMs * (1 + random.number() / 10),
    );
    timer.unref();
    return timer;
  }
}
