/** The way in: a text becomes a program, a program with values a result. */
import { check } from './check/checker.ts';
import type { Environment } from './check/environment.ts';
import type { Checked } from './check/checker.ts';
import { type Issue, issuesText, SyntaxIssue } from './language/errors.ts';
import type { Expr } from './language/expression.ts';
import { parse } from './language/parser.ts';
import type { CelType } from './language/types.ts';
import type { CelValue } from './language/values.ts';
import { literalIssues } from './library/literal-checks.ts';
import type { Step } from './run/step.ts';
import { Planner } from './run/planner.ts';
import { Run, type RunLimits, type Slot } from './run/run.ts';
import { timed } from './times.ts';

/** The result of an evaluation, and what it cost. */
export interface Evaluated {
  readonly value: CelValue;
  readonly cost: number;
}

/** An expression that can be evaluated any number of times. */
export class Program {
  readonly checked: Checked;
  private readonly step: Step;

  constructor(checked: Checked, environment: Environment) {
    this.checked = checked;
    this.step = new Planner(checked, environment).step(checked.expr);
  }

  get type(): CelType {
    return this.checked.type;
  }

  /** Whether the expression uses a variable of its environment. */
  uses(variable: string): boolean {
    return [...this.checked.references.values()].some(
      (reference) => reference.kind === 'variable' && reference.name === variable,
    );
  }

  /** A run of this program, for callers that read its cost even if it fails. @param variables in the environment's order; those that are absent are errors when they are used */
  start(
    variables: readonly (CelValue | undefined)[],
    limits: RunLimits = {},
  ): { readonly run: Run; readonly evaluate: () => CelValue } {
    const slots: Slot[] = [...variables];
    const run = new Run(slots, limits);
    return { run, evaluate: () => timed('evaluated', () => this.step(run)) };
  }

  /** @throws EvaluationError if the expression has no value; EvaluationCut if it costs, or takes, too much */
  evaluate(variables: readonly (CelValue | undefined)[], limits: RunLimits = {}): Evaluated {
    const { run, evaluate } = this.start(variables, limits);
    const value = evaluate();
    return { value, cost: run.cost };
  }
}

/** A program, or what is wrong with the text. */
export type Compiled =
  | { readonly program: Program; readonly problem?: undefined }
  | { readonly program?: undefined; readonly problem: string };

/** Reads and checks a text. The problem has every mistake with its place, in the words that compilers of this language use. */
export function compile(text: string, environment: Environment): Compiled {
  return timed('compiled', () => compileText(text, environment));
}

function compileText(text: string, environment: Environment): Compiled {
  const read = readText(text, environment);
  if ('issue' in read) return { problem: issuesText(text, [read.issue]) };
  const checked = check(read.expr, environment);
  const issues = checked.issues.length > 0 ? checked.issues : literalIssues(checked);
  return issues.length > 0
    ? { problem: issuesText(text, issues) }
    : { program: new Program(checked, environment) };
}

function readText(
  text: string,
  { macros, optionals, quotedNames }: Environment,
): { readonly expr: Expr } | { readonly issue: Issue } {
  try {
    return { expr: parse(text, { macros, optionals, quotedNames }) };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { issue: { at: error.at, message: error.message } };
  }
}
