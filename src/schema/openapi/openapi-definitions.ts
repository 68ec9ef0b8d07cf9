/** OpenAPI definitions of catalogue types: what `kubectl explain` shows and clients validate and patch by. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { schemaExtension } from '../../meta/naming.ts';
import type { SchemaSet } from '../load-proto.ts';
import { isScalarType } from '../proto-file.ts';
import type { AnySchema, Field, ScalarSchema, Schema, StructSchema } from '../types.ts';
import { definitionName } from './definition-names.ts';

export interface DefinitionOptions {
  readonly naming: NamingProfile;
  /** OpenAPI 2 (`#/definitions`) or 3 (`#/components/schemas`). */
  readonly version: 2 | 3;
  /** Types to begin with, by schema name; whatever they refer to is included. */
  readonly roots: readonly string[];
  /** Which kinds a type is served as; most are none. */
  readonly kindsOf: (schemaName: string) => readonly GroupVersionKind[];
  /** Fields that are taken and not shown, as `<schema name>.<field>`: later releases have them. Absent: none. */
  readonly hiddenFields?: ReadonlySet<string> | undefined;
  /** Fields have the values that they may have (feature gate `OpenAPIEnums`); absent: they do. */
  readonly hasEnums?: boolean | undefined;
}

/**
 * The definitions of the roots and of all types that they refer to, by definition name, sorted.
 * @throws Error when a root is not in the catalogue
 */
export function openApiDefinitions(schemas: SchemaSet, options: DefinitionOptions): JsonObject {
  return new DefinitionWriter(schemas, options).write();
}

class DefinitionWriter {
  private readonly schemas: SchemaSet;
  private readonly options: DefinitionOptions;
  /** Types referred to and not yet written. */
  private readonly waiting: string[];
  private readonly seen: Set<string>;

  constructor(schemas: SchemaSet, options: DefinitionOptions) {
    this.schemas = schemas;
    this.options = options;
    this.waiting = [...options.roots];
    this.seen = new Set(options.roots);
  }

  write(): JsonObject {
    const written: [string, JsonObject][] = [];
    for (let name = this.waiting.pop(); name !== undefined; name = this.waiting.pop()) {
      written.push([definitionName(name, this.options.naming), this.definition(name)]);
    }
    return Object.fromEntries(written.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private definition(name: string): JsonObject {
    const schema = this.schemas.find(name);
    if (!schema) throw new Error(`no type ${name} in the catalogue`);
    if (schema.type === 'struct') return this.struct(schema);
    return { description: schema.doc, ...this.inline(schema) };
  }

  private struct(schema: StructSchema): JsonObject {
    const properties: JsonObject = {};
    const required: string[] = [];
    for (const field of [...schema.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (this.options.hiddenFields?.has(`${schema.name}.${field.name}`) === true) continue;
      properties[field.name] = this.property(field);
      if (field.required) required.push(field.name);
    }
    const kinds = this.options
      .kindsOf(schema.name)
      .map(({ group, version, kind }) => ({ group, kind, version }));
    return {
      description: schema.doc,
      type: 'object',
      ...(schema.fields.size > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(kinds.length > 0 && this.extension('group-version-kind', kinds)),
    };
  }

  private property(field: Field): JsonObject {
    return {
      description: field.doc,
      ...this.value(field.schema, elementType(field)),
      ...this.mergeRules(field),
      ...(this.options.version === 3 && constraints(field, this.options)),
    };
  }

  /** A value of a named type refers to its definition; lists and maps are written in place. */
  private value(schema: Schema, typeName: string): JsonObject {
    if (schema.type === 'map') {
      return { type: 'object', additionalProperties: this.value(schema.values, typeName) };
    }
    if (schema.type === 'list') return { type: 'array', items: this.value(schema.items, typeName) };
    const isInPlace = isScalarType(typeName) || this.schemas.find(typeName)?.type === 'list';
    return isInPlace && schema.type !== 'struct' ? this.inline(schema) : this.reference(typeName);
  }

  private reference(name: string): JsonObject {
    if (!this.seen.has(name)) {
      this.seen.add(name);
      this.waiting.push(name);
    }
    const definition = definitionName(name, this.options.naming);
    if (this.options.version === 2) return { $ref: `#/definitions/${definition}` };
    return { allOf: [{ $ref: `#/components/schemas/${definition}` }] };
  }

  private inline(schema: Exclude<Schema, StructSchema>): JsonObject {
    switch (schema.type) {
      case 'any':
        return anyValue(schema);
      case 'map':
        return { type: 'object' };
      case 'list':
        return { type: 'array', items: { type: 'string' } };
      case 'string':
      case 'integer':
      case 'number':
      case 'boolean':
        return this.scalar(schema);
    }
  }

  private scalar({ type, format }: ScalarSchema): JsonObject {
    if (format === '' || format === 'quantity') return { type };
    if (format === 'micro-time') return { type, format: 'date-time' };
    if (format === 'int-or-string' && this.options.version === 3) {
      return { format, oneOf: [{ type: 'integer' }, { type: 'string' }] };
    }
    return { type, format };
  }

  /** How apply and strategic merge patch treat the field. */
  private mergeRules(field: Field): JsonObject {
    const { schema, patchStrategies, patchMergeKey } = field;
    const isList = schema.type === 'list';
    const isAtomic = (schema.type === 'map' || schema.type === 'struct') && schema.mapType === 'atomic';
    return {
      ...(isList && this.extension('list-type', schema.listType)),
      ...(isList && schema.listType === 'map' && this.extension('list-map-keys', [...schema.listMapKeys])),
      ...(isAtomic && this.extension('map-type', 'atomic')),
      ...(patchMergeKey !== '' && this.extension('patch-merge-key', patchMergeKey)),
      ...(patchStrategies.length > 0 && this.extension('patch-strategy', patchStrategies.join(','))),
    };
  }

  private extension(name: string, value: JsonValue): JsonObject {
    return schemaExtension(this.options.naming, name, value);
  }
}

/** Sets of bytes and other free values that are objects; the rest may be anything. */
function anyValue({ name }: AnySchema): JsonObject {
  const isObject = name === 'runtime.RawExtension' || name.endsWith('.FieldsV1');
  return isObject ? { type: 'object' } : {};
}

/** The type of the value, of an element or of a map's values: `repeated core/v1.Pod` gives `core/v1.Pod`. */
function elementType({ protoType }: Field): string {
  return protoType.replace(/^repeated |^map<string,|>$/g, '');
}

/** Default and allowed values, where they do not depend on anything else. */
function constraints(field: Field, { hasEnums = true }: DefinitionOptions): JsonObject {
  const { defaultValue, defaultCondition, enumValues, enumClosed, schema } = field;
  const copiesSibling = typeof defaultValue === 'string' && defaultValue.startsWith('=');
  const isFixed = defaultValue !== undefined && defaultCondition === '' && !copiesSibling;
  const values: JsonValue[] = [...enumValues].sort();
  return {
    ...(isFixed && { default: defaultValue }),
    ...(hasEnums && enumClosed && schema.type === 'string' && { enum: values }),
  };
}
