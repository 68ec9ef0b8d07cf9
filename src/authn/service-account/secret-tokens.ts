/** Labels of Secrets with tokens: when a token was last used, and since when it counts no more (KEP-2799). */
import type { NamingProfile } from '../../meta/naming.ts';

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

/** The day of an instant, UTC. @param now in milliseconds */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** A Secret whose token was used on a day that it does not say yet. */
export interface TokenUse {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly day: string;
}
