/** The expressions of a policy, compiled when a request first meets it: most of ten thousand policies meet none. */
import type { MatchCondition, ParamKind, Variable } from '../../api/admissionregistration/v1.types.ts';
import {
  compileTo,
  policyEnvironment,
  policyValues,
  type AdmissionInput,
  type PolicyNames,
} from '../../cel/admission/environment.ts';
import { ExpressionFailure, type EvaluationBudget } from '../../cel/admission/evaluation-budget.ts';
import type { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import { MatchConditions } from '../../cel/admission/match-conditions.ts';
import { VariableTypes, VariableValues } from '../../cel/admission/variables.ts';
import { EvaluationError } from '../../cel/language/errors.ts';
import type { CelType } from '../../cel/language/types.ts';
import type { CelValue } from '../../cel/language/values.ts';
import type { Compiled } from '../../cel/program.ts';

/** What is stored may use every library: it compiled when it was written. */
const minor = Number.POSITIVE_INFINITY;

/** An expression, and its program or what is wrong with it. */
export interface CompiledText {
  readonly text: string;
  readonly compiled: Compiled;
}

/** What an expression may name beside what all do, and what it must evaluate to; without `results` anything. */
interface TextRules extends Pick<PolicyNames, 'hasAuthorizer' | 'makesPatches'> {
  readonly results?: readonly CelType[];
}

export type CompileText = (text: string, rules: TextRules) => Promise<CompiledText>;

/** The variables, and what the kind of the policy has beside them. */
interface Programs<T> {
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly body: T;
}

interface ExpressionFields {
  readonly paramKind?: ParamKind | null | undefined;
  readonly variables?: readonly Variable[] | null | undefined;
  readonly matchConditions?: readonly MatchCondition[] | null | undefined;
}

export class PolicyPrograms<T> {
  readonly conditions: MatchConditions | undefined;
  private readonly variables: readonly Variable[];
  private readonly hasParams: boolean;
  private readonly compileBody: (compile: CompileText) => Promise<T>;
  private readonly types = new VariableTypes();
  private compiling: Promise<Programs<T>> | undefined;
  private known: Programs<T> | undefined;

  constructor(
    { paramKind, variables, matchConditions }: ExpressionFields,
    compileBody: (compile: CompileText) => Promise<T>,
  ) {
    this.variables = variables ?? [];
    this.hasParams = paramKind != null;
    this.compileBody = compileBody;
    const conditions = matchConditions ?? [];
    const environment = policyEnvironment(minor, { hasParams: this.hasParams });
    this.conditions = conditions.length === 0 ? undefined : new MatchConditions(conditions, environment);
  }

  /** All programs; compiled once, in turns with other work. */
  async all(turns: EvaluationTurns): Promise<Programs<T>> {
    if (this.known) return this.known;
    this.compiling ??= this.compile(turns);
    return (this.known = await this.compiling);
  }

  private async compile(turns: EvaluationTurns): Promise<Programs<T>> {
    const one: CompileText = (text, rules) => this.one(text, rules, turns);
    const variables = new Map<string, Compiled>();
    for (const { name = '', expression = '' } of this.variables) {
      const { compiled } = await one(expression, {});
      this.types.add(name, compiled.program?.type);
      variables.set(name, compiled);
    }
    return { variables, body: await this.compileBody(one) };
  }

  private async one(
    text: string,
    { results, ...names }: TextRules,
    turns: EvaluationTurns,
  ): Promise<CompiledText> {
    const { hasParams, types } = this;
    const environment = policyEnvironment(minor, { hasParams, variables: types.type, ...names });
    return { text, compiled: await turns.inTurn(() => compileTo(text, environment, results)) };
  }

  /** Values for conditions, which know no variables. */
  conditionValues(input: AdmissionInput): readonly CelValue[] {
    return policyValues(input, { hasParams: this.hasParams });
  }

  /** Values for all others; variables are evaluated at most once with each of them, at the cost of that budget. */
  values(input: AdmissionInput, { variables }: Programs<T>, budget: EvaluationBudget): readonly CelValue[] {
    const values: CelValue[] = [];
    const evaluate = ({ program, problem }: Compiled): CelValue => {
      if (!program) throw new EvaluationError(problem);
      return budget.evaluate(program, values);
    };
    const struct = new VariableValues(this.types.type, variables, evaluate);
    values.push(...policyValues(input, { hasParams: this.hasParams, variables: struct }));
    return values;
  }
}

/** The expression does not compile: what was stored was accepted by other rules. */
export class Uncompiled extends ExpressionFailure {
  constructor(text: string, problem: string) {
    super(text, `compilation error: ${problem}`);
    this.name = 'Uncompiled';
  }
}

/** The value of an expression. @throws ExpressionFailure, OutOfBudget, AwaitedAnswer */
export function valueOf(
  { text, compiled }: CompiledText,
  values: readonly CelValue[],
  budget: EvaluationBudget,
): CelValue {
  if (!compiled.program) throw new Uncompiled(text, compiled.problem);
  return budget.valueOf(text, compiled.program, values);
}
