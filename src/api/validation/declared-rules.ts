/** Rules that the catalogue states beside a field (option `rules`; README of `src/api`). */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import { collect, invalid, maxFieldErrors, type FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { holdsField } from '../../schema/holds-field.ts';
import { plannedBy } from '../../schema/schema-plan.ts';
import type { Field, Schema, StructSchema } from '../../schema/types.ts';
import { isGiven, readRules, type FieldRule } from './rule-words.ts';

/**
 * Errors in fields with declared rules, all the way down, until enough are found.
 * @param known the object before: values that did not change are not validated again (ratcheting)
 */
export function checkDeclared(
  schema: StructSchema,
  object: JsonObject,
  path: FieldPath,
  known?: JsonObject,
): FieldError[] {
  const node = nodeOf(schema);
  const errors: FieldError[] = [];
  if (node.isRuled) visit(node, { value: object, known, path }, errors);
  return errors;
}

/** A node of the schema as these rules see it. */
interface Node {
  readonly type: Schema['type'];
  /** Rules stand in it or below. */
  isRuled: boolean;
  fields: readonly RuledField[];
  unions: readonly Union[];
  nested: readonly (readonly [name: string, node: Node])[];
  /** The items of a list, the values of a map. */
  inner: Node | undefined;
  /** What tells the items of a list apart; none: their place. */
  keys: readonly string[];
}

interface RuledField {
  readonly field: Field;
  readonly rules: readonly FieldRule[];
}

/** Members of which one may be given, or must be. */
interface Union {
  readonly members: readonly string[];
  readonly isNeeded: boolean;
}

const nodeOf = plannedBy<Node>({
  create: ({ type }) => ({
    ...{ type, isRuled: false, fields: [], unions: [], nested: [] },
    ...{ inner: undefined, keys: [] },
  }),
  fill(node, schema, of): void {
    node.isRuled = holdsField(schema, isRuled);
    if (!node.isRuled) return;
    if (schema.type === 'list') {
      node.inner = of(schema.items);
      node.keys = schema.listMapKeys;
    } else if (schema.type === 'map') node.inner = of(schema.values);
    else if (schema.type === 'struct') fillStruct(node, schema, of);
  },
});

function isRuled({ rules }: Field): boolean {
  return rules !== undefined;
}

function fillStruct(node: Node, schema: StructSchema, of: (schema: Schema) => Node): void {
  const fields = [...schema.fields.values()];
  const ruled = fields.filter(isRuled).map((field) => ({ field, ...readRules(field) }));
  node.fields = ruled.filter(({ rules }) => rules.length > 0);
  const groups = Map.groupBy(
    ruled.filter(({ union }) => union !== undefined),
    ({ union }) => union,
  );
  node.unions = [...groups].map(([union = '', members]) => ({
    members: members.map(({ field }) => field.name),
    isNeeded: union.startsWith('one '),
  }));
  node.nested = fields
    .filter((field) => holdsField(field.schema, isRuled))
    .map((field) => [field.name, of(field.schema)] as const);
}

/** A value, what it was before, and where it stands. */
interface Place<T extends JsonValue> {
  readonly value: T;
  readonly known: JsonValue | undefined;
  readonly path: FieldPath;
}

/** Adds the errors in a value. @returns whether more are wanted */
function visit(node: Node, { value, known, path }: Place<JsonValue>, errors: FieldError[]): boolean {
  if (value === known) return true;
  if (Array.isArray(value)) return node.type !== 'list' || visitItems(node, { value, known, path }, errors);
  if (!isObject(value)) return true;
  if (node.type === 'struct') return visitStruct(node, { value, known, path }, errors);
  return (
    node.type !== 'map' ||
    visitMembers(
      Object.keys(value).map((key) => [key, node.inner, path.key(key)]),
      {
        value,
        known,
        path,
      },
      errors,
    )
  );
}

function visitStruct(node: Node, place: Place<JsonObject>, errors: FieldError[]): boolean {
  const { value, known, path } = place;
  const before = isObject(known) ? known : undefined;
  for (const { field, rules } of node.fields) {
    if (!collect(errors, fieldErrors({ field, rules }, place, before))) return false;
  }
  for (const union of node.unions) collect(errors, unionErrors(union, value, before, path));
  return visitMembers(
    node.nested.map(([name, inner]) => [name, inner, path.child(name)]),
    place,
    errors,
  );
}

type Member = readonly [name: string, node: Node | undefined, path: FieldPath];

function visitMembers(
  members: readonly Member[],
  { value, known }: Place<JsonObject>,
  errors: FieldError[],
): boolean {
  const before = isObject(known) ? known : {};
  for (const [name, node, path] of members) {
    const member = getOwn(value, name);
    if (node === undefined || member === undefined) continue;
    if (!visit(node, { value: member, known: getOwn(before, name), path }, errors)) return false;
  }
  return true;
}

function visitItems(
  { inner, keys }: Node,
  { value, known, path }: Place<JsonArray>,
  errors: FieldError[],
): boolean {
  if (inner === undefined) return true;
  const before =
    keys.length > 0 && Array.isArray(known)
      ? new Map(known.map((item) => [keyOf(item, keys), item]))
      : undefined;
  return value.every((item, i) => {
    const same = before ? before.get(keyOf(item, keys)) : Array.isArray(known) ? known[i] : undefined;
    return visit(inner, { value: item, known: same, path: path.index(i) }, errors);
  });
}

function keyOf(item: JsonValue, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isObject(item) ? (getOwn(item, key) ?? null) : null)));
}

function fieldErrors(
  { field, rules }: RuledField,
  { value, path }: Place<JsonObject>,
  before: JsonObject | undefined,
): FieldError[] {
  const found = getOwn(value, field.name);
  if (before && deepEqual(found, getOwn(before, field.name))) return [];
  const at = path.child(field.name);
  const all: FieldError[] = [];
  for (const rule of rules) {
    const { errors, isFinal } = rule(found, at);
    collect(all, errors);
    if (isFinal) break;
  }
  return all;
}

function unionErrors(
  { members, isNeeded }: Union,
  value: JsonObject,
  before: JsonObject | undefined,
  path: FieldPath,
): FieldError[] {
  const given = givenOf(members, value);
  const isRight = isNeeded ? given.length === 1 : given.length <= 1;
  if (isRight || (before && givenOf(members, before).join() === given.join())) return [];
  const words = members.map((member) => `\`${member}\``).join(', ');
  const must = isNeeded ? 'must specify exactly one of' : 'must specify at most one of';
  return [invalid(path, given.slice(0, maxFieldErrors), `${must}: ${words}`)];
}

function givenOf(members: readonly string[], value: JsonObject): string[] {
  return members.filter((member) => isGiven(getOwn(value, member)));
}
