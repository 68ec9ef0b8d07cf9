/** Expressions of webhooks and policies: they compile when they are written, with the libraries of the emulated release. */
import { compileTo } from '../../cel/admission/environment.ts';
import type { Environment } from '../../cel/check/environment.ts';
import type { CelType } from '../../cel/language/types.ts';
import type { Program } from '../../cel/program.ts';
import { maxRuleText, shortRuleText } from '../../cel/schema/rule.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { ApiContext } from '../types.ts';
import type { Maybe } from '../validation/rules.ts';

/** Gives the environment with the libraries of a release. */
export type EnvironmentOf = (minor: number) => Environment;

/** What an expression found, and its program where there is one. */
export interface Judged {
  readonly errors: FieldError[];
  readonly program?: Program;
}

/** Judges the expressions of one object, which are bounded together, as compiling takes a millisecond for some hundred characters. */
export class ExpressionRules {
  private readonly minor: number;
  private readonly known: ReadonlySet<string>;
  private readonly noteLongWork: ApiContext['noteLongWork'];
  private left = maxRuleText;

  /** @param known expressions that the object had before: they may use what later releases know */
  constructor(
    { release, noteLongWork }: Pick<ApiContext, 'release' | 'noteLongWork'>,
    known: ReadonlySet<string> = new Set(),
  ) {
    this.minor = release === undefined || release.major > 1 ? Number.POSITIVE_INFINITY : release.minor;
    this.known = known;
    this.noteLongWork = noteLongWork;
  }

  /**
   * @param results what it may evaluate to; absent: anything
   * @throws GrownWrite where the write may move: expressions of so many characters take long to compile
   */
  judge(
    expression: Maybe<string>,
    path: FieldPath,
    { environment, results }: { readonly environment: EnvironmentOf; readonly results?: readonly CelType[] },
  ): Judged {
    const text = expression ?? '';
    if (text.trim() === '') return { errors: [required(path)] };
    this.left -= text.length;
    if (this.left < 0)
      return {
        errors: [
          forbidden(
            path,
            `the expressions of one object may have ${String(maxRuleText)} characters together: use fewer, or shorter ones`,
          ),
        ],
      };
    if (maxRuleText - this.left > shortRuleText) this.noteLongWork?.();
    const minor = this.known.has(text) ? Number.POSITIVE_INFINITY : this.minor;
    const { program, problem } = compileTo(text, environment(minor), results);
    return program ? { errors: [], program } : { errors: [invalid(path, text, problem)] };
  }

  /** The same where only the errors count. */
  errors(...args: Parameters<ExpressionRules['judge']>): FieldError[] {
    return this.judge(...args).errors;
  }
}
