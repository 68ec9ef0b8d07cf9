/** The API client of controllers over HTTPS, for controllers in a separate process. */
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { namespaces } from '../controllers/core-resources.ts';
import {
  IncompleteDiscovery,
  type ApiClient,
  type DeleteRequest,
  type MetadataList,
  type MetadataWatch,
  type ObjectRef,
  type ResourceRef,
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
import { asStatusError, type ApiRequest, type HttpsTransport } from '../webhook/https-transport.ts';

/** Chunk size of lists, so that neither side holds a large response in memory. */
const chunk = 500;

export interface HttpsClientTimes {
  /** Timeout of a request. */
  readonly requestMs: number;
  /**
   * Minimum timeout of a watch; each lasts up to twice as long, so that not all restart at once (as in client-go).
   */
  readonly watchMs: number;
}

const defaultTimes: HttpsClientTimes = { requestMs: 60_000, watchMs: 300_000 };
/** How long a server may exceed the timeout of a watch. */
const watchGraceMs = 30_000;

export function createHttpsClient(
  transport: HttpsTransport,
  naming: NamingProfile,
  times: HttpsClientTimes = defaultTimes,
): ApiClient {
  return new HttpsClient(transport, naming, times);
}

class HttpsClient implements ApiClient {
  private readonly transport: HttpsTransport;
  private readonly times: HttpsClientTimes;
  private readonly metadataAs: (kind: string) => string;

  constructor(transport: HttpsTransport, naming: NamingProfile, times: HttpsClientTimes) {
    this.transport = transport;
    this.times = times;
    this.metadataAs = (kind) => `application/json;as=${kind};g=${metaGroup(naming)};v=v1`;
  }

  async discover(signal: AbortSignal): Promise<readonly ResourceRef[]> {
    const groups = await this.json({ method: 'GET', path: '/apis' }, signal);
    const versions = objects(groups['groups']).flatMap((g) => objects(g['versions']));
    const paths = ['/api/v1', ...versions.map((version) => `/apis/${text(version['groupVersion'])}`)];
    const failures = new Map<string, unknown>();
    const list = async (path: string): Promise<JsonObject> => {
      try {
        return await this.json({ method: 'GET', path }, signal);
      } catch (error) {
        // A custom resource may be removed during discovery.
        if (!(error instanceof StatusError) || error.code !== 404) failures.set(groupOf(path), error);
        return {};
      }
    };
    const resources = onePerResource((await Promise.all(paths.map(list))).flatMap(resourcesOf));
    if (failures.size > 0) throw new IncompleteDiscovery(resources, failures);
    return resources;
  }

  async get(ref: ObjectRef, signal: AbortSignal): Promise<ApiObject | undefined> {
    try {
      return await this.object(ref, { method: 'GET', path: pathOf(ref) }, signal);
    } catch (error) {
      if (isObjectNotFound(error, ref)) return undefined;
      throw error;
    }
  }

  private json(request: ApiRequest, signal: AbortSignal): Promise<JsonObject> {
    return this.transport.json(request, AbortSignal.any([signal, AbortSignal.timeout(this.times.requestMs)]));
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

  async list(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<readonly ApiObject[]> {
    const items: ApiObject[] = [];
    for (let next = ''; ;) {
      const rest = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
      const path = `${collectionPath(resource, namespace)}?limit=${String(chunk)}${rest}`;
      const list = await this.json({ method: 'GET', path }, signal);
      items.push(...objects(list['items']).map(asApiObject));
      next = text(object(list['metadata'])['continue']);
      if (next === '') return items;
    }
  }

  async listMetadata(
    resource: ResourceRef,
    namespace: string,
    signal: AbortSignal,
    fieldSelector = '',
  ): Promise<MetadataList> {
    const selection = selecting(fieldSelector);
    const items: ApiObject[] = [];
    const accept = this.metadataAs('PartialObjectMetadataList');
    for (let next = ''; ;) {
      const rest = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
      const query = `?limit=${String(chunk)}${selection}${rest}`;
      const path = collectionPath(resource, namespace) + query;
      const list = await this.json({ method: 'GET', path, accept }, signal);
      for (const item of objects(list['items'])) items.push(typed(resource, item));
      const { continue: token, resourceVersion } = object(list['metadata']);
      next = text(token);
      if (next === '') return { resourceVersion: text(resourceVersion), items };
    }
  }

  async watchMetadata(resource: ResourceRef, watch: MetadataWatch, signal: AbortSignal): Promise<void> {
    const version = encodeURIComponent(watch.resourceVersion);
    const lastingMs = Math.ceil(this.times.watchMs * (1 + Math.random()));
    const timeout = `timeoutSeconds=${String(Math.ceil(lastingMs / 1_000))}`;
    const query = `?watch=1&allowWatchBookmarks=true&${timeout}&resourceVersion=${version}`;
    const path = collectionPath(resource, '') + query + selecting(watch.fieldSelector ?? '');
    const accept = this.metadataAs('PartialObjectMetadata');
    // A dead server does not end the watch.
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(lastingMs + watchGraceMs)]);
    for await (const event of this.transport.lines({ method: 'GET', path, accept }, deadline)) {
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
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === ''
    ? `${root}/${resource}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

function pathOf({ resource, namespace, name }: ObjectRef): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** '' for the core group, whose paths are short. */
function groupOf(path: string): string {
  const [, , group = '', version] = path.split('/');
  return version === undefined ? '' : group;
}

/** The preferred version of a group is first, but it may lack some resources. */
function onePerResource(resources: readonly ResourceRef[]): ResourceRef[] {
  const found = new Map<string, ResourceRef>();
  for (const resource of resources) {
    const name = `${resource.group}/${resource.resource}`;
    if (!found.has(name)) found.set(name, resource);
  }
  return [...found.values()];
}

function resourcesOf(list: JsonObject): ResourceRef[] {
  const gv = parseApiVersion(text(list['groupVersion']));
  if (!gv) return [];
  return objects(list['resources'])
    .filter((r) => !text(r['name']).includes('/'))
    .map((r) => ({
      ...gv,
      resource: text(r['name']),
      kind: text(r['kind']),
      namespaced: r['namespaced'] === true,
      verbs: Array.isArray(r['verbs']) ? r['verbs'].map(text) : [],
    }));
}

/** Restores kind and apiVersion of an object, as partial metadata has its own kind. */
function typed({ group, version, kind }: ResourceRef, item: JsonObject): ApiObject {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return asApiObject({ apiVersion, kind, metadata: object(item['metadata']) });
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
