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

/** A check that has never passed is told of after this time. */
const startMs = 60_000;
/** Between two lines of a check; what changed meanwhile is told by a later request, if it is still so. */
const quietMs = 10_000;

/** What was told of a check, and when. */
interface Told {
  readonly state: 'starting' | 'passing' | 'failing';
  readonly at: number;
}

export class HealthLog {
  readonly #parts: HealthLogParts;
  /** By group and name, of which there are few. */
  readonly #told = new Map<string, Told>();

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
    const told = this.#told.get(key);
    const state = outcome === 'ok' ? 'passing' : 'failing';
    if (told === undefined || (told.state === 'starting' && state === 'passing')) {
      // What passes has nothing to tell: a first failure is told at once.
      this.#told.set(key, state === 'passing' ? { state, at: -Infinity } : { state: 'starting', at: now });
      return;
    }
    if (state === told.state || now - told.at < (told.state === 'starting' ? startMs : quietMs)) return;
    this.#told.set(key, { state, at: now });
    if (state === 'failing') logger.warn('a health check fails', { group, check: name, problem });
    else logger.info('a health check passes again', { group, check: name });
  }
}
