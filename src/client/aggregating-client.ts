/**
 * The API client of controllers inside a replica that aggregates: group versions of other servers are asked there, all
 * others in process.
 *
 *   controller ─▶ aggregating client ─┬─ group version served here ──▶ in-process client
 *                                     └─ of another server ─▶ HTTPS client ─▶ its server, as the aggregator asks it
 */
import type { Environment } from '../base/environment.ts';
import type { JsonObject } from '../base/json.ts';
import { joinedSignals } from '../base/joined-signals.ts';
import { timeLimit } from '../base/time-limit.ts';
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
import type { GroupVersion } from '../meta/gvk.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import { expired } from '../meta/status.ts';
import type { ApiTransport } from '../webhook/api-transport.ts';
import type { ApiPlaces } from './api-places.ts';
import { createHttpsClient, type HttpsClientLimits } from './https-client.ts';
import { completeResources, listResources, rootPath } from './resource-lists.ts';

export interface AggregatingClientOptions extends Environment {
  /** For what this replica serves. */
  readonly local: ApiClient;
  readonly places: ApiPlaces;
  readonly naming: NamingProfile;
}

/** Discovery must not wait for a server that is slow. */
const discoveryMs = 5_000;
/** Bytes of an APIResourceList, which is parsed in one step. */
const longestList = 512 * 1024;
/** Other servers are strangers: a page is parsed in one step, and what controllers know of objects stays in memory. */
const limits: HttpsClientLimits = { longestPage: 2 * 1024 * 1024, mostItems: 100_000 };

export function createAggregatingClient(options: AggregatingClientOptions): ApiClient {
  return new AggregatingClient(options);
}

class AggregatingClient implements ApiClient {
  readonly #options: AggregatingClientOptions;
  readonly #clients = new WeakMap<ApiTransport, ApiClient>();

  constructor(options: AggregatingClientOptions) {
    this.#options = options;
  }

  /** The servers are asked each time: what they serve may change, and a namespace must not go before its content. */
  async discover(signal: AbortSignal): Promise<readonly ResourceRef[]> {
    const { local, places } = this.#options;
    const here = await local.discover(signal);
    const remote = places.remote();
    if (remote.length === 0) return here;
    const own = here.filter(({ group, version }) => places.of(group, version).transport === undefined);
    const { resources, failures } = await listResources(remote, (version) => this.#list(version, signal));
    return completeResources({ resources: [...own, ...resources], failures });
  }

  async #list(version: GroupVersion, signal: AbortSignal): Promise<JsonObject> {
    const { transport, moved } = this.#options.places.of(version.group, version.version);
    // It came back meanwhile: what is served here is known the next time.
    if (!transport) throw expired('the group version has moved');
    using limit = timeLimit(this.#options.clock, discoveryMs, signal, moved);
    return await transport.json({ method: 'GET', path: rootPath(version) }, limit.signal, longestList);
  }

  minorVersion(signal: AbortSignal): Promise<number> {
    return this.#options.local.minorVersion(signal);
  }

  get(ref: ObjectRef, signal: AbortSignal): Promise<ApiObject | undefined> {
    return this.#for(ref.resource).get(ref, signal);
  }

  eachObject(resource: ResourceRef, listing: ObjectListing, signal: AbortSignal): Promise<void> {
    return this.#for(resource).eachObject(resource, listing, signal);
  }

  count(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<number> {
    return this.#for(resource).count(resource, namespace, signal);
  }

  listMetadata(
    resource: ResourceRef,
    namespace: string,
    signal: AbortSignal,
    reading?: MetadataReading,
  ): Promise<MetadataList> {
    return this.#for(resource).listMetadata(resource, namespace, signal, reading);
  }

  eachMetadata(resource: ResourceRef, listing: MetadataListing, signal: AbortSignal): Promise<string> {
    return this.#for(resource).eachMetadata(resource, listing, signal);
  }

  newestVersion(resource: ResourceRef, reading: MetadataReading, signal: AbortSignal): Promise<string> {
    return this.#for(resource).newestVersion(resource, reading, signal);
  }

  /** @throws StatusError 410 when another server takes over, whose versions and objects are others */
  async watchMetadata(resource: ResourceRef, watch: MetadataWatch, signal: AbortSignal): Promise<void> {
    const { moved } = this.#options.places.of(resource.group, resource.version);
    using stopping = joinedSignals(signal, moved);
    try {
      await this.#for(resource).watchMetadata(resource, watch, stopping.signal);
    } catch (error) {
      if (!moved.aborted) throw error;
    }
    if (moved.aborted && !signal.aborted) throw expired('another server serves the group version now');
  }

  create(
    resource: ResourceRef,
    namespace: string,
    object: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    return this.#for(resource).create(resource, namespace, object, signal);
  }

  update(ref: ObjectRef, object: ApiObject, subresource: string, signal: AbortSignal): Promise<ApiObject> {
    return this.#for(ref.resource).update(ref, object, subresource, signal);
  }

  patch(ref: ObjectRef, patch: JsonObject, signal: AbortSignal): Promise<ApiObject> {
    return this.#for(ref.resource).patch(ref, patch, signal);
  }

  delete(ref: ObjectRef, request: DeleteRequest, signal: AbortSignal): Promise<void> {
    return this.#for(ref.resource).delete(ref, request, signal);
  }

  deleteCollection(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<void> {
    return this.#for(resource).deleteCollection(resource, namespace, signal);
  }

  #for({ group, version }: ResourceRef): ApiClient {
    const { local, places, naming } = this.#options;
    const { transport } = places.of(group, version);
    if (!transport) return local;
    const client =
      this.#clients.get(transport) ?? createHttpsClient(this.#options, transport, naming, limits);
    this.#clients.set(transport, client);
    return client;
  }
}
