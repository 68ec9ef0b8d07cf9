/** What went wrong with an expression of a policy, as metrics name it. */
import { ExpressionFailure, OutOfBudget } from '../../cel/admission/evaluation-budget.ts';
import { Uncompiled } from './policy-programs.ts';

export type ErrorType = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error';

/** undefined: it is no problem of an expression. */
export function errorTypeOf(error: unknown): Exclude<ErrorType, 'no_error'> | undefined {
  if (error instanceof Uncompiled) return 'compile_error';
  if (error instanceof OutOfBudget) return 'out_of_budget';
  return error instanceof ExpressionFailure ? 'invalid_error' : undefined;
}
