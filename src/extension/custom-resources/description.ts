/** OpenAPI definitions of a custom resource and its list, from its schema. */
import { structuralErrors } from '../../api/apiextensions/structural-rules.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject, setOwn } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
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
    digest: `${type.version.schemaDigest} ${String(type.isFree)}`,
    async define(version, reference, breathe) {
      const schema = await type.version.rawSchema(breathe);
      const metadata = reference('meta/v1.ObjectMeta');
      return {
        [object]: await taken(objectDefinition(type, schema, { version, naming, metadata }), breathe),
        [list]: listDefinition(gvk, { items: reference(object), metadata: reference('meta/v1.ListMeta') }),
      };
    },
  };
}

/** What steps return. */
async function taken<T>(steps: Generator<void, T, void>, breathe: () => MaybePromise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = breathe();
    if (pause) await pause;
  }
}

interface DescriptionOptions {
  readonly version: 2 | 3;
  readonly naming: NamingProfile;
  readonly metadata: JsonObject;
}

function* objectDefinition(
  { isFree }: DescribedType,
  schema: JsonObject | undefined,
  options: DescriptionOptions,
): Generator<void, JsonObject, void> {
  const raw = objectOr(schema);
  const { naming, version } = options;
  const isKept = isFree || raw[`${naming.extensionPrefix}preserve-unknown-fields`] === true;
  const marked = isKept && schemaExtension(naming, 'preserve-unknown-fields', true);
  const hasFields = hasStructure(schema, isFree, naming);
  // Clients of version 2 reject fields that are not described, so what has some is not described at all.
  if (version === 2 && (isKept || !hasFields)) return { type: 'object' };
  if (!hasFields) return { type: 'object', ...marked };
  const { properties, ...rest } = yield* new SchemaWriter(options).schema(raw);
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

  *schema(raw: JsonObject): Generator<void, JsonObject, void> {
    const schema: JsonObject = {};
    for (const [name, value] of Object.entries(this.reduced(raw)))
      if (value !== undefined) Object.assign(schema, yield* this.keyword(name, value));
    yield;
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
  private *keyword(name: string, value: JsonValue): Generator<void, JsonObject, void> {
    const { naming } = this.options;
    if (name.startsWith(naming.extensionPrefix))
      return schemaExtension(naming, name.slice(naming.extensionPrefix.length), value);
    switch (name) {
      case 'properties':
        return { properties: isObject(value) ? yield* this.all(value) : value };
      case 'items':
      case 'additionalProperties':
      case 'not':
        return { [name]: isObject(value) ? yield* this.schema(value) : value };
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return { [name]: Array.isArray(value) ? yield* this.each(value.filter(isObject)) : value };
      default:
        return this.isKnown(name) ? { [name]: JSON.isRawJSON(value) ? Number(value.rawJSON) : value } : {};
    }
  }

  private isKnown(name: string): boolean {
    return keywords.has(name) || (this.options.version === 3 && laterKeywords.has(name));
  }

  private *all(schemas: JsonObject): Generator<void, JsonObject, void> {
    const all: JsonObject = {};
    for (const name of Object.keys(schemas)) {
      const schema = schemas[name];
      if (isObject(schema)) setOwn(all, name, yield* this.schema(schema));
    }
    return all;
  }

  private *each(schemas: readonly JsonObject[]): Generator<void, JsonObject[], void> {
    const each: JsonObject[] = [];
    for (const schema of schemas) each.push(yield* this.schema(schema));
    return each;
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
