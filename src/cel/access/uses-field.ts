/** Whether an expression reads a field of a variable, however it is spelt: `claims.email`, `claims['email']`, `claims.?email`. */
import { partsOf, type Expr } from '../language/expression.ts';

/** @param expr after macros were expanded */
export function usesField(expr: Expr, variable: string, field: string): boolean {
  const todo: Expr[] = [expr];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (readsField(next, variable, field)) return true;
    todo.push(...partsOf(next));
  }
  return false;
}

const lookups: ReadonlySet<string> = new Set(['_[_]', '_[?_]', '_?._']);

function readsField(expr: Expr, variable: string, field: string): boolean {
  if (expr.kind === 'select') return expr.field === field && isNamed(expr.operand, variable);
  if (expr.kind !== 'call' || !lookups.has(expr.name)) return false;
  const [operand, key] = expr.args;
  return (
    operand !== undefined && isNamed(operand, variable) && key?.kind === 'literal' && key.value === field
  );
}

function isNamed(expr: Expr, variable: string): boolean {
  return expr.kind === 'ident' && expr.name === variable;
}
