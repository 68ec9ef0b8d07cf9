/** Conditions that a request must meet, too (KEP-3716): all of them hold, or a webhook or policy does not concern it. */
import type { Environment } from '../check/environment.ts';
import { boolType } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import type { Compiled } from '../program.ts';
import { compileTo } from './environment.ts';
import { ExpressionFailure, OutOfBudget, type EvaluationBudget } from './evaluation-budget.ts';
import type { EvaluationTurns } from '../evaluation-turns.ts';

export interface ConditionText {
  readonly name?: string | undefined;
  readonly expression?: string | undefined;
}

/** Whether the conditions hold; the problem where that cannot be said. */
export type Matched =
  | { readonly matches: boolean; readonly problem?: undefined }
  | { readonly matches?: undefined; readonly problem: string };

/** What an evaluation needs. */
export interface Judging {
  readonly values: readonly CelValue[];
  readonly budget: EvaluationBudget;
  readonly turns: EvaluationTurns;
}

/** The conditions of one webhook or policy; each is compiled when it is first asked, and then kept. */
export class MatchConditions {
  private readonly texts: readonly string[];
  private readonly environment: Environment;
  private readonly compiled = new Map<number, Compiled>();

  constructor(conditions: readonly ConditionText[], environment: Environment) {
    this.texts = conditions.map(({ expression }) => expression ?? '');
    this.environment = environment;
  }

  /** One that does not hold decides, whatever problem others have. */
  async match(judging: Judging): Promise<Matched> {
    const problems: string[] = [];
    for (const index of this.texts.keys()) {
      try {
        const holds = await judging.turns.answered(() => this.holds(index, judging));
        if (!holds) return { matches: false };
      } catch (error) {
        if (error instanceof OutOfBudget) return { problem: error.message };
        if (!(error instanceof ExpressionFailure) && !(error instanceof Uncompiled)) throw error;
        problems.push(error.message);
      }
    }
    if (problems.length === 0) return { matches: true };
    return { problem: problems.length === 1 ? problems.join() : `[${problems.join(', ')}]` };
  }

  /** @throws ExpressionFailure, OutOfBudget, AwaitedAnswer, Uncompiled */
  private holds(index: number, { budget, values }: Judging): boolean {
    const text = this.texts[index] ?? '';
    let compiled = this.compiled.get(index);
    if (!compiled) this.compiled.set(index, (compiled = compileTo(text, this.environment, [boolType])));
    if (!compiled.program) throw new Uncompiled(compiled.problem);
    const value = budget.valueOf(text, compiled.program, values);
    if (typeof value !== 'boolean') throw new ExpressionFailure(text, 'the value is no bool');
    return value;
  }
}

class Uncompiled extends Error {
  constructor(problem: string) {
    super(`compilation error: ${problem}`);
    this.name = 'Uncompiled';
  }
}
