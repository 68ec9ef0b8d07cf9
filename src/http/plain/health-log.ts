/**
 * The log of health checks: a line when one begins to fail and one when it passes again, not for each request, as balancers
 * ask many times a second. A check that has never passed belongs to the start, which is no fault unless it lasts.
 *
 *   starting ──passes──▶ passing ◀──────▶ failing (a line each way; at most one of a check in a while)
 *       └──────fails for a minute────────────▲
 */
import type { PassiveClock } from '../../base/clock.ts';
import type { HealthGroup, HealthResult } from '../../observe/health-checks.ts';
import type { Logger } from '../../observe/log.ts';

export interface HealthLogParts {
  readonly clock: PassiveClock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** The failure of a check that has never passed is logged after this time. */
const startMs = 60_000;
/** Minimum time between two lines of a check; a change in between is logged at a later request, if it still holds. */
const quietMs = 10_000;

/** The logged state of a check, and since when. */
interface Logged {
  readonly state: 'starting' | 'passing' | 'failing';
  readonly at: number;
}

export class HealthLog {
  readonly #parts: HealthLogParts;
  /** By group and name, of which there are few. */
  readonly #logged = new Map<string, Logged>();

  constructor(parts: HealthLogParts) {
    this.#parts = parts;
  }

  note(group: HealthGroup, results: readonly HealthResult[]): void {
    for (const result of results) if (result.outcome !== 'excluded') this.#noteOne(group, result);
  }

  #noteOne(group: HealthGroup, { name, outcome, problem }: HealthResult): void {
    const { clock, logger } = this.#parts;
    const now = clock.monotonic();
    const key = `${group}/${name}`;
    const logged = this.#logged.get(key);
    const state = outcome === 'ok' ? 'passing' : 'failing';
    if (logged === undefined || (logged.state === 'starting' && state === 'passing')) {
      // A check that passes needs no line: its first failure is logged at once.
      this.#logged.set(key, state === 'passing' ? { state, at: -Infinity } : { state: 'starting', at: now });
      return;
    }
    if (state === logged.state || now - logged.at < (logged.state === 'starting' ? startMs : quietMs)) return;
    this.#logged.set(key, { state, at: now });
    if (state === 'failing') logger.warn('a health check fails', { group, check: name, problem });
    else logger.info('a health check passes again', { group, check: name });
  }
}
