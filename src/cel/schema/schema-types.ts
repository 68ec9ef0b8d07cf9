/**
 * What expressions know of a kind of the catalogue, built in or custom: types of the fields that its schema has (kube-apiserver:
 * SchemaDeclType). Values that a schema leaves open, and those with two JSON types, have any type.
 */
import type { ScalarSchema, Schema, StructSchema } from '../../schema/types.ts';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
  type CelType,
} from '../language/types.ts';
import { escapeName } from './property-names.ts';

/** Types refer to themselves: each is made once, its fields when an expression names them. */
const known = new WeakMap<StructSchema, CelType>();

/** The type of values of a schema. */
export function typeOfSchema(schema: Schema): CelType {
  if (schema.type === 'struct') return schema.preserveUnknown ? dynType : structType(schema);
  if (schema.type === 'map') return mapOf(stringType, typeOfSchema(schema.values));
  if (schema.type === 'list') return listOf(typeOfSchema(schema.items));
  return schema.type === 'any' ? dynType : scalarType(schema);
}

function structType(schema: StructSchema): CelType {
  let type = known.get(schema);
  if (!type) {
    const fields = new Map<string, CelType>();
    type = {
      kind: 'object',
      name: schema.name,
      fields: { fieldType: (name) => fieldsOf(schema, fields).get(name) },
    };
    known.set(schema, type);
  }
  return type;
}

/** By their identifiers. */
function fieldsOf(schema: StructSchema, fields: Map<string, CelType>): ReadonlyMap<string, CelType> {
  if (fields.size > 0) return fields;
  for (const [name, field] of schema.fields) {
    const identifier = escapeName(name);
    if (identifier !== undefined) fields.set(identifier, typeOfSchema(field.schema));
  }
  return fields;
}

function scalarType({ type, format }: ScalarSchema): CelType {
  if (format === 'quantity' || format === 'int-or-string') return dynType;
  if (format === 'byte') return bytesType;
  if (format === 'date-time' || format === 'micro-time') return timestampType;
  if (type === 'boolean') return boolType;
  if (type === 'integer') return intType;
  return type === 'number' ? doubleType : stringType;
}
