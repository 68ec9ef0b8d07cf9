/**
 * Borrowing between priority levels (KEP-1040): a level lends seats that it does not need, down to a lower limit, and
 * borrows others up to an upper one. Seats are divided again every ten seconds by what the levels needed lately.
 */
import { sharesOf, type LevelSource } from './flow-objects.ts';
import type { DemandFigures } from './seat-demand.ts';

export const borrowingPeriodMs = 10_000;

/** Weight of the past in the smoothed demand. */
const pastWeight = 0.977;
/** Halvings of the interval in which the fair fraction lies: more than the digits of a number that counts seats. */
const halvings = 60;

export interface SeatLimits {
  readonly nominal: number;
  /** What it keeps however little it needs. */
  readonly lower: number;
  /** What it has at most however much others lend. */
  readonly upper: number;
}

/** @param server its seats and the shares of all levels */
export function limitsOf(
  level: LevelSource,
  server: { readonly seats: number; readonly shares: number },
): SeatLimits {
  const { type, limited, exempt } = level.spec;
  const isExempt = type === 'Exempt';
  const nominal = Math.ceil((server.seats * sharesOf(level)) / Math.max(server.shares, 1));
  const lendable = (isExempt ? exempt?.lendablePercent : limited?.lendablePercent) ?? 0;
  const borrowed = isExempt ? undefined : limited?.borrowingLimitPercent;
  const more = borrowed == null ? server.seats : Math.round((nominal * borrowed) / 100);
  return { nominal, lower: nominal - Math.round((nominal * lendable) / 100), upper: nominal + more };
}

/** What a level asks for. */
export interface SeatClaim {
  readonly limits: SeatLimits;
  /** What it gets before others borrow: what it needed at most, if that is its own. */
  readonly least: number;
  readonly target: number;
}

/** The smoothed demand falls slowly and rises at once. */
export function smoothed(before: number, { average, deviation }: DemandFigures): number {
  const envelope = average + deviation;
  return Math.max(envelope, pastWeight * before + (1 - pastWeight) * envelope);
}

export function claimOf(limits: SeatLimits, high: number, smooth: number): SeatClaim {
  const least = Math.max(limits.lower, Math.min(limits.nominal, high));
  return { limits, least, target: Math.max(least, smooth, 1) };
}

export interface Division {
  /** Seats of each claim, in order; not rounded. */
  readonly seats: readonly number[];
  /** The fraction of its target that each gets which no limit bounds; 0 where none gets more than its least. */
  readonly fairFraction: number;
}

/** Divides so many seats: each gets the same fraction of its target, within what it must and may have. */
export function divideSeats(total: number, claims: readonly SeatClaim[]): Division {
  const sum = (part: (claim: SeatClaim) => number): number =>
    claims.reduce((all, claim) => all + part(claim), 0);
  const lower = sum(({ limits }) => limits.lower);
  const least = sum((claim) => claim.least);
  if (total <= lower) return { seats: claims.map(({ limits }) => limits.lower), fairFraction: 0 };
  if (total <= least) {
    const part = (total - lower) / (least - lower);
    const seats = claims.map(({ limits, least }) => limits.lower + part * (least - limits.lower));
    return { seats, fairFraction: 0 };
  }
  const fairFraction = fractionFor(total, claims, (fraction) => sum((claim) => seatsAt(claim, fraction)));
  return { seats: claims.map((claim) => seatsAt(claim, fairFraction)), fairFraction };
}

function fractionFor(
  total: number,
  claims: readonly SeatClaim[],
  seatsOf: (fraction: number) => number,
): number {
  let low = 0;
  let high = claims.reduce((most, { limits, target }) => Math.max(most, limits.upper / target), 0);
  if (seatsOf(high) <= total) return high;
  for (let i = 0; i < halvings; i += 1) {
    const middle = (low + high) / 2;
    if (seatsOf(middle) > total) high = middle;
    else low = middle;
  }
  return low;
}

function seatsAt({ limits, least, target }: SeatClaim, fraction: number): number {
  return Math.min(limits.upper, Math.max(least, fraction * target));
}
