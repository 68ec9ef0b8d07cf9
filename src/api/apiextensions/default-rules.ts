/** Defaults in a schema are values of that schema: with nothing that would be pruned, and without faults. */
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { pruneObject } from '../../schema/structural/prune.ts';
import { readStructural } from '../../schema/structural/types.ts';
import { validateBySchema } from '../../schema/structural/validate.ts';
import type { Placed } from './schema-walk.ts';
import { partsOf } from './schema-walk.ts';

/** Faults of all defaults of a structural schema. */
export function defaultFaults(placed: Placed, prefix: string): FieldError[] {
  const { schema, path } = placed;
  const below = partsOf(placed).flatMap((part) => defaultFaults(part, prefix));
  const value = schema['default'];
  if (value === undefined) return below;
  const at = path.child('default');
  if (value === null && schema['nullable'] !== true)
    return [invalid(at, null, 'must not be null where null is not allowed'), ...below];
  const wrapped = { type: 'object', properties: { default: schema } };
  const { unknown } = pruneObject(readStructural(wrapped, prefix), { default: value });
  const wrong = validateBySchema(schema, value, { path: FieldPath.of('default'), prefix });
  return [
    ...unknown.map((name) => invalid(at, shown(value), `must not have unknown fields: ${name}`)),
    ...wrong.map(({ field, message }) => invalid(at, shown(value), `${field}: ${message}`)),
    ...below,
  ];
}

function shown(value: unknown): unknown {
  return isObject(value) ? 'object' : value;
}
