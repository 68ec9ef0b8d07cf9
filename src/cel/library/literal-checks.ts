/** Literals that can have no value: found when an expression is checked, not when it runs. */
import type { Checked } from '../check/checker.ts';
import { EvaluationError, type Issue } from '../language/errors.ts';
import { partsOf, type CallExpr, type Expr } from '../language/expression.ts';
import { isPattern } from './patterns.ts';
import { readDuration, readTimestamp } from './time-text.ts';

/** Problems of literals that are patterns, timestamps and durations. */
export function literalIssues({ expr }: Checked): Issue[] {
  const issues: Issue[] = [];
  visit(expr, (call) => {
    const issue = issueOf(call);
    if (issue) issues.push(issue);
  });
  return issues;
}

function issueOf({ name, target, args }: CallExpr): Issue | undefined {
  const arg = args.at(name === 'matches' && !target ? 1 : 0);
  if (arg?.kind !== 'literal' || typeof arg.value !== 'string') return undefined;
  const { value, at } = arg;
  if (name === 'matches') return isPattern(value) ? undefined : { at, message: 'invalid matches argument' };
  if (target) return undefined;
  if (name === 'timestamp') return failure(at, 'invalid timestamp argument', () => readTimestamp(value));
  return name === 'duration'
    ? failure(at, 'invalid duration argument', () => readDuration(value))
    : undefined;
}

function failure(at: number, message: string, read: () => unknown): Issue | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return { at, message };
    throw error;
  }
}

function visit(expr: Expr, onCall: (call: CallExpr) => void): void {
  if (expr.kind === 'call') onCall(expr);
  for (const part of partsOf(expr)) visit(part, onCall);
}
