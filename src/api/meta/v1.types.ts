/** Types of meta/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { ListMeta, ObjectMeta } from '../../meta/object.ts';
export type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../../meta/object.ts';

/** A group and its versions. */
export interface APIGroup {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Versions. */
  versions?: GroupVersionForDiscovery[] | null | undefined;
  /** The version to prefer. */
  preferredVersion?: GroupVersionForDiscovery | undefined;
  /** Which address to use from which network. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | undefined;
}

/** All groups. */
export interface APIGroupList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Groups that the user is in. */
  groups?: APIGroup[] | null | undefined;
}

/** A resource and what can be done with it. */
export interface APIResource {
  /** Plural name, with /subresource where it is one. */
  name?: string | undefined;
  /** Whether objects live in namespaces. */
  namespaced?: boolean | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** What can be done with it. */
  verbs?: string[] | null | undefined;
  /** Short names for the command line. */
  shortNames?: string[] | undefined;
  /** Singular name. */
  singularName?: string | undefined;
  /** Groups of resources that this one is in, such as all. */
  categories?: string[] | undefined;
  /** API group. */
  group?: string | undefined;
  /** API version. */
  version?: string | undefined;
  /** Changes when the stored version changes. */
  storageVersionHash?: string | undefined;
}

/** Resources of a group version. */
export interface APIResourceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Group and version. */
  groupVersion?: string | undefined;
  /** Resources meant. */
  resources?: APIResource[] | null | undefined;
}

/** Versions of the core group. */
export interface APIVersions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Versions. */
  versions?: string[] | null | undefined;
  /** Which address to use from which network. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | null | undefined;
}

/** Query parameters of apply. */
export interface ApplyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** All: work everything out, but store nothing. */
  dryRun?: string[] | undefined;
  /** Take over fields that others own. */
  force?: boolean | undefined;
  /** Name under which fields are owned. */
  fieldManager?: string | undefined;
}

/** One observation of an object. */
export interface Condition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** Query parameters of create. */
export interface CreateOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** All: work everything out, but store nothing. */
  dryRun?: string[] | undefined;
  /** Name under which fields are owned. */
  fieldManager?: string | undefined;
  /** What invalid fields lead to: Ignore, Warn or Strict. */
  fieldValidation?: string | undefined;
}

/** How to delete. */
export interface DeleteOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Seconds to give; 0 removes at once. */
  gracePeriodSeconds?: number | undefined;
  /** Must hold, else nothing is done. */
  preconditions?: Preconditions | undefined;
  /** Old form of propagationPolicy. */
  orphanDependents?: boolean | undefined;
  /** What happens to dependents: Orphan, Background or Foreground. */
  propagationPolicy?: string | undefined;
  /** All: work everything out, but store nothing. */
  dryRun?: string[] | undefined;
  /** Deletes an object that cannot be read, without finalizers and preconditions. */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

/** A demand on a field. */
export interface FieldSelectorRequirement {
  /** Path of the field. */
  key?: string | undefined;
  /** In, NotIn, Exists or DoesNotExist. */
  operator?: string | undefined;
  /** The values. */
  values?: string[] | undefined;
}

/** Query parameters of get. */
export interface GetOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the object, for comparison with equality only. */
  resourceVersion?: string | undefined;
}

/** A group and a kind. */
export interface GroupKind {
  /** API group. */
  group?: string | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
}

/** A group and a resource. */
export interface GroupResource {
  /** API group. */
  group?: string | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: string | undefined;
}

/** A group and a version. */
export interface GroupVersion {
  /** API group. */
  group?: string | undefined;
  /** API version. */
  version?: string | undefined;
}

/** A version in discovery. */
export interface GroupVersionForDiscovery {
  /** Group and version. */
  groupVersion?: string | undefined;
  /** API version. */
  version?: string | undefined;
}

/** A group, a version and a kind. */
export interface GroupVersionKind {
  /** API group. */
  group?: string | undefined;
  /** API version. */
  version?: string | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
}

/** A group, a version and a resource. */
export interface GroupVersionResource {
  /** API group. */
  group?: string | undefined;
  /** API version. */
  version?: string | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: string | undefined;
}

/** Chooses objects by label; all requirements must hold, an empty one chooses everything. */
export interface LabelSelector {
  /** Labels that must have exactly these values. */
  matchLabels?: Record<string, string> | undefined;
  /** Requirements, all of which must hold. */
  matchExpressions?: LabelSelectorRequirement[] | undefined;
}

/** A condition on one label. */
export interface LabelSelectorRequirement {
  /** Label to look at. */
  key?: string | undefined;
  /** In, NotIn, Exists or DoesNotExist. */
  operator?: string | undefined;
  /** Values to compare with. */
  values?: string[] | undefined;
}

/** A list of objects of any kind. */
export interface List {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: JsonValue[] | null | undefined;
}

