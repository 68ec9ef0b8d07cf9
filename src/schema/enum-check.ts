/** A rule that the catalogue states for a field: its only values. */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { getOwn, isObject } from '../base/json.ts';
import type { FieldError } from '../meta/field-error.ts';
import { maxFieldErrors, notSupported } from '../meta/field-error.ts';
import type { FieldPath } from '../meta/field-path.ts';
import { holdsField } from './holds-field.ts';
import { plannedBy } from './schema-plan.ts';
import type { Field, Schema, StructSchema } from './types.ts';

/**
 * Errors in fields with a closed set of values, all the way down, until enough are found. Empty values are no error here: whether a field
 * may be empty is a question of its own.
 * @param known an object that was checked before: what both share, in the same places, is not looked at again
 */
export function checkEnums(
  schema: StructSchema,
  object: JsonObject,
  path: FieldPath,
  known?: JsonObject,
): FieldError[] {
  const check = new EnumCheck(path);
  check.visit(nodeOf(schema), object, known);
  return check.errors;
}

/** A node of the schema as this rule sees it. */
interface Node {
  readonly type: Schema['type'];
  /** The fields of a struct whose values are closed, and those below which there are such. */
  closed: readonly Field[];
  nested: readonly Nested[];
  /** The items of a list, the values of a map. */
  inner: Node | undefined;
}

interface Nested {
  readonly name: string;
  readonly node: Node;
}

const nodeOf = plannedBy<Node>({
  create: ({ type }) => ({ type, closed: [], nested: [], inner: undefined }),
  fill(node, schema, of): void {
    if (schema.type === 'list') node.inner = of(schema.items);
    else if (schema.type === 'map') node.inner = of(schema.values);
    else if (schema.type === 'struct') fillStruct(node, schema, of);
  },
});

function fillStruct(node: Node, schema: StructSchema, of: (schema: Schema) => Node): void {
  const fields = [...schema.fields.values()];
  node.closed = fields.filter(isClosed);
  node.nested = fields
    .filter((field) => holdsField(field.schema, isClosed))
    .map((field) => ({ name: field.name, node: of(field.schema) }));
}

function isClosed({ enumClosed }: Field): boolean {
  return enumClosed;
}

/** A key of a map, distinguished from the name of a field. */
interface Key {
  readonly key: string;
}

class EnumCheck {
  readonly errors: FieldError[] = [];
  private readonly base: FieldPath;
  /** The way to the current value: a path for each that is visited was 5 KB of garbage for a pod. */
  private readonly steps: (string | number | Key)[] = [];

  constructor(base: FieldPath) {
    this.base = base;
  }

  visit(node: Node, value: JsonValue, known: JsonValue | undefined): void {
    if (value === known) return;
    if (Array.isArray(value)) {
      if (node.type === 'list') this.items(node.inner as Node, value, Array.isArray(known) ? known : []);
    } else if (isObject(value)) {
      const before = isObject(known) ? known : {};
      if (node.type === 'struct') this.struct(node, value, before);
      else if (node.type === 'map') this.values(node.inner as Node, value, before);
    }
  }

  private struct({ closed, nested }: Node, value: JsonObject, known: JsonObject): void {
    for (const field of closed) this.field(field, getOwn(value, field.name));
    for (const { name, node } of nested) {
      const member = getOwn(value, name);
      if (member === undefined) continue;
      this.steps.push(name);
      this.visit(node, member, getOwn(known, name));
      this.steps.pop();
    }
  }

  private items(node: Node, list: JsonArray, known: JsonArray): void {
    for (let i = 0; i < list.length && this.errors.length < maxFieldErrors; i += 1) {
      this.steps.push(i);
      this.visit(node, list[i] ?? null, known[i]);
      this.steps.pop();
    }
  }

  private values(node: Node, map: JsonObject, known: JsonObject): void {
    for (const key of Object.keys(map)) {
      if (this.errors.length >= maxFieldErrors) return;
      this.steps.push({ key });
      this.visit(node, map[key] ?? null, getOwn(known, key));
      this.steps.pop();
    }
  }

  private field(field: Field, value: JsonValue | undefined): void {
    if (value === undefined || isAllowed(field, value)) return;
    this.report(field, value, this.path().child(field.name));
  }

  private report(field: Field, value: JsonValue, path: FieldPath): void {
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length && this.errors.length < maxFieldErrors; i += 1)
        this.report(field, value[i] ?? null, path.index(i));
    } else if (!isAllowed(field, value)) {
      this.errors.push(notSupported(path, value, [...field.enumValues].sort()));
    }
  }

  private path(): FieldPath {
    let path = this.base;
    for (const step of this.steps) {
      if (typeof step === 'string') path = path.child(step);
      else path = typeof step === 'number' ? path.index(step) : path.key(step.key);
    }
    return path;
  }
}

function isAllowed(field: Field, value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every((item) => isAllowed(field, item ?? null));
  return typeof value !== 'string' || value === '' || field.enumValues.includes(value);
}
