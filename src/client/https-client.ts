/** The API client of controllers over HTTPS, for controllers in a separate process. */
import { SharedSlice } from '../base/cooperate.ts';
import { eachInTurn } from '../base/each-in-turn.ts';
import type { Environment } from '../base/environment.ts';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { LongAnswerError } from '../base/long-answer.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { timeLimit } from '../base/time-limit.ts';
import { maxStoredBytes } from '../codec/limits.ts';
import { namespaces } from '../controllers/core-resources.ts';
import { metadataList } from '../controllers/metadata-list.ts';
import { bytesOfOwners } from '../controllers/owner-bytes.ts';
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
import { parseApiVersion } from '../meta/gvk.ts';
import { metaGroup, type NamingProfile } from '../meta/naming.ts';
import {
  isObjectNotFound,
  ObjectAlreadyExists,
  ObjectNotFound,
  type ObjectAddress,
} from '../meta/object-errors.ts';
import { asApiObject, asJson, type ApiObject } from '../meta/object.ts';
import { StatusError } from '../meta/status.ts';
import { asStatusError, type ApiRequest, type ApiTransport } from '../webhook/api-transport.ts';
import { metadataOf } from './received-metadata.ts';
import { completeResources, listResources, rootPath } from './resource-lists.ts';

/** Chunk size of lists, so that neither side holds a large response in memory. */
const chunk = 500;

/** Bytes of a page of whole objects; any object fits. Parsed they take six times as much. */
const longestObjects = 2 * maxStoredBytes;

/** Lists that are taken in at once, as dozens are when controllers start, together have one slice of a turn. */
const listed = new SharedSlice();

export interface HttpsClientTimes {
  /** Timeout of a request. */
  readonly requestMs: number;
  /**
   * Minimum timeout of a watch; each lasts up to twice as long, so that not all restart at once (as in client-go).
   */
  readonly watchMs: number;
}

export interface HttpsClientLimits {
  readonly times?: HttpsClientTimes;
  /** Bytes of a page of a list; a longer one is asked for in smaller pages. Absent: those of the transport. */
  readonly longestPage?: number;
  /** Objects of a list. Absent: as many as there are. */
  readonly mostItems?: number;
}

const defaultTimes: HttpsClientTimes = { requestMs: 60_000, watchMs: 300_000 };
/** How long a server may exceed the timeout of a watch. */
const watchGraceMs = 30_000;

export function createHttpsClient(
  environment: Environment,
  transport: ApiTransport,
  naming: NamingProfile,
  limits: HttpsClientLimits = {},
): ApiClient {
  return new HttpsClient(environment, transport, naming, limits);
}

interface Collection {
  readonly path: string;
  readonly query: string;
  readonly accept?: string;
  /** Bytes of a page. */
  readonly longest?: number;
}

class HttpsClient implements ApiClient {
  private readonly environment: Environment;
  private readonly transport: ApiTransport;
  private readonly limits: HttpsClientLimits;
  private readonly times: HttpsClientTimes;
  private readonly metadataAs: (kind: string) => string;

  constructor(
    environment: Environment,
    transport: ApiTransport,
    naming: NamingProfile,
    limits: HttpsClientLimits,
  ) {
    this.environment = environment;
    this.transport = transport;
    this.limits = limits;
    this.times = limits.times ?? defaultTimes;
    // Servers that cannot show metadata alone send whole objects.
    this.metadataAs = (kind) => `application/json;as=${kind};g=${metaGroup(naming)};v=v1,application/json`;
  }

  async minorVersion(signal: AbortSignal): Promise<number> {
    const version = await this.json({ method: 'GET', path: '/version' }, signal);
    // Some distributions write `24+`.
    const minor = Number.parseInt(text(version['minor']), 10);
    if (!Number.isInteger(minor)) throw new Error('the response of /version has no minor version');
    return minor;
  }

  async discover(signal: AbortSignal): Promise<readonly ResourceRef[]> {
    const groups = await this.json({ method: 'GET', path: '/apis' }, signal);
    const versions = objects(groups['groups']).flatMap((g) => objects(g['versions']));
    const named = versions.map((version) => parseApiVersion(text(version['groupVersion'])));
    const all = [{ group: '', version: 'v1' }, ...named.filter((version) => version !== undefined)];
    const ask = (path: string): Promise<JsonObject> => this.json({ method: 'GET', path }, signal);
    return completeResources(await listResources(all, (version) => ask(rootPath(version))));
  }

