/**
 * How apply sees a value (KEP-555, merge markers): as one (atomic), or piece by piece (granular). Values without a
 * schema, and fields that a structural schema keeps without describing them, are structs throughout, their lists are
 * atomic (deduced schema).
 */
import type { JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { Schema } from '../../schema/types.ts';
import type { PathElement } from './path-element.ts';

/** The schema of a member; undefined where anything goes. */
export function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.type === 'map') return schema.values;
  if (schema?.type !== 'struct') return undefined;
  return schema.fields.get(name)?.schema;
}

/** True for a field that a struct names; keys of maps and of free values are data. */
export function isDeclared(schema: Schema | undefined, name: string): boolean {
  return schema?.type === 'struct' && schema.fields.has(name);
}

/** True where apply treats a value as one: scalars, and lists, structs and maps that say so. */
export function isAtomic(value: JsonValue, schema: Schema | undefined): boolean {
  if (Array.isArray(value)) return isAtomicList(schema);
  return !isObject(value) || isAtomicObject(schema);
}

/** The same for a list. */
export function isAtomicList(schema: Schema | undefined): boolean {
  return schema?.type !== 'list' || schema.listType === 'atomic';
}

/** The same for an object. */
export function isAtomicObject(schema: Schema | undefined): boolean {
  return (schema?.type === 'struct' || schema?.type === 'map') && schema.mapType === 'atomic';
}

/** The schema below a step; undefined where anything goes. */
export function schemaBelow(schema: Schema | undefined, element: PathElement): Schema | undefined {
  if (element.startsWith('f:')) return memberSchema(schema, element.slice(2));
  return schema?.type === 'list' ? schema.items : undefined;
}

/** True for a step into a field that a struct names. */
export function isDeclaredStep(schema: Schema | undefined, element: PathElement): boolean {
  return element.startsWith('f:') && isDeclared(schema, element.slice(2));
}

/** True where the schema alone says that nothing below is owned by itself. */
export function isAtomicSchema(schema: Schema | undefined): boolean {
  switch (schema?.type) {
    case undefined:
    case 'any':
      return false;
    case 'struct':
    case 'map':
      return schema.mapType === 'atomic';
    case 'list':
      return schema.listType === 'atomic';
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return true;
  }
}
