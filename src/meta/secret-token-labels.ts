/** Labels of Secrets with tokens: when a token was last used, and since when it counts no more (KEP-2799). */
import type { NamingProfile } from './naming.ts';

export interface SecretTokenLabels {
  /** Its value is a day: `2026-11-26`, UTC. */
  readonly lastUsed: string;
  /** While a Secret has it, whatever its value, its token is rejected. */
  readonly invalidSince: string;
}

export function secretTokenLabels({ labelDomain }: NamingProfile): SecretTokenLabels {
  return {
    lastUsed: `${labelDomain}/legacy-token-last-used`,
    invalidSince: `${labelDomain}/legacy-token-invalid-since`,
  };
}

/** The name of the ConfigMap, in the system namespace, whose `data.since` is the day since when uses are noted. */
export function tokenTrackingName({ systemPrefix }: NamingProfile): string {
  return `${systemPrefix}-apiserver-legacy-service-account-token-tracking`;
}

/** The day of an instant, UTC. @param now in milliseconds */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Whether a text is one that `dayOf` gives. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
}
