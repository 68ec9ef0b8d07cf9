/** A custom resource's schema as a `Schema` node: what apply and the form that is stored need to know of it. */
import { LazyMap, namesBy } from '../../base/lazy-map.ts';
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
  const envelope = new Map([
    ['kind', member('kind', text)],
    ['apiVersion', member('apiVersion', text)],
    ['metadata', { ...member('metadata', metadata), pointer: false, nullable: false }],
  ]);
  return struct(node, withEnvelope(envelope, node.properties), isFree);
}

function struct(node: Structural, fields: ReadonlyMap<string, Field>, isFree = false): StructSchema {
  return {
    type: 'struct',
    name: '',
    doc: node.description,
    fields,
    mapType: node.mapType,
    preserveUnknown: node.preserveUnknown || isFree,
  };
}

/** First the envelope, then all other properties, of which each is read when it is looked at. */
function withEnvelope(
  envelope: ReadonlyMap<string, Field>,
  properties: ReadonlyMap<string, Structural>,
): ReadonlyMap<string, Field> {
  const names = namesBy(
    () => [...envelope.keys(), ...[...properties.keys()].filter((name) => !envelope.has(name))],
    (name) => envelope.has(name) || properties.has(name),
  );
  return new LazyMap(names, (name) => {
    const known = envelope.get(name);
    if (known) return known;
    const property = properties.get(name);
    return property ? fieldOf(name, property) : member(name, anything);
  });
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
      return node.preserveUnknown ? struct(node, new Map()) : anything;
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
  const envelope = embedded ? [...envelopeFields].filter((name) => !properties.has(name)) : [];
  const own = new Map(
    envelope.map((name) => [name, member(name, name === 'metadata' ? anything : text)] as const),
  );
  return { ...struct(node, withEnvelope(own, properties)), isPlain: true };
}

function listOf({ items, description, listType, listMapKeys }: Structural): ListSchema {
  return { type: 'list', doc: description, items: items ? schemaOf(items) : anything, listType, listMapKeys };
}
