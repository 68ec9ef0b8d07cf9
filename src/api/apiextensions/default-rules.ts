/** Defaults in a schema are values of that schema: with nothing that would be pruned, and without errors. */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { pruneObject } from '../../schema/structural/prune-unknown.ts';
import { readStructural, type Structural } from '../../schema/structural/types.ts';
import { StepBudget } from '../../schema/structural/step-budget.ts';
import { validateBySchema } from '../../schema/structural/validate-structural.ts';
import type { Placed } from './schema-walk.ts';
import { childSchemas } from './schema-walk.ts';

/** Errors in all defaults of a structural schema. */
export function defaultErrors(placed: Placed, prefix: string): FieldError[] {
  const budget = new StepBudget();
  const nodes = new Map<JsonObject, Structural>();
  const read = (schema: JsonObject): Structural => readStructural(schema, prefix, nodes);
  return errorsBelow(placed, { prefix, budget, read });
}

/** What the defaults of one schema have in common. */
interface Common {
  readonly prefix: string;
  /** All of them together may take as many steps as one object. */
  readonly budget: StepBudget;
  /** Each part is read once, however many defaults stand above it. */
  readonly read: (schema: JsonObject) => Structural;
}

function errorsBelow(placed: Placed, common: Common): FieldError[] {
  const { schema, path } = placed;
  const below = errorsOf(childSchemas(placed), (part) => errorsBelow(part, common));
  const value = schema['default'];
  if (value === undefined) return below;
  const at = path.child('default');
  if (value === null && schema['nullable'] !== true)
    return [invalid(at, null, 'must not be null where null is not allowed'), ...below];
  const wrapped = { type: 'object', properties: { default: schema } };
  const { unknown } = pruneObject(common.read(wrapped), { default: value });
  const wrong = validateBySchema(schema, value, { path: FieldPath.of('default'), ...common });
  return [
    ...unknown.map((name) => invalid(at, shown(value), `must not have unknown fields: ${name}`)),
    ...wrong.map(({ field, message }) => invalid(at, shown(value), `${field}: ${message}`)),
    ...below,
  ];
}

function shown(value: unknown): unknown {
  return isObject(value) ? 'object' : value;
}
