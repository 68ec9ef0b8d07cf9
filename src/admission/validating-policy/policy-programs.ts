/** The expressions of a policy, compiled when a request first meets it: most of ten thousand policies meet none. */
import type { ValidatingAdmissionPolicySpec } from '../../api/admissionregistration/v1.types.ts';
import {
  compileTo,
  policyEnvironment,
  policyValues,
  type AdmissionInput,
} from '../../cel/admission/environment.ts';
import {
  ExpressionFailure,
  type EvaluationBudget,
  type EvaluationTurns,
} from '../../cel/admission/evaluation-budget.ts';
import { MatchConditions } from '../../cel/admission/match-conditions.ts';
import { VariableTypes, VariableValues } from '../../cel/admission/variables.ts';
import { EvaluationError } from '../../cel/language/errors.ts';
import { boolType, nullType, stringType, type CelType } from '../../cel/language/types.ts';
import type { CelValue } from '../../cel/language/values.ts';
import type { Compiled } from '../../cel/program.ts';

/** What is stored may use every library: it compiled when it was written. */
const minor = Number.POSITIVE_INFINITY;

const ofMessages = [stringType];
const ofAnnotations = [stringType, nullType];

/** An expression, and its program or what is wrong with it. */
export interface CompiledText {
  readonly text: string;
  readonly compiled: Compiled;
}

interface Programs {
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly validations: readonly CompiledText[];
  /** Absent where a validation has none. */
  readonly messages: readonly (CompiledText | undefined)[];
  readonly annotations: readonly CompiledText[];
}

export class PolicyPrograms {
  readonly conditions: MatchConditions | undefined;
  private readonly spec: ValidatingAdmissionPolicySpec;
  private readonly hasParams: boolean;
  private readonly types = new VariableTypes();
  private compiling: Promise<Programs> | undefined;
  private known: Programs | undefined;

  constructor(spec: ValidatingAdmissionPolicySpec) {
    this.spec = spec;
    this.hasParams = spec.paramKind != null;
    const conditions = spec.matchConditions ?? [];
    const environment = policyEnvironment(minor, { hasParams: this.hasParams });
    this.conditions = conditions.length === 0 ? undefined : new MatchConditions(conditions, environment);
  }

  /** All programs; compiled once, in turns with other work. */
  async all(turns: EvaluationTurns): Promise<Programs> {
    if (this.known) return this.known;
    this.compiling ??= this.compile(turns);
    return (this.known = await this.compiling);
  }

  private async compile(turns: EvaluationTurns): Promise<Programs> {
    const { variables, validations, auditAnnotations } = this.spec;
    const compiledVariables = new Map<string, Compiled>();
    for (const { name = '', expression = '' } of variables ?? []) {
      const { compiled } = await this.one(expression, undefined, turns);
      this.types.add(name, compiled.program?.type);
      compiledVariables.set(name, compiled);
    }
    const texts: CompiledText[] = [];
    const messages: (CompiledText | undefined)[] = [];
    for (const { expression = '', messageExpression = '' } of validations ?? []) {
      texts.push(await this.one(expression, [boolType], turns));
      messages.push(
        messageExpression === '' ? undefined : await this.one(messageExpression, ofMessages, turns),
      );
    }
    const annotations: CompiledText[] = [];
    for (const { valueExpression = '' } of auditAnnotations ?? [])
      annotations.push(await this.one(valueExpression, ofAnnotations, turns));
    return { variables: compiledVariables, validations: texts, messages, annotations };
  }

  private async one(
    text: string,
    results: readonly CelType[] | undefined,
    turns: EvaluationTurns,
  ): Promise<CompiledText> {
    await turns.breathe();
    const { hasParams, types } = this;
    const environment = policyEnvironment(minor, { hasParams, variables: types.type });
    return { text, compiled: compileTo(text, environment, results) };
  }

  /** Values for conditions, which know no variables. */
  conditionValues(input: AdmissionInput): readonly CelValue[] {
    return policyValues(input, { hasParams: this.hasParams });
  }

  /** Values for all others; variables are evaluated at most once with each of them, at the cost of that budget. */
  values(input: AdmissionInput, { variables }: Programs, budget: EvaluationBudget): readonly CelValue[] {
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

/** The value of an expression. @throws ExpressionFailure, OutOfBudget */
export function valueOf(
  { text, compiled }: CompiledText,
  values: readonly CelValue[],
  budget: EvaluationBudget,
): CelValue {
  if (!compiled.program) throw new ExpressionFailure(text, `compilation error: ${compiled.problem}`);
  return budget.valueOf(text, compiled.program, values);
}
