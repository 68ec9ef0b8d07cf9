/** One policy judges one request with one parameter. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionInput } from '../../cel/admission/environment.ts';
import { EvaluationBudget, matchConditionsCost, policyCost } from '../../cel/admission/evaluation-budget.ts';
import type { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import type { CelValue } from '../../cel/language/values.ts';
import { errorTypeOf, type ErrorType } from '../policy/error-type.ts';
import { valueOf, type CompiledText } from '../policy/policy-programs.ts';
import type { ValidatingPolicy } from './validating-policy.ts';

/** Longer messages of expressions are not shown. */
const maxMessageBytes = 5 * 1024;
/** Longer values of annotations are cut. */
const maxAnnotationLength = 10 * 1024;

/** A validation that failed, or could not be judged. */
export interface Failure {
  readonly message: string;
  /** '' for one that could not be judged. */
  readonly reason: string;
  readonly index: number;
  readonly errorType: ErrorType;
}

export interface Judgement {
  readonly failures: readonly Failure[];
  /** Values of audit annotations by their keys. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Expressions without a value in annotations: they refuse the request whatever the actions of the binding are. */
  readonly refusals: readonly Failure[];
  /** Why something could not be judged, with a policy that is to go on. */
  readonly ignored: ErrorType;
}

const nothing: Judgement = { failures: [], annotations: [], refusals: [], ignored: 'no_error' };

export async function judge(
  policy: ValidatingPolicy,
  input: AdmissionInput,
  turns: EvaluationTurns,
): Promise<Judgement> {
  const { programs, ignoresFailure } = policy;
  if (programs.conditions) {
    const values = programs.conditionValues(input);
    const budget = new EvaluationBudget(matchConditionsCost);
    const { matches, problem } = await programs.conditions.match({ values, budget, turns });
    if (matches === false || (problem !== undefined && ignoresFailure)) return nothing;
    if (problem !== undefined)
      return { ...nothing, failures: [unjudged({ problem, errorType: 'invalid_error' }, 0)] };
  }
  return new Judge(policy, turns).judge(input);
}

function unjudged({ problem, errorType }: Problem, index: number): Failure {
  return { message: problem, reason: '', index, errorType };
}

class Judge {
  private readonly policy: ValidatingPolicy;
  private readonly turns: EvaluationTurns;
  private ignored: ErrorType = 'no_error';

  constructor(policy: ValidatingPolicy, turns: EvaluationTurns) {
    this.policy = policy;
    this.turns = turns;
  }

  async judge(input: AdmissionInput): Promise<Judgement> {
    const failures = await this.validations(input);
    const { annotations, refusals } = await this.annotations(input);
    return { failures, annotations, refusals, ignored: this.ignored };
  }

  private async validations(input: AdmissionInput): Promise<Failure[]> {
    const { programs } = this.policy;
    const all = await programs.all(this.turns);
    const { body } = all;
    const budget = new EvaluationBudget(policyCost);
    const values = programs.values(input, all, budget);
    const failures: Failure[] = [];
    for (const [index, text] of body.validations.entries()) {
      const found = this.evaluate(text, values, budget);
      const result = found instanceof Promise ? await found : found;
      if (result.problem !== undefined) {
        this.fail(failures, unjudged(result, index));
        if (result.errorType === 'out_of_budget') break;
      } else if (result.value !== true)
        failures.push(await this.failure(index, body.messages[index], { values, budget }));
    }
    return failures;
  }

  private fail(failures: Failure[], failure: Failure): void {
    if (this.policy.ignoresFailure) this.ignored = failure.errorType;
    else failures.push(failure);
  }

  private async failure(
    index: number,
    messageText: CompiledText | undefined,
    { values, budget }: { readonly values: readonly CelValue[]; readonly budget: EvaluationBudget },
  ): Promise<Failure> {
    const { message = '', expression = '', reason } = this.policy.spec.validations?.[index] ?? {};
    const made = messageText ? (await this.evaluate(messageText, values, budget)).value : undefined;
    const text = typeof made === 'string' ? made.trim() : '';
    const isShown = text !== '' && Buffer.byteLength(text) <= maxMessageBytes && !text.includes('\n');
    const fixed = message === '' ? `failed expression: ${expression.trim()}` : message.trim();
    return { message: isShown ? text : fixed, reason: reason ?? 'Invalid', index, errorType: 'no_error' };
  }

  private async annotations(input: AdmissionInput): Promise<Pick<Judgement, 'annotations' | 'refusals'>> {
    const { programs, spec } = this.policy;
    const all = await programs.all(this.turns);
    const annotations: [string, string][] = [];
    const refusals: Failure[] = [];
    const { annotations: texts } = all.body;
    if (texts.length === 0) return { annotations, refusals };
    const budget = new EvaluationBudget(policyCost);
    const values = programs.values(input, all, budget);
    for (const [index, text] of texts.entries()) {
      const found = this.evaluate(text, values, budget);
      const result = found instanceof Promise ? await found : found;
      if (result.problem !== undefined) this.fail(refusals, unjudged(result, index));
      else if (typeof result.value === 'string' && result.value.trim() !== '')
        annotations.push([
          spec.auditAnnotations?.[index]?.key ?? '',
          result.value.trim().slice(0, maxAnnotationLength),
        ]);
      if (result.errorType === 'out_of_budget') break;
    }
    return { annotations, refusals };
  }

  /** In its turn. What is known at once is not waited for: a promise costs more than most expressions. */
  private evaluate(
    text: CompiledText,
    values: readonly CelValue[],
    budget: EvaluationBudget,
  ): MaybePromise<Result> {
    try {
      const value = this.turns.answered(() => valueOf(text, values, budget));
      return value instanceof Promise ? value.then((known) => ({ value: known }), problemOf) : { value };
    } catch (error) {
      return problemOf(error);
    }
  }
}

/** @throws the error itself, where it is none of the expression */
function problemOf(error: unknown): Problem {
  const errorType = errorTypeOf(error);
  if (errorType === undefined || !(error instanceof Error)) throw error;
  return { problem: error.message, errorType };
}

interface Problem {
  readonly problem: string;
  /** `out_of_budget`: nothing else can be evaluated. */
  readonly errorType: ErrorType;
}

type Result =
  | { readonly value: CelValue; readonly problem?: undefined; readonly errorType?: undefined }
  | (Problem & { readonly value?: undefined });
