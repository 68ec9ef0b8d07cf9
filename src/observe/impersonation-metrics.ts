/** Metrics of impersonation (gate `ConstrainedImpersonation`), with their Kubernetes names. */
import type { Metrics } from './metrics.ts';

export interface ImpersonationMetrics {
  /** A request was allowed by a mode, or denied (mode '') in so many seconds. */
  attempt(mode: string, decision: string, seconds: number): void;
  /** So did one question of it. */
  authorization(mode: string, decision: string, seconds: number): void;
}

const labels = ['mode', 'decision'];
/** A millisecond, doubled fourteen times. */
const bounds = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const life = 'ALPHA 1.36';

/** Registers the metrics. */
export function createImpersonationMetrics(metrics: Metrics): ImpersonationMetrics {
  const pair = (word: string, what: string): ImpersonationMetrics['attempt'] => {
    const name = `apiserver_impersonation_${word}`;
    const total = metrics.counter({
      name: `${name}_total`,
      life,
      labels,
      help: `${what}, by mode and decision.`,
    });
    const duration = metrics.histogram({
      ...{ name: `${name}_duration_seconds`, life, labels, bounds },
      help: `Time in seconds of ${what[0]?.toLowerCase() ?? ''}${what.slice(1)}, by mode and decision.`,
    });
    return (mode, decision, seconds) => {
      total.series({ mode, decision }).add();
      duration.series({ mode, decision }).observe(seconds);
    };
  };
  return {
    attempt: pair('attempts', 'Requests that impersonate a user'),
    authorization: pair('authorization_attempts', 'Questions to the authorizer on behalf of impersonation'),
  };
}
