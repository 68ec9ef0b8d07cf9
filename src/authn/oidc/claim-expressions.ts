/**
 * Expressions of an issuer: compiled when they are first used, and evaluated within one budget of time and cost for
 * each token.
 */
import { claimsEnvironment, userEnvironment } from '../../cel/access/environments.ts';
import { compileTo } from '../../cel/admission/environment.ts';
import { EvaluationBudget, ExpressionFailure, OutOfBudget } from '../../cel/admission/evaluation-budget.ts';
import { boolType } from '../../cel/language/types.ts';
import { CelList, type CelValue } from '../../cel/language/values.ts';
import type { Compiled } from '../../cel/program.ts';

/** Of all expressions for one token. */
const costOfToken = 10_000_000;

export function tokenBudget(): EvaluationBudget {
  return new EvaluationBudget(costOfToken);
}

/** What an expression is over, and whether it is a rule, which is true or false. */
export type ExpressionKind = 'claimMapping' | 'claimRule' | 'userRule';

export function compileExpression(text: string, kind: ExpressionKind, minor: number): Compiled {
  const environment = kind === 'userRule' ? userEnvironment(minor) : claimsEnvironment(minor);
  // What a claim is shows at run time only.
  return compileTo(text, environment, kind === 'claimMapping' ? undefined : [boolType]);
}

/** The expressions of one issuer. */
export class IssuerExpressions {
  private readonly minor: number;
  private readonly compiled = new Map<string, Compiled>();

  constructor(minor: number) {
    this.minor = minor;
  }

  /** The value, or why there is none. */
  valueOf(
    { text, kind }: { readonly text: string; readonly kind: ExpressionKind },
    values: readonly CelValue[],
    budget: EvaluationBudget,
  ): { readonly value: CelValue } | string {
    const key = `${kind} ${text}`;
    let compiled = this.compiled.get(key);
    if (!compiled) this.compiled.set(key, (compiled = compileExpression(text, kind, this.minor)));
    if (!compiled.program) return compiled.problem;
    try {
      return { value: budget.valueOf(text, compiled.program, values) };
    } catch (error) {
      if (error instanceof ExpressionFailure || error instanceof OutOfBudget) return error.message;
      throw error;
    }
  }
}

/** One text, several, or none at all; undefined for anything else. */
export function textsOf(value: CelValue): string[] | undefined {
  if (value === null || value === '') return [];
  if (typeof value === 'string') return [value];
  if (!(value instanceof CelList)) return undefined;
  const texts: string[] = [];
  for (let place = 0; place < value.size; place += 1) {
    const item = value.at(place);
    if (typeof item !== 'string') return undefined;
    texts.push(item);
  }
  return texts;
}
