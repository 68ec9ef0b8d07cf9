/**
 * The face of `registry`: resources that exist now and what each verb means. The HTTP room, admission, and
 * (in process) controllers call this; nothing else opens a write.
 */
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { GroupVersionKind, GroupVersionResource } from '../meta/gvk.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import type { UserInfo } from '../meta/user.ts';
import type {
  ApiContext,
  GroupVersionDefinition,
  ResourceDefinition,
  SubresourceDefinition,
} from '../api/types.ts';
import type { StructureResult } from '../schema/structure.ts';
import type { StructSchema } from '../schema/types.ts';
import type {
  CollectionId,
  CollectionSnapshot,
  Condition,
  Entry,
  Lifetime,
  Revision,
  StoredEvent,
} from '../storage/types.ts';
import type { ObjectConversion } from './conversion/object-conversion.ts';

/** A resource in one version, as it is served. Names are expanded for the naming profile. */
export interface ServedResource {
  readonly gvr: GroupVersionResource;
  readonly gvk: GroupVersionKind;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly definition: ResourceDefinition;
  /** The naming profile of the catalogue that this resource belongs to. */
  readonly naming: NamingProfile;
  /** Schema of this version. */
  readonly schema: StructSchema;
  readonly storage: StorageForm;
  subresource(name: string): SubresourceDefinition | undefined;
  /** Schema of a subresource's bodies where they are of another kind (`scale`). */
  subresourceSchema(name: string): StructSchema | undefined;
  /** A body with the structure of this version: what it does not know is dropped, and reported with what does not fit. */
  structure(body: JsonObject): StructureResult;
  /** How OpenAPI describes objects and lists. Absent: by their types in the catalogue. */
  readonly description?: TypeDescription;
  /** Static and dynamic defaults of this version. Mutates. */
  applyDefaults(object: JsonObject, context: ApiContext): void;
  /** Between this version, the internal version and the stored form. */
  readonly conversion: ObjectConversion;
}

/** What OpenAPI says of objects that no type of the catalogue describes (custom resources). */
export interface TypeDescription {
  /** Names of the types, as those of the catalogue: `<group>/<version>.<Kind>`. */
  readonly object: string;
  readonly list: string;
  /** Their definitions for a version of OpenAPI, without names of kinds; `reference` refers to a type of the catalogue. */
  define(version: 2 | 3, reference: (type: string) => JsonObject): Readonly<Record<string, JsonObject>>;
}

/** How a resource is stored; shared by all its versions. */
export interface StorageForm {
  readonly collection: CollectionId;
  readonly gvk: GroupVersionKind;
  readonly schema: StructSchema;
}

export interface ServedGroup {
  readonly group: string;
  /** Served and enabled versions, preferred first. */
  readonly versions: readonly (GroupVersionDefinition & { readonly resources: readonly ServedResource[] })[];
}

/** The resources that exist now. Changes (custom resources) swap in a new catalogue; holders look it up again. */
export interface ResourceCatalogue {
  readonly naming: NamingProfile;
  groups(): readonly ServedGroup[];
  resource(group: string, version: string, plural: string): ServedResource | undefined;
  kind(group: string, version: string, kind: string): ServedResource | undefined;
}

/** What becomes of fields that were sent and cannot be used (query `fieldValidation`): rejected or reported in a warning. */
export interface FieldValidation {
  readonly directive: 'Strict' | 'Warn';
  /** What decoding the body found already: `duplicate field "spec.replicas"`. */
  readonly errors: readonly string[];
}

/** Audit level from which on an annotation is recorded; absent: wherever the request is. */
export type AnnotationLevel = 'Request';

/** The user, the resource and the options: everything a verb needs beside the object. */
export interface RequestScope {
  readonly resource: ServedResource;
  /** '' for cluster scope or all namespaces. */
  readonly namespace: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Explicit field manager or the default from the user agent. */
  readonly fieldManager: string;
  /** Absent: fields that cannot be used are dropped in silence. */
  readonly fieldValidation?: FieldValidation;
  readonly signal: AbortSignal;
  /** The same as `signal` for those who only look: making a signal costs a tenth of a get. Absent: `signal` itself. */
  readonly lifetime?: Lifetime;
  /**
   * Called before a write that is no create makes an object: users without the verb create may not do so by other verbs.
   * @throws StatusError 403
   */
  assertMayCreate(): Promise<void>;
  /**
   * What becomes of a write whose admission webhooks answer at length, or make it large: it goes on here, or moves to
   * where large writes are carried out, by a GrownWrite. Absent: a call that is answered at length fails.
   */
  readonly growth?: 'stays' | 'moves';
  /** Adds a Warning header to the answer. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event of the request. Absent: there is none. */
  readonly annotate?: (key: string, value: string, level?: AnnotationLevel) => void;
}

/** Query of a read, still as text; the registry knows the resource version tables. */
export interface ReadOptions {
  readonly resourceVersion: string;
}

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continue: string;
}

