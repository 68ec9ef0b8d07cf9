/**
 * Keys of definitions that later releases brought: they are stored, so that definitions of today's products can be
 * installed whole, and do nothing here, which a warning says.
 */
import type { JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { ApiContext } from '../types.ts';
import { isSince } from '../since.ts';
import { ruleMinor, ruleReleaseOf } from './rule-release.ts';
import { selectsByFields } from './selectable-fields.ts';
import type { CustomResourceDefinition } from './v1.types.ts';

/** One warning for each key that a definition has and that is not obeyed. */
export function laterKeyWarnings(
  { spec }: Pick<CustomResourceDefinition, 'spec'>,
  context: Pick<ApiContext, 'naming' | 'release' | 'isFeatureEnabled'>,
): string[] {
  const versions = spec?.versions ?? [];
  const validations = `${context.naming.extensionPrefix}validations`;
  const rules =
    ruleReleaseOf(context) === undefined
      ? versions.reduce(
          (sum, { schema }) => sum + rulesIn(schema?.openAPIV3Schema as JsonValue | undefined, validations),
          0,
        )
      : 0;
  const fields = selectsByFields(context)
    ? 0
    : versions.reduce((sum, { selectableFields }) => sum + (selectableFields ?? []).length, 0);
  return [
    ...(rules > 0
      ? [
          `${validations}: the ${String(rules)} rules are stored, but objects are not checked by them: ${whyNot(context)}`,
        ]
      : []),
    ...(fields > 0
      ? [`selectableFields: the ${String(fields)} fields are stored, but field selectors cannot use them`]
      : []),
  ];
}

function whyNot(context: Pick<ApiContext, 'release'>): string {
  return isSince(context, ruleMinor)
    ? 'feature gate CustomResourceValidationExpressions is off'
    : `this API emulates a release before 1.${String(ruleMinor)}`;
}

/** A property of that name is a schema, not a list. */
function rulesIn(value: JsonValue | undefined, key: string): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + rulesIn(item, key), 0);
  if (!isObject(value)) return 0;
  const own = getOwn(value, key);
  const below = Object.values(value).reduce<number>((sum, member) => sum + rulesIn(member, key), 0);
  return below + (Array.isArray(own) ? own.length : 0);
}
