/**
 * `Schema`: what a type looks like. Two producers make it (the catalogue's .proto files and a custom
 * resource's OpenAPI schema); validation, defaulting, pruning, patches, apply, codecs and OpenAPI read it.
 * Nodes form a graph that may be cyclic (JSONSchemaProps); they are immutable after loading.
 */
import type { JsonValue } from '../base/json.ts';

export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema | AnySchema;

/** A struct (message): named fields in declared order. */
export interface StructSchema {
  readonly type: 'struct';
  /** `core/v1.PodSpec` in the catalogue, '' in a custom resource. */
  readonly name: string;
  readonly doc: string;
  /** By JSON name, inline structs already flattened. */
  readonly fields: ReadonlyMap<string, Field>;
  /** `atomic`: one owner for the whole struct under server-side apply. */
  readonly mapType: 'granular' | 'atomic';
  /** Unknown fields are kept (custom resources with preserve-unknown-fields). */
  readonly preserveUnknown: boolean;
  /** Structs whose fields stand among `fields` in JSON but are a message of their own in Protobuf. */
  readonly embedded?: readonly EmbeddedStruct[];
  /** There is no Protobuf form (Table). */
  readonly jsonOnly?: boolean;
  /** Of a custom resource, below its root: no field here or below is gated, closed, of other releases or always written. */
  readonly isPlain?: true;
  /** JSON names of fields that only other releases know: requests cannot set them, stored ones stay. Absent: none. */
  readonly otherReleases?: ReadonlySet<string>;
}

/** A struct flattened into its parent; its `Field` objects are the same as in the parent's `fields`. */
export interface EmbeddedStruct {
  readonly protoNumber: number;
  readonly protoName: string;
  readonly schema: StructSchema;
}

/** A string-keyed map. */
export interface MapSchema {
  readonly type: 'map';
  readonly doc: string;
  readonly values: Schema;
  readonly mapType: 'granular' | 'atomic';
}

export interface ListSchema {
  readonly type: 'list';
  readonly doc: string;
  readonly items: Schema;
  readonly listType: 'atomic' | 'set' | 'map';
  /** Key fields of a `map` list. */
  readonly listMapKeys: readonly string[];
}

/** JSON type plus the special wire form where there is one. */
export interface ScalarSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly doc: string;
  readonly format:
    | ''
    | 'int32'
    | 'int64'
    | 'uint32'
    | 'uint64'
    | 'float'
    | 'double'
    | 'byte'
    | 'date-time'
    | 'micro-time'
    | 'quantity'
    | 'int-or-string';
}

/** Any JSON value, kept as it is (RawExtension, FieldsV1, JSON). */
export interface AnySchema {
  readonly type: 'any';
  readonly doc: string;
  /** Which wire form the value has in Protobuf: type name such as `runtime.RawExtension`. */
  readonly name: string;
}

export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

/** A field of a struct with everything that its users need. */
export interface Field {
  /** JSON name. */
  readonly name: string;
  readonly schema: Schema;
  readonly doc: string;
  /** Field must be given (OpenAPI `required`; structural validation does not enforce it, the kind's validation does). */
  readonly required: boolean;
  /** JSON leaves the field out when it is empty. When false the zero value is written. */
  readonly omitEmpty: boolean;
  /** Absent and zero differ (optional field). */
  readonly pointer: boolean;
  /** A null is a value of its own and stays (custom resources). Absent: it is as good as nothing. */
  readonly nullable?: boolean;
  /** Static default, already parsed; a text `=name` copies that sibling; undefined: none. */
  readonly defaultValue: JsonValue | undefined;
  /** When the default applies: '' always; else terms of src/api/README.md, joined by `;`. */
  readonly defaultCondition: string;
  /** Allowed values, empty: any. */
  readonly enumValues: readonly string[];
  /** Values outside `enumValues` are rejected. */
  readonly enumClosed: boolean;
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string;
  /** Protobuf field number; 0: not a field on the wire (custom resources, `apiVersion` and `kind`, Table). */
  readonly protoNumber: number;
  readonly protoName: string;
  /** Scalar or schema name: `int32`, `core/v1.PodSpec`, `repeated string`, `map<string,resource.Quantity>`. */
  readonly protoType: string;
  /** Rules of the value (src/api/README.md). Absent: none. */
  readonly rules?: string;
  /** Without this feature gate, writes leave the field out. Absent: it needs none. */
  readonly gate?: string;
}
