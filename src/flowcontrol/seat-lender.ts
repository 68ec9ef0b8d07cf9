/** Lends seats of priority levels to others, and remembers between divisions what each needed and has. */
import type { Steps } from '../base/sliced-work.ts';
import type { BorrowingMetrics } from '../observe/flow-control-metrics.ts';
import { claimOf, divideSeats, smoothed, type SeatClaim, type SeatLimits } from './borrowing.ts';
import type { DemandFigures } from './seat-demand.ts';
import type { PriorityLevel } from './priority-level.ts';

interface Account {
  limits: SeatLimits;
  smooth: number;
  current: number;
}

const figureNames = ['average', 'deviation', 'high'] as const;
const limitNames = ['nominal', 'lower', 'upper'] as const;

export class SeatLender {
  private readonly metrics: BorrowingMetrics;
  private readonly accounts = new Map<string, Account>();

  constructor(metrics: BorrowingMetrics) {
    this.metrics = metrics;
  }

  /**
   * A level with these limits takes part from now on.
   * @returns its seats until the next division: what it has, as far as the limits allow
   */
  admit(name: string, limits: SeatLimits): number {
    const known = this.accounts.get(name);
    const isSame = known && limitNames.every((part) => known.limits[part] === limits[part]);
    const current = isSame ? known.current : Math.max(1, limits.nominal);
    this.accounts.set(name, { limits, smooth: known?.smooth ?? 0, current });
    for (const part of limitNames) this.show(part, name, limits[part]);
    this.show('current', name, current);
    return current;
  }

  forget(name: string): void {
    this.accounts.delete(name);
    const labels = { priority_level: name };
    for (const part of [...limitNames, ...figureNames, 'current', 'target', 'smoothed'] as const)
      this.metrics[part].forget(labels);
  }

  /**
   * Divides the seats of these levels by what they needed since the last time, in a step for each level. Exempt ones get
   * what they needed.
   */
  *divide(levels: readonly PriorityLevel[], now: number): Steps {
    const claims: { level: PriorityLevel; claim: SeatClaim }[] = [];
    let seats = 0;
    for (const level of levels) {
      yield;
      const account = this.accounts.get(level.name);
      if (!account) continue;
      const { high } = this.note(level.name, account, level.demand.take(now));
      seats += account.limits.nominal;
      if (level.isExempt) seats -= Math.max(account.limits.lower, high);
      else claims.push({ level, claim: claimOf(account.limits, high, account.smooth) });
    }
    const division = divideSeats(
      seats,
      claims.map(({ claim }) => claim),
    );
    this.metrics.fairFraction.series({}).set(division.fairFraction);
    for (const [index, { level, claim }] of claims.entries()) {
      yield;
      this.give(level, claim, division.seats[index] ?? claim.limits.lower);
    }
  }

  private give(level: PriorityLevel, claim: SeatClaim, seats: number): void {
    const current = Math.max(1, Math.round(seats));
    const account = this.accounts.get(level.name);
    if (account) account.current = current;
    this.show('target', level.name, claim.target);
    this.show('current', level.name, current);
    level.limitSeats(current);
  }

  private note(name: string, account: Account, figures: DemandFigures): DemandFigures {
    account.smooth = smoothed(account.smooth, figures);
    for (const part of figureNames) this.show(part, name, figures[part]);
    this.show('smoothed', name, account.smooth);
    return figures;
  }

  private show(part: Exclude<keyof BorrowingMetrics, 'fairFraction'>, name: string, value: number): void {
    this.metrics[part].series({ priority_level: name }).set(value);
  }
}
