/** The API client of controllers inside a replica: calls the verbs of requests, without HTTP. */
import { controllerManager } from '../authz/bootstrap/bootstrap-bindings.ts';
import { deepCopy, type JsonObject } from '../base/json.ts';
import { unlessAborted } from '../base/pause.ts';
import { SharedSlice, Slice } from '../base/cooperate.ts';
import { eachInTurn } from '../base/each-in-turn.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { smallBodyBytes } from '../codec/limits.ts';
import { decodeStoredInSlices } from '../codec/stored.ts';
import { metadataList } from '../controllers/metadata-list.ts';
import type { WorkLeft } from '../controllers/work-left.ts';
import type {
  ApiClient,
  DeleteRequest,
  MetadataList,
  MetadataListing,
  MetadataReading,
  MetadataWatch,
  ObjectListing,
  ObjectRef,
  ResourceRef,
} from '../controllers/types.ts';
import { GrownWrite } from '../meta/grown-write.ts';
import { isObjectNotFound } from '../meta/object-errors.ts';
import type { ApiObject } from '../meta/object.ts';
import { asApiObject, asJson } from '../meta/object.ts';
import { StatusError, unknownResource } from '../meta/status.ts';
import { groupAuthenticated, type UserInfo } from '../meta/user.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { decodeEntry, withRevision } from '../registry/written-entry.ts';
import { everything } from '../registry/read/list-options.ts';
import { addressOf } from '../registry/scope-keys.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs, ServedGroup } from '../registry/types.ts';
import { sizeOf } from '../storage/size.ts';
import type { Entry } from '../storage/types.ts';
import { EventMetadata, metadataOf } from './event-metadata.ts';
import { metadataObject, MetadataSink } from './metadata-sink.ts';
import { ListingInformers } from './listing-informers.ts';
import { mayCreate } from '../registry/write/own-writes.ts';
import type { ObjectWrite, WritesElsewhere } from '../registry/writes-elsewhere.ts';

export interface InProcessClientOptions {
  readonly verbs: ResourceVerbs;
  readonly catalogue: () => ResourceCatalogue;
  /** Of the emulated release. */
  readonly minorVersion: number;
  /** Writes large objects; absent: all are written here. */
  readonly writesElsewhere?: WritesElsewhere | undefined;
}

/** The same user and roles as of controllers in a separate process. */
export const controllerUser: UserInfo = {
  name: controllerManager,
  uid: '',
  groups: [groupAuthenticated],
  extra: {},
};

export interface LocalApiClient extends ApiClient {
  /** Which informers list, and do not watch yet: as they begin, or as their watch was ended by a change of much at once. */
  listing(): Iterable<WorkLeft>;
}

type OpenWatch = Awaited<ReturnType<ResourceVerbs['watch']>>;

export function createInProcessClient(options: InProcessClientOptions): LocalApiClient {
  return new InProcessClient(options);
}

class InProcessClient implements LocalApiClient {
  private readonly verbs: ResourceVerbs;
  private readonly catalogue: () => ResourceCatalogue;
  private readonly minor: number;
  private readonly writesElsewhere: WritesElsewhere | undefined;
  private readonly events = new EventMetadata();
  private readonly informers = new ListingInformers();
  private discovered:
    { readonly groups: readonly ServedGroup[]; readonly resources: readonly ResourceRef[] } | undefined;
  /** Dozens of informers list at once when a replica starts: together they have one slice of a turn. */
  private readonly slice = new SharedSlice();

  constructor({ verbs, catalogue, minorVersion, writesElsewhere }: InProcessClientOptions) {
    this.verbs = verbs;
    this.writesElsewhere = writesElsewhere;
    this.catalogue = catalogue;
    this.minor = minorVersion;
  }

  minorVersion(): Promise<number> {
    return Promise.resolve(this.minor);
  }

  listing(): Iterable<WorkLeft> {
    return this.informers.left();
  }

  async discover(): Promise<readonly ResourceRef[]> {
    const groups = this.catalogue().groups();
    if (this.discovered?.groups === groups) return this.discovered.resources;
    const resources = await preferredResources(groups);
    this.discovered = { groups, resources };
    return resources;
  }

  async get(ref: ObjectRef, signal: AbortSignal): Promise<ApiObject | undefined> {
    const scope = this.scope(ref.resource, ref.namespace, signal);
    try {
      const reading = this.verbs.get(scope, ref.name, { resourceVersion: '' });
      return await this.answered(scope, await unlessAborted(reading, signal));
    } catch (error) {
      if (isObjectNotFound(error, addressOf(scope, ref.name))) return undefined;
      throw error;
    }
  }

  async eachObject(
    resource: ResourceRef,
    { namespace, onItem }: ObjectListing,
    signal: AbortSignal,
  ): Promise<void> {
    const scope = this.scope(resource, namespace, signal);
    const { entries } = await unlessAborted(this.verbs.list(scope, everything), signal);
    const read = (entry: Entry): MaybePromise<void> => whenReady(this.answered(scope, entry), onItem);
    await this.eachEntry(entries, read, signal);
  }

