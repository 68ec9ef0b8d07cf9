/** Types of apiextensions/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { ListMeta, ObjectMeta, Status } from '../meta/v1.types.ts';

/** Objects to convert. */
export interface ConversionRequest {
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** Group and version to convert to. */
  desiredAPIVersion?: string | undefined;
  /** Objects to convert. */
  objects?: JsonValue[] | null | undefined;
}

/** Converted objects. */
export interface ConversionResponse {
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** The converted objects, in the same order. */
  convertedObjects?: JsonValue[] | null | undefined;
  /** Outcome; when it failed, why. */
  result?: Status | undefined;
}

/** Asks a webhook to convert objects. */
export interface ConversionReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** What was asked. */
  request?: ConversionRequest | undefined;
  /** The answer. */
  response?: ConversionResponse | undefined;
}

/** A column of the table form. */
export interface CustomResourceColumnDefinition {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Format of the value. */
  format?: string | undefined;
  /** Text for people. */
  description?: string | undefined;
  /** How important it is; larger is more. */
  priority?: number | undefined;
  /** JSON path of the value. */
  jsonPath?: string | undefined;
}

/** How versions are converted. */
export interface CustomResourceConversion {
  /** How to go about it. */
  strategy?: string | undefined;
  /** The webhook that converts. */
  webhook?: WebhookConversion | undefined;
}

/** Adds a resource to the API. */
export interface CustomResourceDefinition {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: CustomResourceDefinitionSpec | undefined;
  /** What was last observed; written by the system. */
  status?: CustomResourceDefinitionStatus | undefined;
}

/** One observation of a CustomResourceDefinition. */
export interface CustomResourceDefinitionCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** Generation of the definition that the condition is about. */
  observedGeneration?: number | undefined;
}

/** A list of CustomResourceDefinition objects. */
export interface CustomResourceDefinitionList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: CustomResourceDefinition[] | null | undefined;
}

/** Names of a resource. */
export interface CustomResourceDefinitionNames {
  /** Plural lower-case name, as in URLs. */
  plural?: string | undefined;
  /** Singular lower-case name. */
  singular?: string | undefined;
  /** Short names for the command line. */
  shortNames?: string[] | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Kind of the list. */
  listKind?: string | undefined;
  /** Groups of resources that this one is in, such as all. */
  categories?: string[] | undefined;
}

/** What is wanted of a CustomResourceDefinition. */
export interface CustomResourceDefinitionSpec {
  /** API group. */
  group?: string | undefined;
  /** Names of the resource. */
  names?: CustomResourceDefinitionNames | undefined;
  /** Whether it is meant for the whole cluster or for namespaces. */
  scope?: string | undefined;
  /** Versions. */
  versions?: CustomResourceDefinitionVersion[] | null | undefined;
  /** How one version becomes another. */
  conversion?: CustomResourceConversion | undefined;
  /** Keep fields that no schema names. */
  preserveUnknownFields?: boolean | undefined;
}

/** What was last observed of a CustomResourceDefinition. */
export interface CustomResourceDefinitionStatus {
  /** Latest observations, one per type. */
  conditions?: CustomResourceDefinitionCondition[] | null | undefined;
  /** Names that are served; some may be taken by others. */
  acceptedNames?: CustomResourceDefinitionNames | undefined;
  /** Versions that objects may still be stored in. */
  storedVersions?: string[] | null | undefined;
  /** Generation of the definition that the status is about. */
  observedGeneration?: number | undefined;
}

/** A version of a resource. */
export interface CustomResourceDefinitionVersion {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Whether the version is offered to clients. */
  served?: boolean | undefined;
  /** Whether objects are stored in this version; exactly one is. */
  storage?: boolean | undefined;
  /** Shape of the objects. */
  schema?: CustomResourceValidation | undefined;
  /** Which subresources there are. */
  subresources?: CustomResourceSubresources | undefined;
  /** Columns of the table form. */
  additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  /** Clients are warned that the version will go. */
  deprecated?: boolean | undefined;
  /** Text of the warning. */
  deprecationWarning?: string | undefined;
  /** Fields of objects to select by. */
  selectableFields?: SelectableField[] | undefined;
}

/** Serves the scale subresource. */
export interface CustomResourceSubresourceScale {
  /** JSON path of the wanted replicas. */
  specReplicasPath?: string | undefined;
  /** JSON path of the counted replicas. */
  statusReplicasPath?: string | undefined;
  /** JSON path of the selector as text. */
  labelSelectorPath?: string | undefined;
}

/** Serves the status apart. */
export interface CustomResourceSubresourceStatus {}

/** Subresources of a resource. */
export interface CustomResourceSubresources {
  /** What was last observed; written by the system. */
  status?: CustomResourceSubresourceStatus | undefined;
  /** Serves the scale subresource. */
  scale?: CustomResourceSubresourceScale | undefined;
}

/** Shape of a resource's objects. */
export interface CustomResourceValidation {
  /** The schema, in OpenAPI v3 terms. */
  openAPIV3Schema?: JSONSchemaProps | undefined;
}

