/** OpenAPI definitions of a custom resource and its list, from its schema. */
import { structuralErrors } from '../../api/apiextensions/structural-rules.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { schemaExtension } from '../../meta/naming.ts';
import { objectOr } from '../../schema/structural/types.ts';
import type { TypeDescription } from '../../registry/types.ts';
import type { CustomVersion } from './custom-version.ts';

export interface DescribedType {
  readonly gvk: GroupVersionKind;
  readonly listKind: string;
  readonly version: CustomVersion;
  /** Unknown fields are preserved. */
  readonly isFree: boolean;
}

const versionText = 'APIVersion defines the group and version that the object is written in.';
const kindText = 'Kind is what the object is, in CamelCase. Fixed for its life.';
const metadataText = "Standard object's metadata: name, labels and the rest that every object carries.";

export function describeType(type: DescribedType, naming: NamingProfile): TypeDescription {
  const { gvk, listKind } = type;
  const object = `${apiVersionOf(gvk)}.${gvk.kind}`;
  const list = `${apiVersionOf(gvk)}.${listKind}`;
  return {
    object,
    list,
    define: (version, reference) => ({
      [object]: objectDefinition(type, { version, naming, metadata: reference('meta/v1.ObjectMeta') }),
      [list]: listDefinition(gvk, { items: reference(object), metadata: reference('meta/v1.ListMeta') }),
    }),
  };
}

interface DescriptionOptions {
  readonly version: 2 | 3;
  readonly naming: NamingProfile;
  readonly metadata: JsonObject;
}

function objectDefinition(type: DescribedType, options: DescriptionOptions): JsonObject {
  const { isFree } = type;
  const schema = type.version.rawSchema();
  const raw = objectOr(schema);
  const { naming, version } = options;
  const isKept = isFree || raw[`${naming.extensionPrefix}preserve-unknown-fields`] === true;
  const marked = isKept && schemaExtension(naming, 'preserve-unknown-fields', true);
  const hasFields = hasStructure(schema, isFree, naming);
  // Clients of version 2 reject fields that are not described, so what has some is not described at all.
  if (version === 2 && (isKept || !hasFields)) return { type: 'object' };
  if (!hasFields) return { type: 'object', ...marked };
  const { properties, ...rest } = new SchemaWriter(options).schema(raw);
  return {
    ...rest,
    type: 'object',
    properties: { ...(isObject(properties) && properties), ...envelope(options.metadata) },
    ...marked,
  };
}

/** Whether there is a structural schema; only definitions that preserve unknown fields may lack it. */
function hasStructure(schema: JsonObject | undefined, isFree: boolean, naming: NamingProfile): boolean {
  if (!isObject(schema)) return false;
  const path = FieldPath.of('openAPIV3Schema');
  return !isFree || structuralErrors({ schema, path }, naming.extensionPrefix).length === 0;
}

function envelope(metadata: JsonObject): JsonObject {
  return {
    apiVersion: { type: 'string', description: versionText },
    kind: { type: 'string', description: kindText },
    metadata: { description: metadataText, ...metadata },
  };
}

