/**
 * What controllers see of the service: an API client, nothing else. The server room implements it in process, and over
 * HTTPS for controllers that run in a process of their own.
 */
import type { Environment } from '../base/environment.ts';
import { messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { shortText } from '../base/short-text.ts';
import { parseApiVersion } from '../meta/gvk.ts';
import type { ApiObject } from '../meta/object.ts';
import type { QueueState } from './work-left.ts';

/** A resource as discovery lists it. */
export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Discovery failed for some group versions, such as those of an aggregated API server that is down. */
export class IncompleteDiscovery extends Error {
  /** What the others serve. */
  readonly resources: readonly ResourceRef[];
  /** Groups of which not everything is known now. */
  readonly groups: ReadonlySet<string>;
  /** How many group versions failed. */
  readonly failing: number;

  /** @param failures by group version */
  constructor(resources: readonly ResourceRef[], failures: ReadonlyMap<string, unknown>) {
    const texts = [...failures].map(([version, error]) => `${version}: ${shortText(messageOf(error))}`);
    super(`unable to retrieve the complete list of server APIs: ${texts.sort().join(', ')}`);
    this.name = 'IncompleteDiscovery';
    this.resources = resources;
    this.groups = new Set([...failures.keys()].map((version) => parseApiVersion(version)?.group ?? ''));
    this.failing = failures.size;
  }
}

export interface ObjectRef {
  readonly resource: ResourceRef;
  /** '' for cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

export interface MetadataEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /**
   * apiVersion, kind and metadata; other fields, and who manages them, may be missing. Objects are shared between
   * handlers: do not change them.
   */
  readonly object: ApiObject;
}

export interface MetadataList {
  readonly resourceVersion: string;
  readonly items: readonly ApiObject[];
}

export interface DeleteRequest {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Absent: that of the object. */
  readonly gracePeriodSeconds?: number;
}

/** Every call throws StatusError, and ends early when its signal is aborted. */
export interface ApiClient {
  /** The release that the server has, or emulates: its minor version, 21 for 1.21. */
  minorVersion(signal: AbortSignal): Promise<number>;
  /** Preferred versions of all resources that exist now. @throws IncompleteDiscovery when only some of them are known */
  discover(signal: AbortSignal): Promise<readonly ResourceRef[]>;
  /** undefined: not found. */
  get(ref: ObjectRef, signal: AbortSignal): Promise<ApiObject | undefined>;
  /** Gives the whole objects one by one, in turns: together they may be larger than the memory. */
  eachObject(resource: ResourceRef, listing: ObjectListing, signal: AbortSignal): Promise<void>;
  /** How many objects a namespace has. None is read for it where that can be known without. */
  count(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<number>;
  /** @param namespace '' for all */
  listMetadata(
    resource: ResourceRef,
    namespace: string,
    signal: AbortSignal,
    reading?: MetadataReading,
  ): Promise<MetadataList>;
  /** The same one by one, as there may be a million of them. @returns the version of the list */
  eachMetadata(resource: ResourceRef, listing: MetadataListing, signal: AbortSignal): Promise<string>;
  /** The version that a list would have now. */
  newestVersion(resource: ResourceRef, reading: MetadataReading, signal: AbortSignal): Promise<string>;
  /** Resolves when the stream ends as it should; throws StatusError 410 when history is lost. */
  watchMetadata(resource: ResourceRef, watch: MetadataWatch, signal: AbortSignal): Promise<void>;
  create(
    resource: ResourceRef,
    namespace: string,
    object: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject>;
  /** Replaces the object or a subresource of it ('' for the object). */
  update(ref: ObjectRef, object: ApiObject, subresource: string, signal: AbortSignal): Promise<ApiObject>;
  /** Merge patch. */
  patch(ref: ObjectRef, patch: JsonObject, signal: AbortSignal): Promise<ApiObject>;
  delete(ref: ObjectRef, request: DeleteRequest, signal: AbortSignal): Promise<void>;
  deleteCollection(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<void>;
}

export interface ObjectListing {
  /** '' for all. */
  readonly namespace: string;
  /** Called with each object; a promise is awaited before the next one is read. Objects may be shared: do not change them. */
  readonly onItem: (object: ApiObject) => MaybePromise<void>;
}

/** Which metadata are listed or watched, and for whom. */
export interface MetadataReading {
  /** Absent: objects whatever their fields. */
  readonly fieldSelector?: string;
  /** The same object for all lists and watches of an informer, which watches after a list, and lists again at a 410; absent for others. */
  readonly informer?: object;
}

export interface MetadataListing extends MetadataReading {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** Told of each object, in turns. Objects may be shared: do not change them. */
  readonly onItem: (object: ApiObject) => void;
}

export interface MetadataWatch extends MetadataReading {
  readonly resourceVersion: string;
  readonly onEvent: (event: MetadataEvent) => void;
  /** Everything up to this version was delivered. */
  readonly onProgress: (resourceVersion: string) => void;
}

/** Log lines of controllers; no object content beyond names ever goes there. */
export interface ControllerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Numbers of the controller frame. */
export interface ControllerMetrics {
  /**
   * The numbers of a queue.
   * @param state asked when metrics are read, and to wait until no work is left
   */
  queue(name: string, state: QueueState): QueueMetrics;
  /** Told of every term, just before its work begins, and of every attempt that another's term outlasts. */
  leading(lease: string, isLeader: boolean): void;
  /** A controller looks at something at intervals; `look` makes it look now. */
  looking?(name: string, look: () => void): void;
}

/** `depth`: keys that wait for a worker, afterwards. */
export interface QueueMetrics {
  /** A key was queued; not where it waited already. */
  added(depth: number): void;
  /** A worker took a key, which had waited for so many seconds. */
  taken(depth: number, waited: number): void;
  /** The work on a key took so many seconds. */
  worked(seconds: number, failed: boolean): void;
}

/** What every controller is created with. */
export interface ControllerContext extends Environment {
  readonly client: ApiClient;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
}

/** A controller acts while its process leads: `run` resolves when the signal is aborted and all its work has ended. */
export interface Controller {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}