/** More to read elsewhere. */
export interface ExternalDocumentation {
  /** Text for people. */
  description?: string | undefined;
  /** Address to call. */
  url?: string | undefined;
}

/** A JSON schema. */
export interface JSONSchemaProps {
  /** Identifies the schema. */
  id?: string | undefined;
  /** Which schema language. */
  $schema?: string | undefined;
  /** Refers to another schema; not allowed here. */
  $ref?: string | undefined;
  /** Text for people. */
  description?: string | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Format of the value. */
  format?: string | undefined;
  /** Short name for people. */
  title?: string | undefined;
  /** Value when none is given. */
  default?: JsonValue | undefined;
  /** Largest number. */
  maximum?: number | undefined;
  /** The largest number itself is not allowed. */
  exclusiveMaximum?: boolean | undefined;
  /** Smallest number. */
  minimum?: number | undefined;
  /** The smallest number itself is not allowed. */
  exclusiveMinimum?: boolean | undefined;
  /** Most characters. */
  maxLength?: number | undefined;
  /** Fewest characters. */
  minLength?: number | undefined;
  /** Regular expression that the text must match. */
  pattern?: string | undefined;
  /** Most entries. */
  maxItems?: number | undefined;
  /** Fewest entries. */
  minItems?: number | undefined;
  /** No entry twice. */
  uniqueItems?: boolean | undefined;
  /** The number must be a multiple of this. */
  multipleOf?: number | undefined;
  /** The only values. */
  enum?: JsonValue[] | undefined;
  /** Most members. */
  maxProperties?: number | undefined;
  /** Fewest members. */
  minProperties?: number | undefined;
  /** Must it be given, or which fields must. */
  required?: string[] | undefined;
  /** The entries. */
  items?: JsonValue | undefined;
  /** All of these must hold. */
  allOf?: JSONSchemaProps[] | undefined;
  /** Exactly one of these must hold. */
  oneOf?: JSONSchemaProps[] | undefined;
  /** At least one of these must hold. */
  anyOf?: JSONSchemaProps[] | undefined;
  /** This must not hold. */
  not?: JSONSchemaProps | undefined;
  /** Schema of each member. */
  properties?: Record<string, JSONSchemaProps> | undefined;
  /** Schema of all other members, or whether there may be any. */
  additionalProperties?: JsonValue | undefined;
  /** Schema of members whose name matches. */
  patternProperties?: Record<string, JSONSchemaProps> | undefined;
  /** What a member needs beside it. */
  dependencies?: Record<string, JsonValue> | undefined;
  /** Schema of further entries. */
  additionalItems?: JsonValue | undefined;
  /** Schemas to refer to. */
  definitions?: Record<string, JSONSchemaProps> | undefined;
  /** More to read elsewhere. */
  externalDocs?: ExternalDocumentation | undefined;
  /** An example. */
  example?: JsonValue | undefined;
  /** Null is allowed. */
  nullable?: boolean | undefined;
  /** Keep members that the schema does not name. */
  [extension: `x-${string}-preserve-unknown-fields`]: boolean | undefined;
  /** The value is a whole object with apiVersion, kind and metadata. */
  [extension: `x-${string}-embedded-resource`]: boolean | undefined;
  /** The value is an integer or a text. */
  [extension: `x-${string}-int-or-string`]: boolean | undefined;
  /** Members that identify an entry of a map list. */
  [extension: `x-${string}-list-map-keys`]: string[] | undefined;
  /** How apply merges the list: atomic, set or map. */
  [extension: `x-${string}-list-type`]: string | undefined;
  /** How apply merges the object: granular or atomic. */
  [extension: `x-${string}-map-type`]: string | undefined;
  /** Rules in the Common Expression Language: kept, not evaluated. */
  [extension: `x-${string}-validations`]: ValidationRule[] | undefined;
}

/** A field of objects to select by. */
export interface SelectableField {
  /** JSON path of the field. */
  jsonPath?: string | undefined;
}

/** Names a Service. */
export interface ServiceReference {
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Port number. */
  port?: number | undefined;
}

/** A rule in the Common Expression Language. */
export interface ValidationRule {
  /** Expression that must be true. */
  rule?: string | undefined;
  /** What is told where it is not. */
  message?: string | undefined;
  /** Expression that makes that message. */
  messageExpression?: string | undefined;
  /** Why, in one word. */
  reason?: string | undefined;
  /** Path of the field that the error names. */
  fieldPath?: string | undefined;
  /** Whether the rule also holds where there is no old value. */
  optionalOldSelf?: boolean | undefined;
}

/** How to reach a webhook: by URL or service. */
export interface WebhookClientConfig {
  /** Service to call. */
  service?: ServiceReference | undefined;
  /** PEM certificates that the server's certificate is checked with. */
  caBundle?: string | undefined;
  /** Address to call. */
  url?: string | undefined;
}

/** Conversion by a webhook. */
export interface WebhookConversion {
  /** How to reach the webhook. */
  clientConfig?: WebhookClientConfig | undefined;
  /** Versions of ConversionReview that the webhook understands, best first. */
  conversionReviewVersions?: string[] | null | undefined;
}