  async get(ref: ObjectRef, signal: AbortSignal): Promise<ApiObject | undefined> {
    try {
      const found = await this.object(ref, { method: 'GET', path: pathOf(ref) }, signal);
      if (!isObject(found.metadata)) throw new Error('the response is no object');
      return found;
    } catch (error) {
      if (isObjectNotFound(error, ref)) return undefined;
      throw error;
    }
  }

  private async json(request: ApiRequest, signal: AbortSignal, longest?: number): Promise<JsonObject> {
    using limit = timeLimit(this.environment.clock, this.times.requestMs, signal);
    return await this.transport.json(request, limit.signal, longest);
  }

  /**
   * An object from a response.
   * @throws ObjectMissing, ObjectExists, StatusError
   */
  private async object(ref: ObjectRef, request: ApiRequest, signal: AbortSignal): Promise<ApiObject> {
    try {
      return asApiObject(await this.json(request, signal));
    } catch (error) {
      throw aboutObject(error, ref);
    }
  }

  async eachObject(
    resource: ResourceRef,
    { namespace, onItem }: ObjectListing,
    signal: AbortSignal,
  ): Promise<void> {
    const path = collectionPath(resource, namespace);
    const handle = (item: JsonObject): MaybePromise<void> => onItem(asApiObject(item));
    for await (const page of this.pages({ path, query: '', longest: longestObjects }, signal))
      await eachInTurn(page.items, handle, { slice: listed, signal });
  }

