/** An API in memory for controllers: objects by resource, watches that tell of every change. */
import { SharedSlice } from '../../src/base/cooperate.ts';
import { eachInTurn } from '../../src/base/each-in-turn.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { isObject } from '../../src/base/json.ts';
import { apiVersionOf } from '../../src/meta/gvk.ts';
import type { ApiObject, OwnerReference } from '../../src/meta/object.ts';
import { ObjectAlreadyExists, ObjectNotFound } from '../../src/meta/object-errors.ts';
import { conflict, expired, StatusError } from '../../src/meta/status.ts';
import {
  IncompleteDiscovery,
  type ApiClient,
  type DeleteRequest,
  type MetadataEvent,
  type MetadataList,
  type MetadataListing,
  type MetadataWatch,
  type ObjectListing,
  type ObjectRef,
  type ResourceRef,
} from '../../src/controllers/types.ts';

const listed = new SharedSlice();

export function resourceRef(kind: string, options: Partial<ResourceRef> = {}): ResourceRef {
  const resource = `${kind.toLowerCase()}s`;
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
  return { group: '', version: 'v1', resource, kind, namespaced: true, verbs, ...options };
}

interface Watching {
  readonly resource: string;
  readonly watch: MetadataWatch;
  /** Ends the stream, with an error if there is one. */
  readonly end: (error?: Error) => void;
}

export class FakeApiClient implements ApiClient {
  resources: readonly ResourceRef[];
  /** The release that it says it has. */
  minor = 21;
  /** How often somebody asked what is served. */
  discoveries = 0;
  /** How often somebody began to watch. */
  watchesBegun = 0;
  /** Resources whose lists fail. */
  readonly unlistable = new Set<ResourceRef>();
  /** Resources of which nobody can delete all, whatever their verbs. */
  readonly withoutCollections = new Set<ResourceRef>();
  /** Resources whose lists are never answered. */
  readonly silent = new Set<ResourceRef>();
  /** Groups that discovery cannot ask. */
  unknownGroups: readonly string[] = [];
  /** Plurals of resources whose objects go only when they are deleted without grace. */
  readonly graceful = new Set<string>();
  /** Of which somebody listed metadata. */
  readonly listed: string[] = [];
  /** Of which somebody read the whole objects. */
  readonly walked: string[] = [];
  /** Of which somebody asked how many there are. */
  readonly counted: string[] = [];
  /** Watches end as soon as they begin. */
  endsWatches = false;
  /** Every deletion that was asked for, in words. */
  readonly deletions: string[] = [];
  /** Every object that was replaced, as it was then written. */
  readonly updates: ApiObject[] = [];
  readonly #objects = new Map<string, ApiObject>();
  readonly #watches = new Set<Watching>();
  #version = 0;

  constructor(resources: readonly ResourceRef[]) {
    this.resources = resources;
  }

  /** Puts an object there as some other client would. Its uid is its name unless `uid` says otherwise. */
  put(
    resource: ResourceRef,
    namespace: string,
    name: string,
    more: Partial<ApiObject['metadata']> = {},
  ): void {
    const ref = { resource, namespace, name };
    const before = this.#objects.get(keyOf(ref));
    const metadata = {
      uid: name,
      ...before?.metadata,
      ...more,
      name,
      ...(namespace !== '' && { namespace }),
    };
    const object = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
    this.#store(ref, object, before === undefined ? 'ADDED' : 'MODIFIED');
  }

