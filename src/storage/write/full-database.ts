/** Tells the operator that etcd's database is at its quota: etcd then refuses all writes, removals too, and goes on to answer reads. */
import type { Clock } from '../../base/clock.ts';
import type { StorageLogger } from '../options.ts';

/** Every write fails meanwhile; one line a minute says so. */
const quietMs = 60_000;

export interface FullDatabaseDependencies {
  readonly clock: Clock;
  readonly logger: StorageLogger;
}

export class FullDatabaseNotice {
  readonly #deps: FullDatabaseDependencies;
  #toldAt = -Infinity;

  constructor(deps: FullDatabaseDependencies) {
    this.#deps = deps;
  }

  /** `message`: what etcd answered to a write. */
  tell(message: string): void {
    const { clock, logger } = this.#deps;
    if (clock.monotonic() - this.#toldAt < quietMs) return;
    this.#toldAt = clock.monotonic();
    logger.error(
      { error: message },
      'etcd takes no writes: its database is at its quota (alarm NOSPACE); compact, defragment and disarm it, see deploy/README.md',
    );
  }
}