  async count(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<number> {
    let count = 0;
    await this.eachMetadata(resource, { namespace, onItem: () => void (count += 1) }, signal);
    return count;
  }

  listMetadata(
    resource: ResourceRef,
    namespace: string,
    signal: AbortSignal,
    { fieldSelector = '' }: MetadataReading = {},
  ): Promise<MetadataList> {
    return metadataList((onItem) =>
      this.eachMetadata(resource, { namespace, fieldSelector, onItem }, signal),
    );
  }

  async eachMetadata(
    resource: ResourceRef,
    { namespace = '', fieldSelector = '', onItem }: MetadataListing,
    signal: AbortSignal,
  ): Promise<string> {
    const accept = this.metadataAs('PartialObjectMetadataList');
    const path = collectionPath(resource, namespace);
    const handle = (item: JsonObject): void => onItem(typed(resource, item));
    const bytesOf = (item: JsonObject): number => bytesOfOwners(object(item['metadata'])['ownerReferences']);
    let version = '';
    for await (const page of this.pages({ path, query: selecting(fieldSelector), accept }, signal)) {
      await eachInTurn(page.items, handle, { slice: listed, signal, bytesOf });
      version = page.resourceVersion;
    }
    return version;
  }

  async newestVersion(
    resource: ResourceRef,
    { fieldSelector = '' }: MetadataReading,
    signal: AbortSignal,
  ): Promise<string> {
    const accept = this.metadataAs('PartialObjectMetadataList');
    const path = `${collectionPath(resource, '')}?limit=1${selecting(fieldSelector)}`;
    const list = await this.json({ method: 'GET', path, accept }, signal, this.limits.longestPage);
    return text(object(list['metadata'])['resourceVersion']);
  }

  /** @throws Error for a list without an end */
  private async *pages(
    { path, query, accept = 'application/json', longest = Infinity }: Collection,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly items: JsonObject[]; readonly resourceVersion: string }> {
    const { longestPage = Infinity, mostItems = Infinity } = this.limits;
    const most = Math.min(longestPage, longest);
    let limit = chunk;
    let count = 0;
    for (let next = ''; ;) {
      const rest = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
      const request = {
        method: 'GET',
        path: `${path}?limit=${String(limit)}${query}${rest}`,
        accept,
      } as const;
      const list = await this.json(request, signal, most).catch((error: unknown) => {
        if (!(error instanceof LongAnswerError) || limit === 1) throw error;
        return undefined;
      });
      if (!list) {
        limit = Math.ceil(limit / 10);
        continue;
      }
      const items = objects(list['items']);
      const { continue: token, resourceVersion } = object(list['metadata']);
      next = text(token);
      count += items.length;
      yield { items, resourceVersion: text(resourceVersion) };
      if (next === '') return;
      if (items.length === 0) throw new Error('the list continues after a page without objects');
      if (count > mostItems) throw new Error(`the list has more than ${String(mostItems)} objects`);
    }
  }

  async watchMetadata(resource: ResourceRef, watch: MetadataWatch, signal: AbortSignal): Promise<void> {
    const version = encodeURIComponent(watch.resourceVersion);
    const lastingMs = Math.ceil(this.times.watchMs * (1 + this.environment.random.number()));
    const timeout = `timeoutSeconds=${String(Math.ceil(lastingMs / 1_000))}`;
    const query = `?watch=1&allowWatchBookmarks=true&${timeout}&resourceVersion=${version}`;
    const path = collectionPath(resource, '') + query + selecting(watch.fieldSelector ?? '');
    const accept = this.metadataAs('PartialObjectMetadata');
    // A dead server does not end the watch.
    using limit = timeLimit(this.environment.clock, lastingMs + watchGraceMs, signal);
    for await (const event of this.transport.lines({ method: 'GET', path, accept }, limit.signal)) {
      deliver(resource, event, watch);
    }
  }

  async create(
    resource: ResourceRef,
    namespace: string,
    body: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    const path = collectionPath(resource, namespace);
    const ref = { resource, namespace, name: body.metadata.name ?? '' };
    return this.object(ref, { method: 'POST', path, body: asJson(body) }, signal);
  }

  async update(
    ref: ObjectRef,
    body: ApiObject,
    subresource: string,
    signal: AbortSignal,
  ): Promise<ApiObject> {
    const path = subresource === '' ? pathOf(ref) : `${pathOf(ref)}/${subresource}`;
    return this.object(ref, { method: 'PUT', path, body: asJson(body) }, signal);
  }

  async patch(ref: ObjectRef, body: JsonObject, signal: AbortSignal): Promise<ApiObject> {
    const contentType = 'application/merge-patch+json';
    return this.object(ref, { method: 'PATCH', path: pathOf(ref), body, contentType }, signal);
  }

  async delete(ref: ObjectRef, request: DeleteRequest, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = request;
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    const body = deleteOptions({
      preconditions,
      ...(propagationPolicy && { propagationPolicy }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    });
    await this.object(ref, { method: 'DELETE', path: pathOf(ref), body }, signal);
  }

  async deleteCollection(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<void> {
    const body = deleteOptions({ propagationPolicy: 'Background' });
    await this.json({ method: 'DELETE', path: collectionPath(resource, namespace), body }, signal);
  }
}

/** Converts a Status about this object or its namespace to a typed error; others are unchanged. */
function aboutObject(error: unknown, object: ObjectAddress): unknown {
  if (!(error instanceof StatusError)) return error;
  const { code, reason, status } = error;
  const { name, kind, group = '' } = status.details ?? {};
  const isOf = ({ resource, name: own }: ObjectAddress): boolean =>
    name === own && kind === resource.resource && group === resource.group;
  const home = { resource: namespaces, namespace: '', name: object.namespace };
  if (code === 404 && isOf(object)) return new ObjectNotFound(object);
  if (code === 404 && isOf(home)) return new ObjectNotFound(home);
  return code === 409 && reason === 'AlreadyExists' && isOf(object) ? new ObjectAlreadyExists(object) : error;
}

function selecting(fieldSelector: string): string {
  return fieldSelector === '' ? '' : `&fieldSelector=${encodeURIComponent(fieldSelector)}`;
}

function deleteOptions(options: JsonObject): JsonObject {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
}

function collectionPath({ group, version, resource }: ResourceRef, namespace: string): string {
  const root = rootPath({ group, version });
  return namespace === ''
    ? `${root}/${resource}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

function pathOf({ resource, namespace, name }: ObjectRef): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** Restores kind and apiVersion of an object, as partial metadata has its own kind. */
function typed({ group, version, kind }: ResourceRef, item: JsonObject): ApiObject {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return asApiObject({ apiVersion, kind, metadata: metadataOf(object(item['metadata'])) });
}

/** @throws StatusError for an ERROR event */
function deliver(resource: ResourceRef, event: JsonObject, watch: MetadataWatch): void {
  const received = object(event['object']);
  const type = text(event['type']);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      watch.onEvent({ type, object: typed(resource, received) });
      return;
    case 'BOOKMARK':
      watch.onProgress(text(object(received['metadata'])['resourceVersion']));
      return;
    default:
      throw asStatusError(
        typeof received['code'] === 'number' ? received['code'] : 500,
        received,
        'the watch failed',
      );
  }
}

function object(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