  /** True when somebody hears of changes. */
  isWatched(resource: ResourceRef): boolean {
    return [...this.#watches].some((watching) => watching.resource === nameOf(resource));
  }

  names(resource: ResourceRef): string[] {
    return [...this.#objects]
      .filter(([key]) => key.startsWith(`${nameOf(resource)}/`))
      .map(([, o]) => o.metadata.name ?? '');
  }

  object(resource: ResourceRef, namespace: string, name: string): ApiObject | undefined {
    return this.#objects.get(keyOf({ resource, namespace, name }));
  }

  all(resource: ResourceRef): ApiObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${nameOf(resource)}/`)).map(([, o]) => o);
  }

  minorVersion(): Promise<number> {
    return Promise.resolve(this.minor);
  }

  discover(): Promise<readonly ResourceRef[]> {
    this.discoveries += 1;
    if (this.unknownGroups.length === 0) return Promise.resolve(this.resources);
    const failures = new Map(this.unknownGroups.map((group) => [`${group}/v1`, new Error('no answer')]));
    const known = this.resources.filter(({ group }) => !this.unknownGroups.includes(group));
    return Promise.reject(new IncompleteDiscovery(known, failures));
  }

  get(ref: ObjectRef): Promise<ApiObject | undefined> {
    return Promise.resolve(this.#objects.get(keyOf(ref)));
  }

  eachObject(resource: ResourceRef, { onItem }: ObjectListing, signal: AbortSignal): Promise<void> {
    this.walked.push(resource.resource);
    return eachInTurn(this.all(resource), onItem, { slice: listed, signal });
  }

  count(resource: ResourceRef): Promise<number> {
    this.counted.push(resource.resource);
    return Promise.resolve(this.all(resource).length);
  }

  listMetadata(resource: ResourceRef, _namespace: string, signal: AbortSignal): Promise<MetadataList> {
    this.listed.push(resource.resource);
    if (this.silent.has(resource)) return aborted(signal);
    if (this.unlistable.has(resource))
      return Promise.reject(new StatusError(500, 'InternalError', 'no list'));
    return Promise.resolve({ resourceVersion: String(this.#version), items: this.all(resource) });
  }

  async eachMetadata(
    resource: ResourceRef,
    { onItem }: MetadataListing,
    signal: AbortSignal,
  ): Promise<string> {
    const { items, resourceVersion } = await this.listMetadata(resource, '', signal);
    await eachInTurn(items, onItem, { slice: listed, signal });
    return resourceVersion;
  }

  newestVersion(): Promise<string> {
    return Promise.resolve(String(this.#version));
  }

  watchMetadata(resource: ResourceRef, watch: MetadataWatch, signal: AbortSignal): Promise<void> {
    this.watchesBegun += 1;
    if (this.endsWatches) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        this.#watches.delete(watching);
        if (error) reject(error);
        else resolve();
      };
      const watching = { resource: nameOf(resource), watch, end };
      this.#watches.add(watching);
      signal.addEventListener('abort', () => end());
    });
  }

  /** Ends every watch as a service does that has lost its history. Nothing is told of until they begin again. */
  loseHistory(): void {
    for (const { end } of [...this.#watches]) end(expired('history is lost'));
  }

  create(resource: ResourceRef, namespace: string, object: ApiObject): Promise<ApiObject> {
    const ref = { resource, namespace, name: object.metadata.name ?? '' };
    if (this.#objects.has(keyOf(ref))) {
      return Promise.reject(new ObjectAlreadyExists(ref));
    }
    return Promise.resolve(this.#store(ref, object, 'ADDED'));
  }

  async update(ref: ObjectRef, object: ApiObject): Promise<ApiObject> {
    this.#assertVersion(ref, this.#found(ref), object.metadata.resourceVersion);
    this.updates.push(object);
    return Promise.resolve(this.#store(ref, object, 'MODIFIED'));
  }

  async patch(ref: ObjectRef, patch: JsonObject): Promise<ApiObject> {
    const object = this.#found(ref);
    const change = isObject(patch['metadata']) ? patch['metadata'] : {};
    this.#assertVersion(ref, object, change['resourceVersion'] as string | undefined);
    const metadata = { ...object.metadata, ...(change as ApiObject['metadata']) };
    return Promise.resolve(this.#store(ref, { ...object, metadata }, 'MODIFIED'));
  }

  async delete(ref: ObjectRef, request: DeleteRequest): Promise<void> {
    const object = this.#found(ref);
    this.#assertVersion(ref, object, request.resourceVersion);
    this.deletions.push(`${ref.resource.kind} ${ref.name} ${request.propagationPolicy ?? ''}`.trim());
    if (this.graceful.has(ref.resource.resource) && request.gracePeriodSeconds !== 0) {
      const metadata = { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
      this.#store(ref, { ...object, metadata: { ...metadata, deletionGracePeriodSeconds: 30 } }, 'MODIFIED');
      return Promise.resolve();
    }
    this.remove(ref.resource, ref.namespace, ref.name);
    return Promise.resolve();
  }

  deleteCollection(resource: ResourceRef, namespace: string): Promise<void> {
    if (this.withoutCollections.has(resource))
      return Promise.reject(new StatusError(405, 'MethodNotAllowed', 'not supported'));
    this.deletions.push(`all ${resource.resource}`);
    for (const { metadata } of this.all(resource)) this.remove(resource, namespace, metadata.name ?? '');
    return Promise.resolve();
  }

  remove(resource: ResourceRef, namespace: string, name: string): void {
    const ref = { resource, namespace, name };
    const object = this.#found(ref);
    this.#objects.delete(keyOf(ref));
    this.#tell(resource, { type: 'DELETED', object });
  }

  #found(ref: ObjectRef): ApiObject {
    const object = this.#objects.get(keyOf(ref));
    if (!object) throw new ObjectNotFound(ref);
    return object;
  }

  #assertVersion(ref: ObjectRef, { metadata }: ApiObject, version: string | undefined): void {
    if (version !== undefined && version !== metadata.resourceVersion) {
      throw conflict(ref.resource, ref.name, 'the object has been modified');
    }
  }

  #store(ref: ObjectRef, object: ApiObject, type: 'ADDED' | 'MODIFIED'): ApiObject {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#objects.set(keyOf(ref), stored);
    this.#tell(ref.resource, { type, object: stored });
    return stored;
  }

  #tell(resource: ResourceRef, event: MetadataEvent): void {
    for (const { resource: watched, watch } of this.#watches)
      if (watched === nameOf(resource)) watch.onEvent(event);
  }
}

/** Rejects when the signal is given. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

export function ownerOf(
  resource: ResourceRef,
  name: string,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid: name, ...more };
}

function nameOf({ group, resource }: ResourceRef): string {
  return `${group}/${resource}`;
}

function keyOf({ resource, namespace, name }: ObjectRef): string {
  return `${nameOf(resource)}/${namespace}/${name}`;
}
