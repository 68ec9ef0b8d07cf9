/** Where kinds are served, as discovery tells. */
import { ApiError } from './api-error.ts';
import type { KindReference } from './objects.ts';
import type { Transport } from './transport.ts';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface ResourceList {
  readonly resources: readonly Resource[];
}

/** Finds the path of a kind; asks once for each version, and again for a kind that is not there yet. */
export class ResourcePaths {
  readonly #transport: Transport;
  readonly #known = new Map<string, readonly Resource[]>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The path of the collection, in a namespace if the kind has them (`''`: all). @throws Error if it is not served */
  async collection(about: KindReference, namespace: string): Promise<string> {
    const { name, namespaced } = await this.#find(about);
    const within = namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return `${rootOf(about.apiVersion)}${within}/${name}`;
  }

  async #find({ apiVersion, kind }: KindReference): Promise<Resource> {
    const isIt = (resource: Resource): boolean => resource.kind === kind && !resource.name.includes('/');
    const known = this.#known.get(apiVersion)?.find(isIt);
    if (known !== undefined) return known;
    const resources = await this.#ask(apiVersion);
    this.#known.set(apiVersion, resources);
    const found = resources.find(isIt);
    if (found === undefined)
      throw new Error(`no kind ${kind} is served in ${apiVersion}: is its definition installed?`);
    return found;
  }

  /** What a version serves; nothing for one that is not there. */
  async #ask(apiVersion: string): Promise<readonly Resource[]> {
    const path = rootOf(apiVersion);
    try {
      return ((await this.#transport.send({ method: 'GET', path })) as ResourceList).resources;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return [];
      throw error;
    }
  }
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
