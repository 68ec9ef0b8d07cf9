/**
 * The interface of the registry: the catalogue and the verbs. Called by the HTTP handlers, admission and in-process
 * controllers; all writes go through it.
 */
import type { QueueHolder } from '../base/fair-queue.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ConnectionTarget } from './subresources/connection-target.ts';
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

/** A served resource in a version. Names are expanded for the naming profile. */
export interface ServedResource {
  readonly gvr: GroupVersionResource;
  readonly gvk: GroupVersionKind;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly definition: ResourceDefinition;
  /** The naming profile of the catalogue that this resource belongs to. */
  readonly naming: NamingProfile;
  /** Schema of this version. That of a custom resource may have to be parsed first, in one step unless it is prepared. */
  readonly schema: StructSchema;
  /** Schema of its metadata, for who needs no more of a custom resource; absent: it is in `schema`, which is at hand. */
  readonly metadata?: StructSchema;
  readonly storage: StorageForm;
  subresource(name: string): SubresourceDefinition | undefined;
  /** Schema of the bodies of a subresource with another kind (`scale`). */
  subresourceSchema(name: string): StructSchema | undefined;
  /**
   * Reads what writes need of a large definition, in slices, if it is not at hand. Absent where it always is.
   * @throws DecodeError
   */
  prepare?(): MaybePromise<void>;
  /** Structural check of a body: unknown fields are dropped and reported, as are values of a wrong type. */
  structure(body: JsonObject): StructureResult;
  /** OpenAPI definitions of objects and lists; absent if their types are in the catalogue. */
  readonly description?: TypeDescription;
  /** Static and dynamic defaults of this version. Mutates. */
  applyDefaults(object: JsonObject, context: ApiContext): void;
  /** Between this version, the internal version and the stored form. */
  readonly conversion: ObjectConversion;
}

/** OpenAPI definitions of custom resources. */
export interface TypeDescription {
  /** Names of the types, as those of the catalogue: `<group>/<version>.<Kind>`. */
  readonly object: string;
  readonly list: string;
  /** Of all that the definitions depend on besides names: types with equal ones are described alike. */
  readonly digest: string;
  /**
   * Their definitions for a version of OpenAPI, without names of kinds; `reference` refers to a type of the catalogue.
   * @param breathe awaited between steps: a schema may have thousands of fields
   */
  define(
    version: 2 | 3,
    reference: (type: string) => JsonObject,
    breathe: () => MaybePromise<void>,
  ): Promise<Readonly<Record<string, JsonObject>>>;
}

/** How a resource is stored; shared by all its versions. */
export interface StorageForm {
  readonly collection: CollectionId;
  readonly gvk: GroupVersionKind;
  readonly schema: StructSchema;
  /**
   * Sets the defaults of the release in a stored object: an earlier one, or a later one, may have stored it. Absent: objects
   * are read with them.
   */
  readonly applyDefaults?: (object: JsonObject, context: ApiContext) => void;
}

export interface ServedGroup {
  readonly group: string;
  /** Served and enabled versions, preferred first. */
  readonly versions: readonly (GroupVersionDefinition & { readonly resources: readonly ServedResource[] })[];
}

/** The current resources. A change of custom resources makes a new catalogue. */
export interface ResourceCatalogue {
  readonly naming: NamingProfile;
  groups(): readonly ServedGroup[];
  resource(group: string, version: string, plural: string): ServedResource | undefined;
  kind(group: string, version: string, kind: string): ServedResource | undefined;
}

/** Field validation (query parameter `fieldValidation`): invalid fields are rejected or reported in warnings. */
export interface FieldValidation {
  readonly directive: 'Strict' | 'Warn';
  /** Errors of the decoder, such as `duplicate field "spec.replicas"`. */
  readonly errors: readonly string[];
}

/** Minimum audit level of an annotation; absent for every level. */
export type AnnotationLevel = 'Request';

/** User, resource and options of a verb. */
export interface RequestScope {
  readonly resource: ServedResource;
  /** '' for cluster scope or all namespaces. */
  readonly namespace: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Explicit field manager or the default from the user agent. */
  readonly fieldManager: string;
  /** Absent if invalid fields are silently dropped. */
  readonly fieldValidation?: FieldValidation;
  readonly signal: AbortSignal;
  /** Like `signal` without its creation, which costs a tenth of a get. Defaults to `signal`. */
  readonly lifetime?: Lifetime & Partial<QueueHolder>;
  /**
   * Called before an update or patch creates an object, which requires the verb create.
   * @throws StatusError 403
   */
  assertMayCreate(): Promise<void>;
  /**
   * What happens to a write that becomes large in admission: it stays in this thread, or moves to a write
   * thread by throwing a GrownWrite. Absent if large webhook responses fail.
   */
  readonly growth?: 'stays' | 'moves';
  /** Adds a Warning header to the response. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event; absent without one. */
  readonly annotate?: (key: string, value: string, level?: AnnotationLevel) => void;
}

