/** Types of apiextensions/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { ListMeta, ObjectMeta, Status } from '../meta/v1.types.ts';

/** Conversion request. */
export interface ConversionRequest {
  /** Uid. */
  uid?: string | undefined;
  /** Desired API version. */
  desiredAPIVersion?: string | undefined;
  /** Objects. */
  objects?: JsonValue[] | null | undefined;
}

/** Conversion response. */
export interface ConversionResponse {
  /** Uid. */
  uid?: string | undefined;
  /** Converted objects. */
  convertedObjects?: JsonValue[] | null | undefined;
  /** Result. */
  result?: Status | undefined;
}

/** Conversion review. */
export interface ConversionReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Request. */
  request?: ConversionRequest | undefined;
  /** Response. */
  response?: ConversionResponse | undefined;
}

/** Custom resource column definition. */
export interface CustomResourceColumnDefinition {
  /** Name. */
  name?: string | undefined;
  /** Type. */
  type?: string | undefined;
  /** Format. */
  format?: string | undefined;
  /** Description. */
  description?: string | undefined;
  /** Priority. */
  priority?: number | undefined;
  /** Json path. */
  jsonPath?: string | undefined;
}

/** Custom resource conversion. */
export interface CustomResourceConversion {
  /** Strategy. */
  strategy?: string | undefined;
  /** Webhook. */
  webhook?: WebhookConversion | undefined;
}

/** Custom resource definition. */
export interface CustomResourceDefinition {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: CustomResourceDefinitionSpec | undefined;
  /** Status. */
  status?: CustomResourceDefinitionStatus | undefined;
}

/** Custom resource definition condition. */
export interface CustomResourceDefinitionCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Custom resource definition list. */
export interface CustomResourceDefinitionList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: CustomResourceDefinition[] | null | undefined;
}

/** Custom resource definition names. */
export interface CustomResourceDefinitionNames {
  /** Plural. */
  plural?: string | undefined;
  /** Singular. */
  singular?: string | undefined;
  /** Short names. */
  shortNames?: string[] | undefined;
  /** Kind. */
  kind?: string | undefined;
  /** List kind. */
  listKind?: string | undefined;
  /** Categories. */
  categories?: string[] | undefined;
}

/** Custom resource definition spec. */
export interface CustomResourceDefinitionSpec {
  /** Group. */
  group?: string | undefined;
  /** Names. */
  names?: CustomResourceDefinitionNames | undefined;
  /** Scope. */
  scope?: string | undefined;
  /** Versions. */
  versions?: CustomResourceDefinitionVersion[] | null | undefined;
  /** Conversion. */
  conversion?: CustomResourceConversion | undefined;
  /** Preserve unknown fields. */
  preserveUnknownFields?: boolean | undefined;
}

/** Custom resource definition status. */
export interface CustomResourceDefinitionStatus {
  /** Conditions. */
  conditions?: CustomResourceDefinitionCondition[] | null | undefined;
  /** Accepted names. */
  acceptedNames?: CustomResourceDefinitionNames | undefined;
  /** Stored versions. */
  storedVersions?: string[] | null | undefined;
}

/** Custom resource definition version. */
export interface CustomResourceDefinitionVersion {
  /** Name. */
  name?: string | undefined;
  /** Served. */
  served?: boolean | undefined;
  /** Storage. */
  storage?: boolean | undefined;
  /** Schema. */
  schema?: CustomResourceValidation | undefined;
  /** Subresources. */
  subresources?: CustomResourceSubresources | undefined;
  /** Additional printer columns. */
  additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  /** Deprecated. */
  deprecated?: boolean | undefined;
  /** Deprecation warning. */
  deprecationWarning?: string | undefined;
}

/** Custom resource subresource scale. */
export interface CustomResourceSubresourceScale {
  /** Spec replicas path. */
  specReplicasPath?: string | undefined;
  /** Status replicas path. */
  statusReplicasPath?: string | undefined;
  /** Label selector path. */
  labelSelectorPath?: string | undefined;
}

/** Custom resource subresource status. */
export interface CustomResourceSubresourceStatus {}

/** Custom resource subresources. */
export interface CustomResourceSubresources {
  /** Status. */
  status?: CustomResourceSubresourceStatus | undefined;
  /** Scale. */
  scale?: CustomResourceSubresourceScale | undefined;
}

