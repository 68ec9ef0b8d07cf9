/** What a pod violates of a level as it was in a release. */
import { baselineChecks, type Check, type CheckedPod } from './checks.ts';
import { minorOf, type LevelVersion } from './levels.ts';
import { restrictedChecks } from './restricted-checks.ts';
import type { Violation } from './violations.ts';

const checksOf = {
  privileged: [],
  baseline: baselineChecks,
  restricted: [...baselineChecks, ...restrictedChecks],
} satisfies Record<LevelVersion['level'], readonly Check[]>;

export function violationsOf(level: LevelVersion, pod: CheckedPod): Violation[] {
  const minor = minorOf(level, pod.newest);
  const checks: readonly Check[] = checksOf[level.level];
  return checks
    .filter(({ since, until = Infinity }) => minor >= since && minor < until)
    .flatMap(({ find }) => find(pod) ?? []);
}

/** `hostPort (container "a" uses hostPort 80), privileged (…)` */
export function describeViolations(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ');
}
