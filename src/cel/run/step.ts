/** Steps of an evaluation, and what planning one needs of its surroundings. */
import type { Checked } from '../check/checker.ts';
import { EvaluationError } from '../language/errors.ts';
import type { Expr } from '../language/expression.ts';
import type { CelType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import type { Run } from './run.ts';

/** A part of an expression, ready to run. @throws EvaluationError, EvaluationCut */
export type Step = (run: Run) => CelValue;

/** An expression that is being planned. */
export interface Planning {
  readonly checked: Checked;
  /** Variables of macros with their slots, the innermost last. */
  readonly scopes: (readonly [string, number])[];
  newSlot(): number;
  /** The slot of a macro's variable. */
  slotOf(name: string): number | undefined;
  typeOf(expr: Expr): CelType;
  step(expr: Expr): Step;
}

/** A part that has no value. */
export function failing(message: string): Step {
  return () => {
    throw new EvaluationError(message);
  };
}
