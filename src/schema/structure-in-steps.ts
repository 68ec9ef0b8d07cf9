/** The faults of shape of large objects in steps: to check a megabyte takes some 15 ms. */
import { isObject, setOwn, type JsonObject, type JsonValue } from '../base/json.ts';
import { isSmall } from '../base/is-small.ts';
import { checkStructure } from './structure.ts';
import type { Schema, StructSchema } from './types.ts';

/** A struct of at most so many members, at all depths, is checked in one step. */
const membersOfStep = 256;
const maxErrors = 100;

/**
 * The `errors` of `checkStructure`, perhaps in another order. Structs, and lists of them, are taken apart.
 * @param schema not recursive
 * @param path where the value stands; '' for a whole object
 */
export function* structureErrors(
  schema: StructSchema,
  value: JsonValue,
  path = '',
): Generator<void, readonly string[], void> {
  yield;
  if (!isObject(value) || isSmall(value, membersOfStep)) return checkStructure(schema, value, path).errors;
  const { parts, rest } = takenApart(schema, value, path);
  const errors = [...checkStructure(schema, rest, path).errors];
  for (const part of parts) {
    if (errors.length >= maxErrors) break;
    errors.push(...(yield* errorsOf(part)));
  }
  return errors.slice(0, maxErrors);
}

/** A member that consists of structs. */
interface Part {
  readonly schema: StructSchema;
  /** A struct, or a list of them. */
  readonly value: JsonValue;
  readonly path: string;
}

function* errorsOf({ schema, value, path }: Part): Generator<void, readonly string[], void> {
  if (!Array.isArray(value)) return yield* structureErrors(schema, value, path);
  const errors: string[] = [];
  for (const [i, item] of value.entries()) {
    if (errors.length >= maxErrors) break;
    // A null is a struct without members there.
    if (item !== null) errors.push(...(yield* structureErrors(schema, item, `${path}[${String(i)}]`)));
  }
  return errors;
}

function takenApart(
  { fields }: StructSchema,
  value: JsonObject,
  path: string,
): { readonly parts: readonly Part[]; readonly rest: JsonObject } {
  const parts: Part[] = [];
  const rest: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const schema = structOf(fields.get(name)?.schema, member);
    if (schema) parts.push({ schema, value: member ?? null, path: path === '' ? name : `${path}.${name}` });
    else setOwn(rest, name, member ?? null);
  }
  return { parts, rest };
}

/** The struct of which a member consists; undefined: it does not, or is of another type than its schema. */
function structOf(schema: Schema | undefined, member: JsonValue | undefined): StructSchema | undefined {
  if (schema?.type === 'struct') return isObject(member) ? schema : undefined;
  if (schema?.type !== 'list' || !Array.isArray(member)) return undefined;
  return schema.items.type === 'struct' ? schema.items : undefined;
}
