/** The faults of a seed: few, and each ends, so that a test that heals comes to its end. */
import { SeededRandom } from '../../base/seeded-random.ts';
import type { FaultKind, FaultOrder, FaultScope } from '../fault-orders.ts';

/** How often each kind is chosen. */
const weights: Readonly<Record<FaultKind, number>> = {
  conflicts: 6,
  loseAnswers: 5,
  refuse: 5,
  closeWatches: 4,
  expireHistory: 4,
  lagReplica: 4,
  staleReads: 2,
  delay: 2,
  restart: 1,
};

export const allFaults = Object.keys(weights) as readonly FaultKind[];

const mostFaults = 3;
const statuses = [429, 500, 503, 504] as const;
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/**
 * @param kinds those that may be chosen
 * @param scope what all of them are about
 */
export function planOf(seed: number, kinds: readonly FaultKind[], scope: FaultScope): readonly FaultOrder[] {
  const random = new SeededRandom(seed, 'plan');
  const allowed = Object.fromEntries(kinds.map((kind) => [kind, weights[kind]])) as Record<FaultKind, number>;
  return Array.from({ length: 1 + random.below(mostFaults) }, () =>
    orderOf(random.weighted(allowed), random, scope),
  );
}

function orderOf(kind: FaultKind, random: SeededRandom, within: FaultScope): FaultOrder {
  const scope = { ...within, after: random.below(12) };
  const some = { ...within, rate: rounded(random.between(0.3, 1)), times: 1 + random.below(4) };
  switch (kind) {
    case 'closeWatches':
      return { kind, cut: random.chance(0.5), scope };
    case 'expireHistory':
      return { kind, scope };
    case 'restart':
      return { kind, downFor: milliseconds(random, 0, 30), scope };
    case 'staleReads':
      return { kind, by: milliseconds(random, 50, 300), scope: some };
    case 'lagReplica':
      return { kind, by: milliseconds(random, 20, 200), scope: some };
    case 'delay':
      return { kind, by: milliseconds(random, 5, 60), scope: some };
    case 'conflicts':
      return { kind, scope: some };
    case 'loseAnswers':
      return { kind, as: random.chance(0.5) ? 'cut' : 'timeout', scope: some };
    case 'refuse':
      return { kind, status: random.pick(statuses), scope: { verb: random.pick(verbs), ...some } };
  }
}

function milliseconds(random: SeededRandom, least: number, most: number): string {
  return `${String(Math.round(random.between(least, most)))}ms`;
}

function rounded(rate: number): number {
  return Math.round(rate * 100) / 100;
}
