/**
 * Results of health checks as service level indicators, at `/metrics/slis` (KEP-3466): small, so that it can be scraped every few
 * seconds. A check is recorded whenever its group is requested; each worker exposes its own.
 */
import type { HealthGroup, HealthResult } from './health-checks.ts';
import { Metrics } from './metrics.ts';
import type { Release } from './release.ts';

/** With the feature gate `ComponentSLIs`. */
const life = 'ALPHA 1.26, BETA 1.27, STABLE 1.32';

export interface HealthMetrics {
  readonly metrics: Metrics;
  /** Notes what a check has found; one that was excluded has found nothing. */
  readonly note: (group: HealthGroup, result: HealthResult) => void;
}

export function createHealthMetrics(release: Release): HealthMetrics {
  const metrics = new Metrics({ release });
  const last = metrics.gauge({
    ...{ name: 'kubernetes_healthcheck', life, labels: ['name', 'type'] },
    help: 'Whether a health check succeeded (1) when it was asked for last, by check and group.',
  });
  const total = metrics.counter({
    ...{ name: 'kubernetes_healthchecks_total', life, labels: ['name', 'type', 'status'] },
    help: 'Results of health checks, by check, group and status (success or error).',
  });
  return {
    metrics,
    note: (type, { name, outcome }) => {
      if (outcome === 'excluded') return;
      const status = outcome === 'ok' ? 'success' : 'error';
      last.series({ name, type }).set(outcome === 'ok' ? 1 : 0);
      total.series({ name, type, status }).add(1);
    },
  };
}
