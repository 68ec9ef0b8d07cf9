/**
 * Logs that etcd rejects writes and still serves reads: its database has reached its quota, when it takes deletions only, or
 * its members hold different data.
 */
import type { Clock } from '../../base/clock.ts';
import { refusesWrites, type EtcdError } from '../etcd/etcd-error.ts';
import type { StorageLogger } from '../options.ts';

/** Interval of the log line while writes fail. */
const quietMs = 60_000;

const problems = {
  noSpace:
    'etcd rejects all writes but deletions: its database has reached its quota (alarm NOSPACE); compact, defragment and disarm it, see deploy/README.md',
  corrupt:
    'etcd rejects writes: its members hold different data (alarm CORRUPT); replace the wrong members and disarm it, see deploy/README.md',
} as const;

export interface RefusedWritesDependencies {
  readonly clock: Clock;
  readonly logger: StorageLogger;
}

export class RefusedWritesNotice {
  readonly #deps: RefusedWritesDependencies;
  #reportedAt = -Infinity;

  constructor(deps: RefusedWritesDependencies) {
    this.#deps = deps;
  }

  /** Notes what etcd answered to a write. */
  report(error: EtcdError): void {
    if (!refusesWrites(error)) return;
    const { kind, message } = error;
    const { clock, logger } = this.#deps;
    if (clock.monotonic() - this.#reportedAt < quietMs) return;
    this.#reportedAt = clock.monotonic();
    logger.error({ error: message }, problems[kind]);
  }
}
