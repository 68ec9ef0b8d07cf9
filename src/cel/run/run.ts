/**
 * One evaluation: its variables, what it cost so far, and how long it may hold the thread. JavaScript cannot interrupt
 * a step, so every step charges what it costs, and the clock is looked at between steps.
 */
import { workedMicroseconds } from '../../base/thread-work.ts';
import type { EvaluationError } from '../language/errors.ts';
import { EvaluationCut } from '../language/errors.ts';
import type { CelValue } from '../language/values.ts';

/** What one evaluation of an expression may cost, as the reference limits it. */
export const maxRunCost = 1_000_000;

/** An evaluation is cut after this time; others wait for the thread. */
export const maxRunMilliseconds = 10;

/**
 * In a write thread, where no other request waits. It is about what the reference takes for the cost of one evaluation; code
 * that has not been used yet runs several times as long as later, so that less would refuse objects by chance.
 */
export const maxAsideRunMilliseconds = 100;

/** Costs and work between two looks at the clock. */
const checkInterval = 512;

/** Gives the time that this thread worked, in milliseconds. */
export type ThreadTime = () => number;

export const threadTime: ThreadTime = () => workedMicroseconds() / 1000;

/** When evaluations are cut. Most end before anybody looks at the clock, which takes longer than they do. */
export interface Deadline {
  /** As the clock counts; undefined until the first look. */
  end: number | undefined;
}

export interface RunLimits {
  /** Most that the evaluation may cost; the usual limit if absent. */
  readonly maxCost?: number;
  /** Shared by evaluations that have one time together; absent: it has the usual time for itself. */
  readonly deadline?: Deadline;
  readonly time?: ThreadTime;
  /** When it is cut; as in the serving thread if absent. */
  readonly maxMilliseconds?: number;
}

/** What a variable holds: nothing yet, or for an accumulator also an error that a later item may absorb. */
export type Slot = CelValue | EvaluationError | undefined;

export class Run {
  /** Variables by slot: those of the environment, then those of macros. */
  readonly variables: Slot[];
  private spent = 0;
  private worked = 0;
  private nextCheck = checkInterval;
  private readonly deadline: Deadline;
  private readonly maxCost: number;
  private readonly time: ThreadTime;
  private readonly maxMilliseconds: number;

  constructor(
    variables: Slot[],
    {
      maxCost = maxRunCost,
      deadline = { end: undefined },
      time = threadTime,
      maxMilliseconds = maxRunMilliseconds,
    }: RunLimits = {},
  ) {
    this.variables = variables;
    this.maxCost = maxCost;
    this.deadline = deadline;
    this.time = time;
    this.maxMilliseconds = maxMilliseconds;
  }

  /** What the evaluation cost so far, in units of the reference. */
  get cost(): number {
    return this.spent;
  }

  /** @throws EvaluationCut once more was charged than the evaluation may cost, or when it takes too long */
  charge(cost: number): void {
    this.spent += cost;
    if (this.spent > this.maxCost)
      throw new EvaluationCut('cost', 'operation cancelled: actual cost limit exceeded');
    this.work(cost);
  }

  /** Work that costs nothing by the rules of the reference, and time all the same. @throws EvaluationCut */
  work(amount: number): void {
    this.worked += amount;
    if (this.worked >= this.nextCheck) this.lookAtClock();
  }

  private lookAtClock(): void {
    this.nextCheck = this.worked + checkInterval;
    const now = this.time();
    this.deadline.end ??= now + this.maxMilliseconds;
    if (now <= this.deadline.end) return;
    const limit = `${String(this.maxMilliseconds)} ms`;
    throw new EvaluationCut('time', `operation cancelled: the evaluation took more than ${limit}`);
  }
}
