/** Types of meta/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { ListMeta, ObjectMeta } from '../../meta/object.ts';
export type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../../meta/object.ts';

/** API group. */
export interface APIGroup {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Versions. */
  versions?: GroupVersionForDiscovery[] | null | undefined;
  /** Preferred version. */
  preferredVersion?: GroupVersionForDiscovery | undefined;
  /** Server address by client CID rs. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | undefined;
}

/** API group list. */
export interface APIGroupList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Groups. */
  groups?: APIGroup[] | null | undefined;
}

/** API resource. */
export interface APIResource {
  /** Name. */
  name?: string | undefined;
  /** Namespaced. */
  namespaced?: boolean | undefined;
  /** Kind. */
  kind?: string | undefined;
  /** Verbs. */
  verbs?: string[] | null | undefined;
  /** Short names. */
  shortNames?: string[] | undefined;
  /** Singular name. */
  singularName?: string | undefined;
  /** Categories. */
  categories?: string[] | undefined;
  /** Group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
  /** Storage version hash. */
  storageVersionHash?: string | undefined;
}

/** API resource list. */
export interface APIResourceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Group version. */
  groupVersion?: string | undefined;
  /** Resources. */
  resources?: APIResource[] | null | undefined;
}

/** API versions. */
export interface APIVersions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Versions. */
  versions?: string[] | null | undefined;
  /** Server address by client CID rs. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | null | undefined;
}

/** Apply options. */
export interface ApplyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Dry run. */
  dryRun?: string[] | undefined;
  /** Force. */
  force?: boolean | undefined;
  /** Field manager. */
  fieldManager?: string | undefined;
}

/** Condition. */
export interface Condition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Create options. */
export interface CreateOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Dry run. */
  dryRun?: string[] | undefined;
  /** Field manager. */
  fieldManager?: string | undefined;
}

/** Delete options. */
export interface DeleteOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Grace period seconds. */
  gracePeriodSeconds?: number | undefined;
  /** Preconditions. */
  preconditions?: Preconditions | undefined;
  /** Orphan dependents. */
  orphanDependents?: boolean | undefined;
  /** Propagation policy. */
  propagationPolicy?: string | undefined;
  /** Dry run. */
  dryRun?: string[] | undefined;
}

/** Get options. */
export interface GetOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Resource version. */
  resourceVersion?: string | undefined;
}

/** Group kind. */
export interface GroupKind {
  /** Group. */
  group?: string | undefined;
  /** Kind. */
  kind?: string | undefined;
}

/** Group resource. */
export interface GroupResource {
  /** Group. */
  group?: string | undefined;
  /** Resource. */
  resource?: string | undefined;
}

/** Group version. */
export interface GroupVersion {
  /** Group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
}

/** Group version for discovery. */
export interface GroupVersionForDiscovery {
  /** Group version. */
  groupVersion?: string | undefined;
  /** Version. */
  version?: string | undefined;
}

/** Group version kind. */
export interface GroupVersionKind {
  /** Group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
  /** Kind. */
  kind?: string | undefined;
}

/** Group version resource. */
export interface GroupVersionResource {
  /** Group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
  /** Resource. */
  resource?: string | undefined;
}

/** Label selector. */
export interface LabelSelector {
  /** Match labels. */
  matchLabels?: Record<string, string> | undefined;
  /** Match expressions. */
  matchExpressions?: LabelSelectorRequirement[] | undefined;
}

/** Label selector requirement. */
export interface LabelSelectorRequirement {
  /** Key. */
  key?: string | undefined;
  /** Operator. */
  operator?: string | undefined;
  /** Values. */
  values?: string[] | undefined;
}

/** List. */
export interface List {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: JsonValue[] | null | undefined;
}

/** List options. */
export interface ListOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Label selector. */
  labelSelector?: string | undefined;
  /** Field selector. */
  fieldSelector?: string | undefined;
  /** Watch. */
  watch?: boolean | undefined;
  /** Resource version. */
  resourceVersion?: string | undefined;
  /** Timeout seconds. */
  timeoutSeconds?: number | undefined;
  /** Limit. */
  limit?: number | undefined;
  /** Continue. */
  continue?: string | undefined;
  /** Allow watch bookmarks. */
  allowWatchBookmarks?: boolean | undefined;
  /** Resource version match. */
  resourceVersionMatch?: string | undefined;
}

/** Partial object metadata. */
export interface PartialObjectMetadata {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
}

/** Partial object metadata list. */
export interface PartialObjectMetadataList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PartialObjectMetadata[] | null | undefined;
}

/** Patch. */
export interface Patch {}

/** Patch options. */
export interface PatchOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Dry run. */
  dryRun?: string[] | undefined;
  /** Force. */
  force?: boolean | undefined;
  /** Field manager. */
  fieldManager?: string | undefined;
}

/** Preconditions. */
export interface Preconditions {
  /** Uid. */
  uid?: string | undefined;
  /** Resource version. */
  resourceVersion?: string | undefined;
}

/** Root paths. */
export interface RootPaths {
  /** Paths. */
  paths?: string[] | null | undefined;
}

/** Server address by client CIDR. */
export interface ServerAddressByClientCIDR {
  /** Client CIDR. */
  clientCIDR?: string | undefined;
  /** Server address. */
  serverAddress?: string | undefined;
}

/** Status. */
export interface Status {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Status. */
  status?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Details. */
  details?: StatusDetails | undefined;
  /** Code. */
  code?: number | undefined;
}

/** Status cause. */
export interface StatusCause {
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Field. */
  field?: string | undefined;
}

/** Status details. */
export interface StatusDetails {
  /** Name. */
  name?: string | undefined;
  /** Group. */
  group?: string | undefined;
  /** Kind. */
  kind?: string | undefined;
  /** Causes. */
  causes?: StatusCause[] | undefined;
  /** Retry after seconds. */
  retryAfterSeconds?: number | undefined;
  /** Uid. */
  uid?: string | undefined;
}

/** Table. */
export interface Table {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Column definitions. */
  columnDefinitions?: TableColumnDefinition[] | null | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Rows. */
  rows?: TableRow[] | null | undefined;
}

/** Table column definition. */
export interface TableColumnDefinition {
  /** Description. */
  description?: string | undefined;
  /** Format. */
  format?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Priority. */
  priority?: number | undefined;
  /** Type. */
  type?: string | undefined;
}

/** Table options. */
export interface TableOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Include object. */
  includeObject?: string | undefined;
}

/** Table row. */
export interface TableRow {
  /** Cells. */
  cells?: JsonValue[] | null | undefined;
  /** Conditions. */
  conditions?: TableRowCondition[] | undefined;
  /** Object. */
  object?: JsonValue | undefined;
}

/** Table row condition. */
export interface TableRowCondition {
  /** Message. */
  message?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Type. */
  type?: string | undefined;
}

/** Timestamp. */
export interface Timestamp {
  /** Seconds. */
  seconds?: number | undefined;
  /** Nanos. */
  nanos?: number | undefined;
}

/** Type meta. */
export interface TypeMeta {
  /** Kind. */
  kind?: string | undefined;
  /** Api version. */
  apiVersion?: string | undefined;
}

/** Update options. */
export interface UpdateOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Dry run. */
  dryRun?: string[] | undefined;
  /** Field manager. */
  fieldManager?: string | undefined;
}

/** Watch event. */
export interface WatchEvent {
  /** Type. */
  type?: string | undefined;
  /** Object. */
  object?: JsonValue | undefined;
}
