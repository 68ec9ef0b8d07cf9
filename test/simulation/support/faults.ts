/** What goes wrong in a world, and when: made from the seed before the world begins, so that parts of it can be left out. */
import type { SeededRandom } from './seeded-random.ts';

export const faultKinds = [
  /** Connections between a replica and a member are reset. */
  'reset',
  /** A replica and a member cannot reach each other for a while; connections stay open. */
  'partition',
  /** A member stops and starts again. */
  'memberDown',
  /** A member is frozen and thaws. */
  'memberFrozen',
  /** No member has a quorum for a while; afterwards some of what was proposed is committed. */
  'noQuorum',
  /** Another leader: streams end, and calls under way are lost. */
  'leaderChange',
  /** A member applies late: its watches lag. */
  'memberLag',
  /** Every so many answers a connection is reset instead: what was asked may have been done. */
  'lostAnswers',
  /** The network is slow. */
  'slowNetwork',
  /** A replica is killed; another process starts in its place. */
  'replicaKilled',
  /** A replica is frozen and thaws. */
  'replicaFrozen',
  /** The wall clock of a replica is set forward or back. */
  'clockStep',
  /** History is compacted up to a revision that clients may still need. */
  'compact',
  /** All members stop and come back with the state of a while ago: restored as documented, or replaced somehow. */
  'restored',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Virtual milliseconds since the world began. */
  readonly at: number;
  readonly forMs: number;
  /** Which replica and which member; taken modulo their number. */
  readonly replica: number;
  readonly member: number;
  /** Other choices of the fault: 0 ≤ x < 1. */
  readonly choice: number;
}

const weights: Readonly<Record<FaultKind, number>> = {
  reset: 6,
  partition: 5,
  memberDown: 2,
  memberFrozen: 2,
  noQuorum: 2,
  leaderChange: 3,
  memberLag: 3,
  lostAnswers: 5,
  slowNetwork: 2,
  replicaKilled: 2,
  replicaFrozen: 2,
  clockStep: 1,
  compact: 4,
  restored: 1,
};

/** @param untilMs no fault begins later */
export function planFaults(
  random: SeededRandom,
  {
    count,
    untilMs,
    kinds,
  }: { readonly count: number; readonly untilMs: number; readonly kinds: readonly FaultKind[] },
): Fault[] {
  const allowed = Object.fromEntries(kinds.map((kind) => [kind, weights[kind]])) as Record<FaultKind, number>;
  const plan = Array.from({ length: count }, () => ({
    kind: random.weighted(allowed),
    at: Math.round(random.between(0, untilMs)),
    // Most are short; some outlive every deadline.
    forMs: Math.round(random.chance(0.7) ? random.between(5, 1_500) : random.between(1_500, 20_000)),
    replica: random.below(12),
    member: random.below(12),
    choice: random.number(),
  }));
  return plan.sort((a, b) => a.at - b.at);
}
