/** Metrics of service account tokens that lie in Secrets, or whose life was extended, with their Kubernetes names. */
import type { NumberSeries } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface TokenMetrics {
  readonly legacy: NumberSeries;
  /** Of these, the tokens of Secrets that users made, those that an account names, and those that count no more. */
  readonly manual: NumberSeries;
  readonly automatic: NumberSeries;
  readonly invalid: NumberSeries;
  /** Uses of tokens whose life was extended: after the time that was asked, and before. */
  readonly stale: NumberSeries;
  readonly valid: NumberSeries;
}

/** Registers the metrics. */
export function createTokenMetrics(metrics: Metrics): TokenMetrics {
  const counter = (word: string, life: string, help: string): NumberSeries =>
    metrics.counter({ name: `serviceaccount_${word}_total`, life, help }).series({});
  return {
    legacy: counter('legacy_tokens', 'ALPHA 1.21', 'Uses of service account tokens that lie in Secrets.'),
    manual: counter('legacy_manual_token_uses', 'ALPHA 1.26', 'Uses of tokens of Secrets that users made.'),
    automatic: counter(
      'legacy_auto_token_uses',
      'ALPHA 1.26',
      'Uses of tokens of Secrets that a service account names.',
    ),
    invalid: counter(
      'invalid_legacy_auto_token_uses',
      'ALPHA 1.28',
      'Uses of tokens of Secrets that count no more.',
    ),
    stale: counter('stale_tokens', 'ALPHA 1.21', 'Uses of projected tokens that should have been renewed.'),
    valid: counter('valid_tokens', 'ALPHA 1.21', 'Uses of projected tokens in the time that was asked.'),
  };
}
