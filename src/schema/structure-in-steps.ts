/** The faults of shape of large objects in steps: to check a megabyte takes some 15 ms. */
import { isObject, setOwn, type JsonObject, type JsonValue } from '../base/json.ts';
import { isSmall } from '../base/is-small.ts';
import { checkStructure, maxErrors } from './structure.ts';
import type { Schema, StructSchema } from './types.ts';

/** A struct of at most so many members, at all depths, is checked in one step. */
const membersOfStep = 256;
/** What stands deeper is checked in one step with what is around it: each level is one more generator to pass. */
const maxDepth = 64;

/**
 * The `errors` of `checkStructure`, perhaps in another order. Structs, and lists and maps of them, are taken apart.
 * @param path where the value stands; '' for a whole object
 */
export function structureErrors(
  schema: StructSchema,
  value: JsonValue,
  path = '',
): Generator<void, readonly string[], void> {
  return errorsOf({ schema, value, path, depth: 0 });
}

/** A struct. */
interface Part {
  readonly schema: StructSchema;
  readonly value: JsonValue;
  readonly path: string;
  readonly depth: number;
}

function* errorsOf(part: Part): Generator<void, readonly string[], void> {
  yield;
  const { schema, value, path, depth } = part;
  if (!isObject(value) || depth >= maxDepth || isSmall(value, membersOfStep))
    return checkStructure(schema, value, path).errors;
  const rest: JsonObject = {};
  const errors: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (errors.length >= maxErrors) break;
    const parts = partsOf(schema.fields.get(name)?.schema, member, path === '' ? name : `${path}.${name}`);
    if (!parts) setOwn(rest, name, member ?? null);
    else for (const each of parts) errors.push(...(yield* errorsOf({ ...each, depth: depth + 1 })));
  }
  return [...checkStructure(schema, rest, path).errors, ...errors].slice(0, maxErrors);
}

type Structs = Iterable<Omit<Part, 'depth'>>;

/** The structs of which a member consists; undefined: it does not, or is of another type than its schema. */
function partsOf(
  schema: Schema | undefined,
  member: JsonValue | undefined,
  path: string,
): Structs | undefined {
  if (schema?.type === 'struct') return isObject(member) ? [{ schema, value: member, path }] : undefined;
  if (schema?.type === 'list' && schema.items.type === 'struct' && Array.isArray(member))
    return structsIn(schema.items, member.entries(), path);
  if (schema?.type === 'map' && schema.values.type === 'struct' && isObject(member))
    return structsIn(schema.values, Object.entries(member), path);
  return undefined;
}

function* structsIn(
  schema: StructSchema,
  members: Iterable<readonly [string | number, JsonValue | undefined]>,
  path: string,
): Structs & Generator<Omit<Part, 'depth'>> {
  // A null is a struct without members there.
  for (const [at, value] of members)
    if (value != null) yield { schema, value, path: `${path}[${String(at)}]` };
}
