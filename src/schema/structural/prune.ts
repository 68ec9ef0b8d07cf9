/** Pruning: members that a custom resource's schema does not describe go, and nulls where null means nothing. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { pathBelow } from '../../base/short-text.ts';
import type { Structural } from './types.ts';
import { envelopeFields, isIdleNull, memberOf } from './types.ts';

const maxTold = 100;

export interface Pruned {
  readonly value: JsonObject;
  /** Paths of members that went because nothing describes them. */
  readonly unknown: readonly string[];
}

/** A copy of an object that has only what the schema describes; what is kept undescribed is shared with the input. */
export function pruneObject(node: Structural, value: JsonObject): Pruned {
  const unknown: string[] = [];
  return { value: members(node, value, { path: '', unknown }), unknown };
}

interface Place {
  readonly path: string;
  readonly unknown: string[];
}

function members(node: Structural, value: JsonObject, at: Place): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const schema = memberOf(node, key);
    if (isIdleNull(member, schema)) continue;
    if (schema) setOwn(result, key, pruned(schema, member, { ...at, path: pathBelow(at.path, key) }));
    else if (isKept(node, key)) setOwn(result, key, member);
    else if (at.unknown.length < maxTold) at.unknown.push(pathBelow(at.path, key));
  }
  return result;
}

function isKept(node: Structural, key: string): boolean {
  return node.preserveUnknown || node.additional === true || (node.embedded && envelopeFields.has(key));
}

function pruned(node: Structural, value: JsonValue, at: Place): JsonValue {
  if (isObject(value)) return members(node, value, at);
  if (!Array.isArray(value)) return value;
  const { items } = node;
  // Without a schema of items nothing is known of them: free values stay, others are refused by validation.
  if (!items) return value;
  return value.map((item, i) => pruned(items, item, below(at, `[${String(i)}]`)));
}

function below({ path, unknown }: Place, step: string): Place {
  return { path: path + step, unknown };
}
