/** A client of a control plane for tests: objects in, objects out, by kind and name. */
import { ApiError, type ApiStatus } from './api-error.ts';
import {
  aBoolean,
  anything,
  aSignal,
  aText,
  isObject,
  isText,
  judge,
  judgeOptions,
  that,
  type Checks,
} from './judge.ts';
import { ResourcePaths } from './resource-paths.ts';
import { Transport, type ApiRequest, type TransportOptions } from './transport.ts';
import { kindOf, referenceOf } from './references.ts';
import type { ApiObject, KindReference, ObjectLike, ObjectList, WatchEvent } from './objects.ts';

export interface ListOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
}

export interface WatchOptions extends ListOptions {
  readonly signal?: AbortSignal;
}

export interface ApplyOptions {
  /** Default `test`. */
  readonly fieldManager?: string;
  readonly force?: boolean;
}

const listChecks: Checks<ListOptions> = {
  namespace: aText,
  labelSelector: aText,
  fieldSelector: aText,
  resourceVersion: aText,
};

const isPath = (value: unknown): boolean => typeof value === 'string' && value.startsWith('/');
const requestChecks: Checks<ApiRequest> = {
  ...{ method: aText, path: aText, body: anything },
  ...{ contentType: aText, signal: aSignal },
};

export class ApiClient {
  readonly #transport: Transport;
  readonly #paths: ResourcePaths;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
    this.#paths = new ResourcePaths(this.#transport);
  }

  /** Sends a request as it is. @returns the answer: parsed if it is JSON, otherwise its text @throws ApiError */
  async request(asked: ApiRequest): Promise<unknown> {
    judgeOptions('request', asked, requestChecks);
    judge('request', asked.method, that('a method such as GET', isText));
    judge('request', asked.path, that('a path such as /version', isPath));
    return this.#transport.send(asked);
  }

  /** @throws ApiError, such as one with reason `NotFound` */
  async get<T = ApiObject>(about: ObjectLike): Promise<T> {
    return (await this.#transport.send({ method: 'GET', path: await this.#object(about) })) as T;
  }

  /** As `get`, but undefined if there is no such object. @throws ApiError for other refusals */
  async find<T = ApiObject>(about: ObjectLike): Promise<T | undefined> {
    const { apiVersion, kind, metadata } = referenceOf(about);
    const fieldSelector = `metadata.name=${metadata.name}`;
    const list = await this.list<T>({ apiVersion, kind }, { namespace: namespaceOf(about), fieldSelector });
    return list.items[0];
  }

  /** Lists carry no kind in their items; this adds it. @throws ApiError */
  async list<T = ApiObject>(about: KindReference, options: ListOptions = {}): Promise<ObjectList<T>> {
    judgeOptions('list', options, listChecks);
    const path = await this.#query(about, options);
    const list = (await this.#transport.send({ method: 'GET', path })) as ObjectList<object>;
    const { apiVersion, kind } = about;
    return { ...list, items: list.items.map((item) => ({ apiVersion, kind, ...item }) as T) };
  }

  /** @throws ApiError, such as one with reason `AlreadyExists` or `Invalid` */
  async create<T extends ObjectLike>(object: T): Promise<T> {
    const about = kindOf(object);
    const path = await this.#paths.collection(about, namespaceOf(object));
    return (await this.#transport.send({ method: 'POST', path, body: object })) as T;
  }

  /** Replaces an object; with a `resourceVersion` only that one. @throws ApiError, such as one with reason `Conflict` */
  async update<T extends ObjectLike>(object: T): Promise<T> {
    const path = await this.#object(object);
    return (await this.#transport.send({ method: 'PUT', path, body: object })) as T;
  }

  /** Replaces the status of an object. @throws ApiError */
  async updateStatus<T extends ObjectLike>(object: T): Promise<T> {
    const path = `${await this.#object(object)}/status`;
    return (await this.#transport.send({ method: 'PUT', path, body: object })) as T;
  }

  /** Patches by JSON Merge Patch (RFC 7386). @throws ApiError */
  async patch<T = ApiObject>(about: ObjectLike, patch: object): Promise<T> {
    judge('patch', patch, that('the patch as an object', isObject));
    const path = await this.#object(about);
    const contentType = 'application/merge-patch+json';
    return (await this.#transport.send({ method: 'PATCH', path, body: patch, contentType })) as T;
  }

  /** Applies on the server side (KEP-555). @throws ApiError, such as one with reason `Conflict` */
  async apply<T extends ObjectLike>(object: T, options: ApplyOptions = {}): Promise<T> {
    judgeOptions('apply', options, { fieldManager: aText, force: aBoolean });
    const { fieldManager = 'test', force = false } = options;
    const query = new URLSearchParams({ fieldManager, force: String(force) });
    const path = `${await this.#object(object)}?${String(query)}`;
    const contentType = 'application/apply-patch+yaml';
    return (await this.#transport.send({ method: 'PATCH', path, body: object, contentType })) as T;
  }

  /** @throws ApiError, such as one with reason `NotFound` */
  async delete(about: ObjectLike, options: object = {}): Promise<void> {
    judge('delete', options, that('DeleteOptions as an object', isObject));
    await this.#transport.send({ method: 'DELETE', path: await this.#object(about), body: options });
  }

  /**
   * Events until the signal, the caller or the service ends them.
   * @throws ApiError, such as one with reason `Expired`: list again
   */
  async *watch<T = ApiObject>(
    about: KindReference,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    judgeOptions('watch', options, { ...listChecks, signal: aSignal });
    const { signal, ...asked } = options;
    const path = await this.#query(about, { ...asked, watch: 'true' });
    try {
      for await (const line of this.#transport.lines({ method: 'GET', path, ...(signal && { signal }) }))
        yield eventOf<T>(line, path);
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  }

  /** Ends idle connections; the control plane calls it when it stops. */
  close(): void {
    this.#transport.close();
  }

  async #object(about: ObjectLike): Promise<string> {
    const { metadata, ...kind } = referenceOf(about);
    const path = await this.#paths.collection(kind, namespaceOf(about));
    return `${path}/${encodeURIComponent(metadata.name)}`;
  }

  async #query(
    about: KindReference,
    { namespace = '', ...options }: ListOptions & { readonly watch?: string },
  ): Promise<string> {
    const given = Object.entries<string | undefined>(options).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    const path = await this.#paths.collection(kindOf(about), namespace);
    return given.length === 0 ? path : `${path}?${String(new URLSearchParams(given))}`;
  }
}

function namespaceOf({ metadata }: ObjectLike): string {
  return metadata?.namespace ?? 'default';
}

function eventOf<T>(line: string, path: string): WatchEvent<T> {
  const event = JSON.parse(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: ApiStatus };
  if (event.type === 'ERROR') throw new ApiError(`watch ${path}`, event.object);
  return event;
}
