/** Short ways to write schemas in tests. */
import type {
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from '../../src/schema/types.ts';

export function scalar(type: ScalarSchema['type'], format: ScalarSchema['format'] = ''): ScalarSchema {
  return { type, doc: '', format };
}

export function listOf(items: Schema, rule: Partial<ListSchema> = {}): ListSchema {
  return { type: 'list', doc: '', items, listType: 'atomic', listMapKeys: [], ...rule };
}

export function mapOf(values: Schema, rule: Partial<MapSchema> = {}): MapSchema {
  return { type: 'map', doc: '', values, mapType: 'granular', ...rule };
}

export function struct(
  name: string,
  fields: readonly Field[],
  rule: Partial<StructSchema> = {},
): StructSchema {
  const byName = new Map(fields.map((f) => [f.name, f]));
  return {
    type: 'struct',
    name,
    doc: '',
    fields: byName,
    mapType: 'granular',
    preserveUnknown: false,
    ...rule,
  };
}

export function field(name: string, schema: Schema, rule: Partial<Field> = {}): Field {
  return {
    name,
    schema,
    doc: '',
    required: false,
    omitEmpty: true,
    pointer: false,
    defaultValue: undefined,
    defaultCondition: '',
    enumValues: [],
    enumClosed: false,
    patchStrategies: [],
    patchMergeKey: '',
    protoNumber: 0,
    protoName: name,
    protoType: '',
    ...rule,
  };
}
