/** When a condition of a status last went from one state to another. */

interface Former {
  readonly status?: unknown;
  readonly lastTransitionTime?: unknown;
}

/**
 * The `lastTransitionTime` of a condition: it changes only with the condition's status, not with its reason or message
 * (API conventions, "Typical status properties").
 * @param former the condition as it stands, if there is one; @param status of the new one; @param now RFC 3339
 */
export function transitionTime(former: Former | undefined, status: string | undefined, now: string): string {
  const since = former?.status === status ? former?.lastTransitionTime : undefined;
  return typeof since === 'string' ? since : now;
}
