/** Expressions of a configuration: where each stands, and whether it compiles. */
import { compileExpression, type ExpressionKind } from '../../../authn/oidc/claim-expressions.ts';
import { Slice } from '../../../base/cooperate.ts';
import { usesField } from '../../../cel/access/uses-field.ts';
import type { Program } from '../../../cel/program.ts';
import { addProblem } from '../../placed-problems.ts';
import type { Placed, YamlFile } from '../../yaml-file.ts';

/** An expression that was read. */
export interface ExpressionText {
  readonly owner: Placed<unknown>;
  /** The member of its owner. */
  readonly field: string;
  readonly text: string;
  readonly kind: ExpressionKind;
  /** The path of its issuer. */
  readonly issuer: string;
  /** It names the user. */
  readonly isUsername: boolean;
  /** It is the one that can require a verified address: of the user name, of an extra value, or a rule of claims. */
  readonly mayVerify: boolean;
}

/**
 * Compiles all expressions, and lets others work between two of them. Errors are added to those of the file.
 * @param minor of the release whose libraries they may use
 */
export async function checkExpressions(
  file: YamlFile,
  expressions: readonly ExpressionText[],
  minor: number,
): Promise<void> {
  const slice = new Slice();
  const programs = new Map<ExpressionText, Program>();
  for (const one of expressions) {
    await slice.breathe();
    const { program, problem } = compileExpression(one.text, one.kind, minor);
    if (program) programs.set(one, program);
    else addProblem(file, one.owner, one.field, `Invalid value: ${JSON.stringify(one.text)}: ${problem}`);
  }
  const uses = (one: ExpressionText, field: string): boolean => {
    const program = programs.get(one);
    return program !== undefined && usesField(program.checked.expr, 'claims', field);
  };
  for (const one of expressions.filter(({ isUsername }) => isUsername)) {
    const others = expressions.filter(({ issuer, mayVerify }) => mayVerify && issuer === one.issuer);
    if (!uses(one, 'email') || others.some((other) => uses(other, 'email_verified'))) continue;
    addProblem(file, one.owner, one.field, `Invalid value: ${JSON.stringify(one.text)}: ${unverified}`);
  }
}

const unverified =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression ' +
  'or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