/** Custom resource validation. */
export interface CustomResourceValidation {
  /** Open APIV3 schema. */
  openAPIV3Schema?: JSONSchemaProps | undefined;
}

/** External documentation. */
export interface ExternalDocumentation {
  /** Description. */
  description?: string | undefined;
  /** Url. */
  url?: string | undefined;
}

/** JSON schema props. */
export interface JSONSchemaProps {
  /** Id. */
  id?: string | undefined;
  /** $schema. */
  $schema?: string | undefined;
  /** $ref. */
  $ref?: string | undefined;
  /** Description. */
  description?: string | undefined;
  /** Type. */
  type?: string | undefined;
  /** Format. */
  format?: string | undefined;
  /** Title. */
  title?: string | undefined;
  /** Default. */
  default?: JsonValue | undefined;
  /** Maximum. */
  maximum?: number | undefined;
  /** Exclusive maximum. */
  exclusiveMaximum?: boolean | undefined;
  /** Minimum. */
  minimum?: number | undefined;
  /** Exclusive minimum. */
  exclusiveMinimum?: boolean | undefined;
  /** Max length. */
  maxLength?: number | undefined;
  /** Min length. */
  minLength?: number | undefined;
  /** Pattern. */
  pattern?: string | undefined;
  /** Max items. */
  maxItems?: number | undefined;
  /** Min items. */
  minItems?: number | undefined;
  /** Unique items. */
  uniqueItems?: boolean | undefined;
  /** Multiple of. */
  multipleOf?: number | undefined;
  /** Enum. */
  enum?: JsonValue[] | undefined;
  /** Max properties. */
  maxProperties?: number | undefined;
  /** Min properties. */
  minProperties?: number | undefined;
  /** Required. */
  required?: string[] | undefined;
  /** Items. */
  items?: JsonValue | undefined;
  /** All of. */
  allOf?: JSONSchemaProps[] | undefined;
  /** One of. */
  oneOf?: JSONSchemaProps[] | undefined;
  /** Any of. */
  anyOf?: JSONSchemaProps[] | undefined;
  /** Not. */
  not?: JSONSchemaProps | undefined;
  /** Properties. */
  properties?: Record<string, JSONSchemaProps> | undefined;
  /** Additional properties. */
  additionalProperties?: JsonValue | undefined;
  /** Pattern properties. */
  patternProperties?: Record<string, JSONSchemaProps> | undefined;
  /** Dependencies. */
  dependencies?: Record<string, JsonValue> | undefined;
  /** Additional items. */
  additionalItems?: JsonValue | undefined;
  /** Definitions. */
  definitions?: Record<string, JSONSchemaProps> | undefined;
  /** External docs. */
  externalDocs?: ExternalDocumentation | undefined;
  /** Example. */
  example?: JsonValue | undefined;
  /** Nullable. */
  nullable?: boolean | undefined;
  /** X-orch-preserve-unknown-fields. */
  [extension: `x-${string}-preserve-unknown-fields`]: boolean | undefined;
  /** X-orch-embedded-resource. */
  [extension: `x-${string}-embedded-resource`]: boolean | undefined;
  /** X-orch-int-or-string. */
  [extension: `x-${string}-int-or-string`]: boolean | undefined;
  /** X-orch-list-map-keys. */
  [extension: `x-${string}-list-map-keys`]: string[] | undefined;
  /** X-orch-list-type. */
  [extension: `x-${string}-list-type`]: string | undefined;
  /** X-orch-map-type. */
  [extension: `x-${string}-map-type`]: string | undefined;
}

/** Service reference. */
export interface ServiceReference {
  /** Namespace. */
  namespace?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Path. */
  path?: string | undefined;
  /** Port. */
  port?: number | undefined;
}

/** Webhook client config. */
export interface WebhookClientConfig {
  /** Service. */
  service?: ServiceReference | undefined;
  /** Ca bundle. */
  caBundle?: string | undefined;
  /** Url. */
  url?: string | undefined;
}

/** Webhook conversion. */
export interface WebhookConversion {
  /** Client config. */
  clientConfig?: WebhookClientConfig | undefined;
  /** Conversion review versions. */
  conversionReviewVersions?: string[] | null | undefined;
}