/** Query parameters of lists and watches. */
export interface ListOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Labels of the objects meant. */
  labelSelector?: string | undefined;
  /** Fields of the objects meant. */
  fieldSelector?: string | undefined;
  /** Stream changes instead of listing. */
  watch?: boolean | undefined;
  /** Version to read at or watch from. */
  resourceVersion?: string | undefined;
  /** Seconds after which the stream ends. */
  timeoutSeconds?: number | undefined;
  /** Most objects in one answer. */
  limit?: number | undefined;
  /** Give this back to get the next page. */
  continue?: string | undefined;
  /** Send bookmarks from time to time. */
  allowWatchBookmarks?: boolean | undefined;
  /** How resourceVersion is applied: Exact or NotOlderThan. */
  resourceVersionMatch?: string | undefined;
  /** A watch begins with the objects that there are, and marks their end. */
  sendInitialEvents?: boolean | undefined;
  /** Which part of the collection is wanted. */
  shardSelector?: string | undefined;
}

/** An object's metadata alone. */
export interface PartialObjectMetadata {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
}

/** A list of objects' metadata. */
export interface PartialObjectMetadataList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PartialObjectMetadata[] | null | undefined;
}

/** A patch body. */
export interface Patch {}

/** Query parameters of patch. */
export interface PatchOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** All: work everything out, but store nothing. */
  dryRun?: string[] | undefined;
  /** Take over fields that others own. */
  force?: boolean | undefined;
  /** Name under which fields are owned. */
  fieldManager?: string | undefined;
  /** What invalid fields lead to: Ignore, Warn or Strict. */
  fieldValidation?: string | undefined;
}

/** What must hold before something is done. */
export interface Preconditions {
  /** The object must have this id. */
  uid?: string | undefined;
  /** The object must be at this version. */
  resourceVersion?: string | undefined;
}

/** Paths that the server serves. */
export interface RootPaths {
  /** Paths and where each leads. */
  paths?: string[] | null | undefined;
}

/** The server's address for clients of a network. */
export interface ServerAddressByClientCIDR {
  /** Network of the client. */
  clientCIDR?: string | undefined;
  /** Address of the server. */
  serverAddress?: string | undefined;
}

/** Which part of a collection a list has. */
export interface ShardInfo {
  /** The selector of the part, as asked for. */
  selector?: string | undefined;
}

/** Outcome of a request that returns no object. */
export interface Status {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** Success or Failure. */
  status?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** One CamelCase word that says why it failed. */
  reason?: string | undefined;
  /** More on the matter. */
  details?: StatusDetails | undefined;
  /** HTTP status code. */
  code?: number | undefined;
}

/** One error in an input. */
export interface StatusCause {
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** Path of the field. */
  field?: string | undefined;
}

/** What a Status is about. */
export interface StatusDetails {
  /** Name of the object meant. */
  name?: string | undefined;
  /** API group. */
  group?: string | undefined;
  /** Resource or kind meant. */
  kind?: string | undefined;
  /** The single errors. */
  causes?: StatusCause[] | undefined;
  /** Seconds to wait before the next try. */
  retryAfterSeconds?: number | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
}

/** Objects as rows for people. */
export interface Table {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Columns of the table. */
  columnDefinitions?: TableColumnDefinition[] | null | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** Rows of the table. */
  rows?: TableRow[] | null | undefined;
}

/** A column of a table. */
export interface TableColumnDefinition {
  /** Text for people. */
  description?: string | undefined;
  /** Format of the value. */
  format?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** How important it is; larger is more. */
  priority?: number | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
}

/** How a table is wanted. */
export interface TableOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** How much of each object a row carries: None, Metadata or Object. */
  includeObject?: string | undefined;
}

/** A row of a table. */
export interface TableRow {
  /** Values, one per column. */
  cells?: JsonValue[] | null | undefined;
  /** Latest observations, one per type. */
  conditions?: TableRowCondition[] | undefined;
  /** The object. */
  object?: JsonValue | undefined;
}

/** A remark on a row. */
export interface TableRowCondition {
  /** Details for people. */
  message?: string | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
}

/** An instant on the wire. */
export interface Timestamp {
  /** Whole seconds. */
  seconds?: number | undefined;
  /** The rest, in nanoseconds. */
  nanos?: number | undefined;
}

/** Which type an object is. */
export interface TypeMeta {
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Group and version of the object meant. */
  apiVersion?: string | undefined;
}

/** Query parameters of update. */
export interface UpdateOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** All: work everything out, but store nothing. */
  dryRun?: string[] | undefined;
  /** Name under which fields are owned. */
  fieldManager?: string | undefined;
  /** What invalid fields lead to: Ignore, Warn or Strict. */
  fieldValidation?: string | undefined;
}

/** A change in a watch stream. */
export interface WatchEvent {
  /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. */
  type?: string | undefined;
  /** The object after the change, or a Status. */
  object?: JsonValue | undefined;
}
