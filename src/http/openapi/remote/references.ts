/** References (`$ref`) in OpenAPI documents of other servers. */
import { isObject, type JsonObject, type JsonValue } from '../../../base/json.ts';

/** Every text that stands under `$ref`, at any depth. */
export function* referencesIn(value: JsonValue): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string') yield member;
      else if (member !== undefined) yield* referencesIn(member);
    }
}

/** A copy with each reference replaced by what `rename` gives for it. */
export function withReferences(value: JsonValue, rename: (reference: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, rename));
  if (!isObject(value)) return value;
  return mapMembers(value, (member, key) =>
    key === '$ref' && typeof member === 'string' ? rename(member) : withReferences(member, rename),
  );
}

/**
 * The definitions that these values need, and what these need in turn.
 * @param prefix of references to definitions, such as `#/definitions/`
 * @throws Error for a reference to something else, or to a definition that is not there
 */
export function neededDefinitions(
  roots: readonly JsonValue[],
  definitions: JsonObject,
  { prefix, others = [] }: { readonly prefix: string; readonly others?: readonly string[] },
): JsonObject {
  const needed = new Map<string, JsonValue>();
  const waiting = [...roots];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop())
    for (const reference of referencesIn(value)) {
      if (others.some((other) => reference.startsWith(other))) continue;
      const name = reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
      const definition =
        name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
      if (name === undefined || definition === undefined)
        throw new Error(`the reference ${reference} leads nowhere`);
      if (needed.has(name)) continue;
      needed.set(name, definition);
      waiting.push(definition);
    }
  return Object.fromEntries(needed);
}

/** `__proto__` is a member like others. */
export function mapMembers(
  object: JsonObject,
  change: (value: JsonValue, key: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, change(value, key)]],
    ),
  );
}
