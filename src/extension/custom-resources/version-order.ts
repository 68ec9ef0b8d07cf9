/**
 * Kubernetes version priority: GA before beta before alpha, newer first (v2, v1, v2beta1, v1alpha2), others by name.
 */

interface Stability {
  /** 3 for GA, 2 for beta, 1 for alpha, 0 for other names. */
  readonly level: number;
  readonly major: number;
  readonly minor: number;
}

const levels: Readonly<Record<string, number>> = { '': 3, beta: 2, alpha: 1 };

export function stabilityOf(version: string): Stability {
  const match = /^v([1-9]\d{0,8})(?:(alpha|beta)([1-9]\d{0,8}))?$/.exec(version);
  if (!match) return { level: 0, major: 0, minor: 0 };
  const [, major, level = '', minor] = match;
  return { level: levels[level] ?? 0, major: Number(major), minor: Number(minor ?? 0) };
}

/** Compares versions for sorting, preferred first. */
export function byPreference(a: string, b: string): number {
  const [first, second] = [stabilityOf(a), stabilityOf(b)];
  return (
    second.level - first.level ||
    second.major - first.major ||
    second.minor - first.minor ||
    (a < b ? -1 : Number(a > b))
  );
}
