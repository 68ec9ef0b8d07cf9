/** A custom resource's schema as a `Schema` node: what apply and the form that is stored need to know of it. */
import type { AnySchema, Field, ListSchema, ScalarSchema, Schema, StructSchema } from '../types.ts';
import type { Structural } from './types.ts';
import { envelopeFields } from './types.ts';

const anything: AnySchema = { type: 'any', doc: '', name: '' };
const text: ScalarSchema = { type: 'string', doc: '', format: '' };

/**
 * The schema of whole objects.
 * @param metadata schema of metadata; it is that of all kinds
 * @param isFree nothing is known of the objects: all of their fields are kept
 */
export function objectSchema(node: Structural, metadata: Schema, isFree: boolean): StructSchema {
  const own = [...node.properties].filter(([name]) => !envelopeFields.has(name));
  const fields: Field[] = [
    member('kind', text),
    member('apiVersion', text),
    { ...member('metadata', metadata), pointer: false, nullable: false },
    ...own.map(([name, property]) => fieldOf(name, property)),
  ];
  return struct(node, fields, isFree);
}

function struct(node: Structural, fields: readonly Field[], isFree = false): StructSchema {
  return {
    type: 'struct',
    name: '',
    doc: node.description,
    fields: new Map(fields.map((field) => [field.name, field])),
    mapType: node.mapType,
    preserveUnknown: node.preserveUnknown || isFree,
  };
}

function fieldOf(name: string, node: Structural): Field {
  return { ...member(name, schemaOf(node)), doc: node.description, defaultValue: node.defaultValue };
}

/** Absent and empty differ, and explicit nulls have a meaning. */
function member(name: string, schema: Schema): Field {
  return {
    name,
    schema,
    doc: '',
    required: false,
    omitEmpty: true,
    pointer: true,
    nullable: true,
    defaultValue: undefined,
    defaultCondition: '',
    enumValues: [],
    enumClosed: false,
    patchStrategies: [],
    patchMergeKey: '',
    protoNumber: 0,
    protoName: '',
    protoType: '',
  };
}

function schemaOf(node: Structural): Schema {
  if (node.intOrString) return { type: 'string', doc: node.description, format: 'int-or-string' };
  switch (node.type) {
    case undefined:
      return node.preserveUnknown ? struct(node, []) : anything;
    case 'object':
      return objectOf(node);
    case 'array':
      return listOf(node);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: node.type, doc: node.description, format: '' };
  }
}

function objectOf(node: Structural): Schema {
  const { additional, description, mapType, properties, embedded } = node;
  if (additional !== undefined) {
    const values = additional === true ? anything : schemaOf(additional);
    return { type: 'map', doc: description, values, mapType };
  }
  const known = new Map(properties);
  const envelope = embedded ? [...envelopeFields].filter((name) => !known.has(name)) : [];
  return struct(node, [
    ...envelope.map((name) => member(name, name === 'metadata' ? anything : text)),
    ...[...known].map(([name, property]) => fieldOf(name, property)),
  ]);
}

function listOf({ items, description, listType, listMapKeys }: Structural): ListSchema {
  return { type: 'list', doc: description, items: items ? schemaOf(items) : anything, listType, listMapKeys };
}
