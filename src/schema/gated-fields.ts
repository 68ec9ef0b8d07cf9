/** Fields whose feature gate is off: a write leaves them out, unless the object before uses them (KEP-5328). */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { getOwn, isObject } from '../base/json.ts';
import { holdsField } from './holds-field.ts';
import { plannedBy } from './schema-plan.ts';
import type { GateCheck } from './static-defaults.ts';
import type { Field, Schema, StructSchema } from './types.ts';

/**
 * Removes fields of gates that are off, all the way down; a field that the object before has at any place stays at all.
 * Mutates.
 */
export function dropGatedFields(
  schema: StructSchema,
  object: JsonObject,
  isFeatureEnabled: GateCheck,
  before?: JsonObject,
): void {
  const node = nodeOf(schema);
  const found = new Set<Field>();
  visit(node, object, (field) => {
    if (!isFeatureEnabled(field.gate ?? '')) found.add(field);
  });
  if (found.size === 0) return;
  if (before) visit(node, before, (field) => found.delete(field));
  visit(node, object, (field, parent) => {
    if (found.has(field)) Reflect.deleteProperty(parent, field.name);
  });
}

/** A node of the schema as this pass sees it. */
interface Node {
  gated: readonly Field[];
  nested: readonly { readonly name: string; readonly node: Node }[];
  /** The items of a list, the values of a map. */
  inner: Node | undefined;
}

const nodeOf = plannedBy<Node>({
  create: () => ({ gated: [], nested: [], inner: undefined }),
  fill(node, schema, of): void {
    if (schema.type === 'list') node.inner = of(schema.items);
    else if (schema.type === 'map') node.inner = of(schema.values);
    else if (schema.type === 'struct') fillStruct(node, schema, of);
  },
});

function fillStruct(node: Node, schema: StructSchema, of: (schema: Schema) => Node): void {
  const fields = [...schema.fields.values()];
  node.gated = fields.filter(isGated);
  node.nested = fields
    .filter((field) => holdsField(field.schema, isGated))
    .map((field) => ({ name: field.name, node: of(field.schema) }));
}

function isGated({ gate }: Field): boolean {
  return gate !== undefined;
}

function visit(node: Node, value: JsonValue, found: (field: Field, parent: JsonObject) => void): void {
  if (Array.isArray(value)) {
    if (node.inner) for (const item of value) visit(node.inner, item, found);
    return;
  }
  if (!isObject(value)) return;
  if (node.inner) {
    for (const key of Object.keys(value)) visit(node.inner, value[key] as JsonValue, found);
    return;
  }
  for (const field of node.gated) if (getOwn(value, field.name) !== undefined) found(field, value);
  for (const { name, node: below } of node.nested) {
    const member = getOwn(value, name);
    if (member !== undefined) visit(below, member, found);
  }
}