export interface WatchQuery {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowWatchBookmarks: boolean;
  /** undefined when not given. */
  readonly sendInitialEvents: boolean | undefined;
  /** For a watch of one named object; '' otherwise. */
  readonly name: string;
}

export interface ListResult {
  /** Resource version of the list. */
  readonly revision: Revision;
  readonly entries: readonly Entry[];
  /** Token of the next chunk, '' at the end. */
  readonly continue: string;
  /** undefined where it cannot be known (selectors) or nothing remains. */
  readonly remainingItemCount: number | undefined;
}

/** What a write answers: bytes of the storage version and the revision to splice in. */
export interface WriteResult {
  readonly entry: Entry;
  /** The object came into being by this request (201). */
  readonly created: boolean;
}

export interface ApplyOptions {
  /** Takes fields from other managers instead of refusing the conflict. */
  readonly force: boolean;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

export interface DeleteResult {
  /** True when the object is gone; false when it is terminating (finalizers, grace). */
  readonly removed: boolean;
  readonly entry: Entry;
}

/**
 * Turns the current object of the request's version into the next one (patches). Must not mutate `current`.
 * `isFilled`: it is known to have the zero values that the form of the storage has, and no other.
 */
export type Transform = (current: JsonObject, isFilled?: boolean) => JsonObject;

/** What admission sees of a write. Objects are of the storage version; `admit` may change `object`. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly scope: RequestScope;
  readonly name: string;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  /** What `object` is where it is of another kind than the resource (`Eviction`, options of a connection). */
  readonly kind?: GroupVersionKind;
  /** Options of the request beside the object. Absent: there are none but those of the scope. */
  readonly options?: JsonObject;
  /** Makes a create depend on another object as admission saw it. Absent: nothing is created. */
  dependOn?(state: DependedState): void;
}

/** State that a create depends on: it takes effect only while the condition holds. */
export interface DependedState {
  readonly condition: Condition;
  /** After it failed: judges the newest state. @throws StatusError when that does not allow the write either */
  renew(): Promise<Condition>;
}

/** Mutating and validating admission. Both throw StatusError to refuse. */
export interface AdmissionChain {
  admit(attributes: AdmissionAttributes): Promise<void>;
  validate(attributes: AdmissionAttributes): Promise<void>;
  /** Writes to the resource may go to admission webhooks: they should see each once, and the newest object. */
  callsWebhooks(scope: RequestScope): boolean;
}

/** One event for one watcher after its selectors. */
export interface WatchItem {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly event: Entry;
}

export interface WatchSink {
  /** Those of the initial state are in key order: none of them says how far the watch is. */
  onItems(items: readonly WatchItem[], areInitial?: boolean): void;
  /** Everything up to `revision` was delivered. `initialEventsEnd`: the initial state is complete. */
  onBookmark(revision: Revision, initialEventsEnd: boolean): void;
  /** A Status to send as ERROR event; the stream ends after it. */
  onError(status: unknown): void;
  ready(): Promise<void>;
}

/** The verbs on resources. Every method throws StatusError. */
export interface ResourceVerbs {
  get(scope: RequestScope, name: string, options: ReadOptions): Promise<Entry>;
  list(scope: RequestScope, options: ListOptions): Promise<ListResult>;
  /** Resolves once the watch is established (so that 410 and 400 can still be answered as HTTP status). */
  watch(scope: RequestScope, query: WatchQuery, sink: WatchSink): Promise<{ close(): void }>;
  create(scope: RequestScope, name: string, object: JsonObject): Promise<WriteResult>;
  replace(scope: RequestScope, name: string, object: JsonObject): Promise<WriteResult>;
  patch(scope: RequestScope, name: string, transform: Transform): Promise<WriteResult>;
  /** Server-side apply: creates a missing object. A body of the request's version, as sent. */
  apply(
    scope: RequestScope,
    name: string,
    configuration: JsonObject,
    options: ApplyOptions,
  ): Promise<WriteResult>;
  delete(scope: RequestScope, name: string, options: DeleteOptions): Promise<DeleteResult>;
  /** What was deleted, with the token of what the limit left. */
  deleteCollection(scope: RequestScope, list: ListOptions, options: DeleteOptions): Promise<ListResult>;
  /**
   * An action subresource (`pods/binding`); the answer is a JSON object of the subresource's kind. The body is an
   * object, for `patch` a transform of the answer to `get`, for reads nothing.
   */
  act(
    scope: RequestScope,
    name: string,
    verb: string,
    body: JsonObject | Transform | undefined,
  ): Promise<JsonValue>;
  /** Server-side apply of a Scale; the answer is the Scale. */
  applyScale(
    scope: RequestScope,
    name: string,
    configuration: JsonObject,
    options: ApplyOptions,
  ): Promise<JsonValue>;
}

export type { ApiObject, CollectionSnapshot, StoredEvent };