/** Query parameters of a read as text; the registry interprets resource versions. */
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
  /** Of watches only: given here, it is an error. Absent where the release does not know it. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Whether a chunk tells how many objects follow; absent: yes. */
  readonly counts?: boolean;
  /** The entries as they are stored, for who needs their keys and metadata only; absent: in the version of the request. */
  readonly asStored?: boolean;
}

export interface WatchQuery {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowWatchBookmarks: boolean;
  /** Of lists only: beside a match it is an error, alone it is ignored. */
  readonly continue?: string;
  /** undefined when not given, and where the release does not know it. */
  readonly sendInitialEvents: boolean | undefined;
  /** For a watch of one named object; '' otherwise. */
  readonly name: string;
}

/** Entries in key order: an array, or those of a state that are found while they are taken. */
export interface EntryList extends Iterable<Entry> {
  readonly length: number;
}

/** The entries as a queue from which several workers take; it ends for all when one stops taking. */
export function* queueOf(entries: Iterable<Entry>): Generator<Entry, void, undefined> {
  yield* entries;
}

export interface ListResult {
  /** Resource version of the list. */
  readonly revision: Revision;
  readonly entries: EntryList;
  /** Token of the next chunk, '' at the end. */
  readonly continue: string;
  /** Where the list is; absent where lists do not say it. */
  readonly selfLink?: string;
  /** undefined with selectors, or if nothing remains. */
  readonly remainingItemCount: number | undefined;
}

/** The result of a write: bytes of the storage version, and the revision to insert. */
export interface WriteResult {
  readonly entry: Entry;
  /** The object was created by this request (201). */
  readonly created: boolean;
}

export interface ApplyOptions {
  /** Takes ownership of conflicting fields. */
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
 * Deletes an object of a collection outside of this thread, with the options of the collection. Undefined where it is to
 * be deleted here.
 */
export type DeleteElsewhere = (
  scope: RequestScope,
  name: string,
  entry: Entry,
) => Promise<DeleteResult | undefined> | undefined;

/**
 * Turns the current object of the request's version into the next one (patches). Must not mutate `current`.
 * `isFilled`: it is known to have the zero values that the form of the storage has, and no other.
 */
export type Transform = (current: JsonObject, isFilled?: boolean) => JsonObject;

/** Attributes of a write for admission. Objects are of the storage version; `admit` may change `object`. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly scope: RequestScope;
  readonly name: string;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  /** Kind of `object`, if it differs from that of the resource (`Eviction`, options of a connection). */
  readonly kind?: GroupVersionKind;
  /** Options of the request; absent if there are only those of the scope. */
  readonly options?: JsonObject;
  /** Adds a precondition on another object to a create. Absent if nothing is created. */
  dependOn?(state: DependedState): void;
}

/** State that a create depends on: it takes effect only while the condition holds. */
export interface DependedState {
  readonly condition: Condition;
  /**
   * Evaluates the newest state after the condition failed.
   * @throws StatusError if it does not allow the write either
   */
  renew(): Promise<Condition>;
}

/** Mutating and validating admission. Both throw StatusError to reject. */
export interface AdmissionChain {
  admit(attributes: AdmissionAttributes): Promise<void>;
  validate(attributes: AdmissionAttributes): Promise<void>;
  /**
   * Whether writes to the resource may call admission webhooks, which should be called once, with the newest object.
   */
  callsWebhooks(scope: RequestScope): boolean;
}

/** One event for one watcher after its selectors. */
export interface WatchItem {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly event: Entry;
}

export interface WatchSink {
  /** Items of the initial state are in key order, so their versions are no progress. */
  onItems(items: readonly WatchItem[], areInitial?: boolean): void;
  /** All events up to `revision` are delivered. `initialEventsEnd` is set when the initial state is complete. */
  onBookmark(revision: Revision, initialEventsEnd: boolean): void;
  /** A Status to send as ERROR event; the stream ends after it. */
  onError(status: unknown): void;
  /** It lists again after a 410, as soon as it can. Absent: it is told all changes if possible. */
  readonly relists?: boolean;
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
  /** The deleted objects as they were stored, with a continue token if there was a limit. */
  deleteCollection(
    scope: RequestScope,
    list: ListOptions,
    options: DeleteOptions,
    elsewhere?: DeleteElsewhere,
  ): Promise<ListResult>;
  /**
   * An action subresource (`pods/binding`), which returns a JSON object. The body is an object, for `patch` a
   * transform of the result of `get`, for reads nothing.
   */
  act(
    scope: RequestScope,
    name: string,
    verb: string,
    body: JsonObject | Transform | undefined,
  ): Promise<JsonValue>;
  /** Admits a connection (`pods/exec`, `services/proxy`) with the options of its kind, and finds where it leads. */
  connect(scope: RequestScope, name: string, verb: string, options: JsonObject): Promise<ConnectionTarget>;
  /** Server-side apply of a Scale, which is returned. */
  applyScale(
    scope: RequestScope,
    name: string,
    configuration: JsonObject,
    options: ApplyOptions,
  ): Promise<JsonValue>;
}

export type { ApiObject, CollectionSnapshot, StoredEvent };