  async count(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<number> {
    const list = this.verbs.list(this.scope(resource, namespace, signal), { ...everything, asStored: true });
    return (await unlessAborted(list, signal)).entries.length;
  }

  listMetadata(
    resource: ResourceRef,
    namespace: string,
    signal: AbortSignal,
    reading: MetadataReading = {},
  ): Promise<MetadataList> {
    return metadataList((onItem) => this.eachMetadata(resource, { ...reading, namespace, onItem }, signal));
  }

  eachMetadata(resource: ResourceRef, listing: MetadataListing, signal: AbortSignal): Promise<string> {
    const { namespace = '', fieldSelector = '', onItem } = listing;
    return this.asInformer(resource, listing, signal, async () => {
      const scope = this.scope(resource, namespace, signal);
      const list = this.verbs.list(scope, { ...everything, fieldSelector });
      const { entries, revision } = await unlessAborted(list, signal);
      const read = (entry: Entry): MaybePromise<void> =>
        whenReady(metadataOf(entry, this.slice), (metadata) =>
          onItem(metadataObject(scope.resource, metadata)),
        );
      await this.eachEntry(entries, read, signal);
      return String(revision);
    });
  }

  newestVersion(resource: ResourceRef, reading: MetadataReading, signal: AbortSignal): Promise<string> {
    const { fieldSelector = '' } = reading;
    const first = { ...everything, fieldSelector, limit: 1, counts: false };
    return this.asInformer(resource, reading, signal, async () => {
      const list = this.verbs.list(this.scope(resource, '', signal), first);
      return String((await unlessAborted(list, signal)).revision);
    });
  }

  /** A list of an informer, which goes on to watch unless this fails. */
  private async asInformer<T>(
    resource: ResourceRef,
    reading: MetadataReading,
    signal: AbortSignal,
    list: () => Promise<T>,
  ): Promise<T> {
    this.informers.begin(resource, reading, signal);
    try {
      return await list();
    } catch (error) {
      this.informers.end(reading);
      throw error;
    }
  }

  async watchMetadata(resource: ResourceRef, watch: MetadataWatch, signal: AbortSignal): Promise<void> {
    try {
      const { sink, handle } = await this.openWatch(resource, watch, signal);
      this.informers.end(watch);
      await endOf(sink, handle, signal);
    } catch (error) {
      if (isExpired(error)) this.informers.beginAgain(resource, watch, signal);
      else this.informers.end(watch);
      throw error;
    }
  }

  private async openWatch(
    resource: ResourceRef,
    watch: MetadataWatch,
    signal: AbortSignal,
  ): Promise<{ readonly sink: MetadataSink; readonly handle: OpenWatch }> {
    const scope = this.scope(resource, '', signal);
    const sink = new MetadataSink(scope.resource, this.events, watch);
    const query = {
      ...{
        labelSelector: '',
        fieldSelector: watch.fieldSelector ?? '',
        resourceVersionMatch: '',
        name: '',
        sendInitialEvents: undefined,
      },
      resourceVersion: watch.resourceVersion,
      allowWatchBookmarks: true,
    };
    const opening = this.verbs.watch(scope, query, sink);
    // If stopped during the start, the watch is closed once it has started.
    opening.then((late) => signal.aborted && late.close()).catch(() => undefined);
    return { sink, handle: await unlessAborted(opening, signal) };
  }

  async create(
    resource: ResourceRef,
    namespace: string,
    object: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    const scope = await this.writeScope(resource, namespace, signal);
    const { entry } = await unlessAborted(this.verbs.create(scope, '', asJson(object)), signal);
    return this.answered(scope, entry);
  }

  async update(
    ref: ObjectRef,
    object: ApiObject,
    subresource: string,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    const scope = { ...(await this.writeScope(ref.resource, ref.namespace, signal)), subresource };
    const write = { operation: 'replace', object: asJson(object) } as const;
    // What moves begins with the object as it was given.
    const entry = await this.written(scope, ref.name, write, (own) =>
      this.verbs.replace(own, ref.name, deepCopy(asJson(object))),
    );
    return this.answered(scope, entry);
  }

  async patch(ref: ObjectRef, patch: JsonObject, signal: AbortSignal): Promise<ApiObject> {
    const scope = await this.writeScope(ref.resource, ref.namespace, signal);
    const merge = (current: JsonObject): JsonObject => applyMergePatch(current, patch);
    const write = { operation: 'patch', object: patch } as const;
    const entry = await this.written(scope, ref.name, write, (own) => this.verbs.patch(own, ref.name, merge));
    return this.answered(scope, entry);
  }

  async delete(ref: ObjectRef, request: DeleteRequest, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = request;
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    const scope = await this.writeScope(ref.resource, ref.namespace, signal);
    const deletion = { gracePeriodSeconds, orphanDependents: undefined, propagationPolicy, preconditions };
    await this.written(scope, ref.name, { operation: 'delete', deletion }, (own) =>
      this.verbs.delete(own, ref.name, deletion),
    );
  }

  async deleteCollection(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<void> {
    const background = {
      gracePeriodSeconds: undefined,
      orphanDependents: undefined,
      propagationPolicy: 'Background',
      preconditions: undefined,
    } as const;
    const scope = await this.writeScope(resource, namespace, signal);
    const elsewhere = this.writesElsewhere?.deletions(background);
    await unlessAborted(this.verbs.deleteCollection(scope, everything, background, elsewhere), signal);
  }

  /**
   * Large objects are written elsewhere. What is not found there is asked for here: only an error of this thread says
   * whether the object itself is missing, or what admission asked for. Small ones move there if they take long: by the bounds
   * of this thread, rules of a custom resource could refuse by chance what they let pass for clients.
   */
  private async written(
    scope: RequestScope,
    name: string,
    write: ObjectWrite,
    here: (scope: RequestScope) => Promise<{ readonly entry: Entry }>,
  ): Promise<Entry> {
    const { writesElsewhere } = this;
    const { signal } = scope;
    let own = scope;
    try {
      const elsewhere = writesElsewhere?.write(scope, name, write);
      if (elsewhere) return await unlessAborted(elsewhere, signal);
      if (writesElsewhere) own = { ...scope, growth: 'moves' };
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
    try {
      return (await unlessAborted(here(own), signal)).entry;
    } catch (error) {
      if (!(error instanceof GrownWrite) || !writesElsewhere) throw error;
      return unlessAborted(writesElsewhere.grown(scope, name, write), signal);
    }
  }

  /** An object as it is answered; large ones are parsed in slices, for workers ask for several at once. */
  private answered(scope: RequestScope, entry: Entry): MaybePromise<ApiObject> {
    return sizeOf(entry) <= smallBodyBytes ? answered(scope, entry) : this.answeredInSlices(scope, entry);
  }

  private async answeredInSlices(scope: RequestScope, entry: Entry): Promise<ApiObject> {
    const { slice } = this;
    const breathe = (): MaybePromise<void> => (slice.shouldYield() ? slice.yieldNow() : undefined);
    await breathe();
    const stored = await decodeStoredInSlices(entry.bytes, breathe);
    return asApiObject(scope.resource.conversion.fromInternal(withRevision(stored, entry.modRevision)));
  }

  /** Reads entries in slices. */
  private eachEntry(
    entries: Iterable<Entry>,
    read: (entry: Entry) => MaybePromise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    return eachInTurn(entries, read, { slice: this.slice, signal, bytesOf: sizeOf });
  }

  /** The definition is read before, in slices if it is large, as for requests. */
  private async writeScope(ref: ResourceRef, namespace: string, signal: AbortSignal): Promise<RequestScope> {
    const scope = this.scope(ref, namespace, signal);
    await scope.resource.prepare?.();
    return scope;
  }

  private scope(ref: ResourceRef, namespace: string, signal: AbortSignal): RequestScope {
    const resource = this.catalogue().resource(ref.group, ref.version, ref.resource);
    if (!resource) throw unknownResource();
    return {
      ...{ resource, namespace, user: controllerUser, signal },
      ...{
        subresource: '',
        dryRun: false,
        fieldManager: 'controllers',
        assertMayCreate: mayCreate,
        warn: () => undefined,
      },
    };
  }
}

/**
 * Every resource once, in slices, in its preferred version; with webhook conversion in the storage version, as controllers only
 * read metadata and should not wait for a webhook.
 */
async function preferredResources(groups: readonly ServedGroup[]): Promise<ResourceRef[]> {
  const found = new Map<string, ResourceRef>();
  const slice = new Slice();
  for (const { versions } of groups) {
    if (slice.shouldYield()) await slice.yieldNow();
    for (const resource of versions.flatMap((v) => v.resources)) {
      const { gvr, gvk, namespaced, definition } = resource;
      const key = resource.storage.collection;
      const isCheapest = resource.conversion.stored && gvk.version === resource.storage.gvk.version;
      if (definition.virtual === true || (found.has(key) && !isCheapest)) continue;
      found.set(key, { ...gvr, kind: gvk.kind, namespaced, verbs: definition.verbs });
    }
  }
  return [...found.values()];
}

/** Resolves when a watch has ended, by itself or by the signal. @throws what ended it */
async function endOf(sink: MetadataSink, handle: OpenWatch, signal: AbortSignal): Promise<void> {
  const stop = (): void => sink.end();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await sink.ended;
  } finally {
    signal.removeEventListener('abort', stop);
    handle.close();
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof StatusError && error.code === 410;
}

function answered(scope: RequestScope, entry: Entry): ApiObject {
  return asApiObject(scope.resource.conversion.fromInternal(decodeEntry(entry)));
}
