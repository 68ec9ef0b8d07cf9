/** What the expressions of one webhook or policy may cost together. */
import { AwaitedAnswer, EvaluationCut, EvaluationError } from '../language/errors.ts';
import type { CelValue } from '../language/values.ts';
import type { Program } from '../program.ts';
import { maxRunCost, threadTime, type Deadline, type ThreadTime } from '../run/run.ts';

/** Of the match conditions of one webhook or policy, as the reference limits it. */
export const matchConditionsCost = 2_500_000;

/** Of the validations of one policy with one parameter, as the reference limits it; that of its annotations is as much. */
export const policyCost = 10_000_000;

/** All expressions together cost too much: no other is evaluated. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
    this.name = 'OutOfBudget';
  }
}

/** An expression that has no value, with its text. */
export class ExpressionFailure extends Error {
  constructor(expression: string, problem: string) {
    super(`expression '${expression}' resulted in error: ${problem}`);
    this.name = 'ExpressionFailure';
  }
}

export class EvaluationBudget {
  private left: number;
  private readonly time: ThreadTime;
  /** When the expression that is evaluated now is cut; undefined between expressions. */
  private deadline: Deadline | undefined;

  constructor(cost: number, time: ThreadTime = threadTime) {
    this.left = cost;
    this.time = time;
  }

  /**
   * The value of an expression. Variables that it uses are evaluated by the same method within its time.
   * @throws EvaluationError, EvaluationCut, OutOfBudget, AwaitedAnswer
   */
  evaluate(program: Program, values: readonly CelValue[]): CelValue {
    if (this.deadline !== undefined) return this.within(program, values, this.deadline);
    this.deadline = { end: undefined };
    try {
      return this.within(program, values, this.deadline);
    } finally {
      this.deadline = undefined;
    }
  }

  private within(program: Program, values: readonly CelValue[], deadline: Deadline): CelValue {
    const maxCost = Math.min(this.left, maxRunCost);
    const limits = { maxCost, deadline, time: this.time };
    const { run, evaluate } = program.start(values, limits);
    try {
      const value = evaluate();
      this.spend(run.cost);
      return value;
    } catch (error) {
      // What is repeated costs once.
      if (!(error instanceof AwaitedAnswer)) this.spend(run.cost);
      if (error instanceof EvaluationCut && error.reason === 'cost' && maxCost < maxRunCost)
        throw new OutOfBudget();
      throw error;
    }
  }

  private spend(cost: number): void {
    this.left = Math.max(0, this.left - cost);
  }

  /** The same with the text in the error. @throws ExpressionFailure, OutOfBudget, AwaitedAnswer */
  valueOf(expression: string, program: Program, values: readonly CelValue[]): CelValue {
    try {
      return this.evaluate(program, values);
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof EvaluationCut)) throw error;
      throw new ExpressionFailure(expression, error.message);
    }
  }
}
