/**
 * Logs that the etcd database has reached its quota: etcd then rejects all writes, including deletions, and still
 * serves reads.
 */
import type { Clock } from '../../base/clock.ts';
import type { StorageLogger } from '../options.ts';

/** Interval of the log line while writes fail. */
const quietMs = 60_000;

export interface FullDatabaseDependencies {
  readonly clock: Clock;
  readonly logger: StorageLogger;
}

export class FullDatabaseNotice {
  readonly #deps: FullDatabaseDependencies;
  #reportedAt = -Infinity;

  constructor(deps: FullDatabaseDependencies) {
    this.#deps = deps;
  }

  /** `message`: what etcd answered to a write. */
  report(message: string): void {
    const { clock, logger } = this.#deps;
    if (clock.monotonic() - this.#reportedAt < quietMs) return;
    this.#reportedAt = clock.monotonic();
    logger.error(
      { error: message },
      'etcd rejects writes: its database has reached its quota (alarm NOSPACE); compact, defragment and disarm it, see deploy/README.md',
    );
  }
}
