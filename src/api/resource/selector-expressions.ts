/** Expressions that choose devices compile when they are written. */
import { deviceEnvironment, isTooComplex } from '../../cel/admission/device-environment.ts';
import { boolType } from '../../cel/language/types.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { ExpressionRules } from '../admissionregistration/expression-rules.ts';
import type { ApiContext } from '../types.ts';
import type { Maybe } from '../validation/rules.ts';
import type { DeviceClaim, DeviceSelector } from './v1.types.ts';

export interface PlacedExpression {
  readonly text: string;
  readonly path: FieldPath;
}

/** Those of a list of selectors. */
export function expressionsOf(
  selectors: Maybe<readonly DeviceSelector[]>,
  at: FieldPath,
): PlacedExpression[] {
  return (selectors ?? []).flatMap(({ cel }, i) =>
    cel?.expression ? [{ text: cel.expression, path: at.index(i).child('cel').child('expression') }] : [],
  );
}

/** Those of all requests of a claim. */
export function expressionsOfClaim(devices: Maybe<DeviceClaim>, at: FieldPath): PlacedExpression[] {
  return (devices?.requests ?? []).flatMap(({ exactly, firstAvailable }, i) => {
    const path = at.child('requests').index(i);
    return [
      ...expressionsOf(exactly?.selectors, path.child('exactly').child('selectors')),
      ...(firstAvailable ?? []).flatMap(({ selectors }, j) =>
        expressionsOf(selectors, path.child('firstAvailable').index(j).child('selectors')),
      ),
    ];
  });
}

/** @param before expressions of the stored object: they are not judged anew */
export function expressionErrors(
  expressions: readonly PlacedExpression[],
  before: readonly PlacedExpression[],
  context: ApiContext,
): FieldError[] {
  const known = new Set(before.map(({ text }) => text));
  const rules = new ExpressionRules(context);
  return expressions
    .filter(({ text }) => !known.has(text))
    .flatMap(({ text, path }) => {
      const how = { environment: deviceEnvironment, results: [boolType] };
      const { errors, program } = rules.judge(text, path, how);
      return program && isTooComplex(program) ? [forbidden(path, 'too complex, exceeds cost limit')] : errors;
    });
}