function listDefinition(
  { kind }: GroupVersionKind,
  { items, metadata }: { readonly items: JsonObject; readonly metadata: JsonObject },
): JsonObject {
  return {
    description: `A list of ${kind} objects.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...envelope({ ...metadata, description: "Standard list's metadata: its version and where to go on." }),
      items: { type: 'array', items, description: 'The objects.' },
    },
  };
}

const keywords: ReadonlySet<string> = new Set([
  ...['title', 'description', 'type', 'format', 'default', 'enum', 'required', 'pattern', 'uniqueItems'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength'],
  ...[
    'maxItems',
    'minItems',
    'maxProperties',
    'minProperties',
    'items',
    'properties',
    'additionalProperties',
  ],
]);
/** Keywords that version 2 lacks. */
const laterKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable']);

class SchemaWriter {
  private readonly options: DescriptionOptions;

  constructor(options: DescriptionOptions) {
    this.options = options;
  }

  schema(raw: JsonObject): JsonObject {
    const members = Object.entries(this.reduced(raw)).flatMap(([name, value]) =>
      value === undefined ? [] : Object.entries(this.keyword(name, value)),
    );
    const schema = Object.fromEntries(members);
    const isEmbedded = raw[`${this.options.naming.extensionPrefix}embedded-resource`] === true;
    return isEmbedded && !this.isUndescribed(raw) ? this.embedded(schema) : schema;
  }

  /** An embedded resource with apiVersion, kind and metadata. */
  private embedded(schema: JsonObject): JsonObject {
    const { properties, required } = schema;
    const said = new Set([...(Array.isArray(required) ? required : []), 'kind', 'apiVersion']);
    return {
      ...schema,
      properties: { ...(isObject(properties) && properties), ...envelope(this.options.metadata) },
      required: [...said],
    };
  }

  /**
   * Omits what clients of version 2 do not support: if a type or properties are given, they reject null, unknown
   * fields and alternative types.
   */
  private reduced(raw: JsonObject): JsonObject {
    if (this.options.version === 3) return raw;
    const kept = Object.fromEntries(Object.entries(raw).filter(([name]) => !laterKeywords.has(name)));
    if (this.isUndescribed(raw))
      for (const name of ['properties', 'items', 'additionalProperties']) Reflect.deleteProperty(kept, name);
    if (this.isAnyType(raw) || this.isOpen(kept)) delete kept['type'];
    return withRequired(kept, requiredOf(raw));
  }

  /** Clients of version 2 take these types for what has nothing inside. */
  private isOpen({ type, items, ...kept }: JsonObject): boolean {
    if (type === 'array') return items === undefined;
    return (
      type === 'object' && kept[`${this.options.naming.extensionPrefix}preserve-unknown-fields`] === true
    );
  }

  private isAnyType(raw: JsonObject): boolean {
    return raw['nullable'] === true || raw[`${this.options.naming.extensionPrefix}int-or-string`] === true;
  }

  /** Whether version 2 omits its properties. */
  private isUndescribed(raw: JsonObject): boolean {
    const isFree = raw[`${this.options.naming.extensionPrefix}preserve-unknown-fields`] === true;
    return this.options.version === 2 && (isFree || this.isAnyType(raw));
  }

  /** Adds an extension under every prefix that clients support. */
  private keyword(name: string, value: JsonValue): JsonObject {
    const { naming } = this.options;
    if (name.startsWith(naming.extensionPrefix))
      return schemaExtension(naming, name.slice(naming.extensionPrefix.length), value);
    switch (name) {
      case 'properties':
        return { properties: isObject(value) ? this.all(value) : value };
      case 'items':
      case 'additionalProperties':
      case 'not':
        return { [name]: isObject(value) ? this.schema(value) : value };
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return {
          [name]: Array.isArray(value) ? value.filter(isObject).map((part) => this.schema(part)) : value,
        };
      default:
        return this.isKnown(name) ? { [name]: JSON.isRawJSON(value) ? Number(value.rawJSON) : value } : {};
    }
  }

  private isKnown(name: string): boolean {
    return keywords.has(name) || (this.options.version === 3 && laterKeywords.has(name));
  }

  private all(schemas: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(schemas).flatMap(([name, schema]) =>
        isObject(schema) ? [[name, this.schema(schema)]] : [],
      ),
    );
  }
}

/** Required fields that may not be null: clients of version 2 take null for missing. */
function requiredOf({ required, properties, additionalProperties }: JsonObject): JsonValue[] {
  const mayBeNull = (schema: JsonValue | undefined): boolean =>
    isObject(schema) && schema['nullable'] === true;
  if (!Array.isArray(required) || mayBeNull(additionalProperties)) return [];
  if (!isObject(properties)) return required;
  return required.filter((name) => typeof name !== 'string' || !mayBeNull(getOwn(properties, name)));
}

function withRequired({ required: _required, ...schema }: JsonObject, required: JsonValue[]): JsonObject {
  return required.length > 0 ? { ...schema, required } : schema;
}
