/**
 * A controller over @kubernetes/client-node that keeps one copy of every config map with label `mirror`, and ways to
 * write it wrong.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  ApiException,
  CoreV1Api,
  V1ConfigMap,
  V1ObjectMeta,
  Watch,
  type KubeConfig,
} from '@kubernetes/client-node';

export type Defect =
  /** A conflict counts as done. */
  | 'ignores conflicts'
  /** After 410 it asks for the same version again. */
  | 'never lists again'
  /** What its cache lacks is missing, also when the cache is behind. */
  | 'trusts its cache'
  /** An error of a write is logged, and forgotten. */
  | 'never tries again';

const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
export const copyLabel = 'copy-of';
const pauseMs = 5;

export class MirrorController {
  readonly #core: CoreV1Api;
  readonly #watch: Watch;
  readonly #defect: Defect | undefined;
  readonly #signal: AbortSignal;
  readonly #cache = new Map<string, V1ConfigMap>();
  readonly #queue = new Set<string>();
  #wake: () => void = () => undefined;
  #version = '';

  constructor(config: KubeConfig, signal: AbortSignal, defect?: Defect) {
    this.#core = config.makeApiClient(CoreV1Api);
    this.#watch = new Watch(config);
    this.#signal = signal;
    this.#defect = defect;
    signal.addEventListener('abort', () => this.#wake());
  }

  /** Until the signal. */
  async run(): Promise<void> {
    await Promise.all([this.#follow(), this.#work()]);
  }

  async #follow(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        if (this.#version === '') await this.#list();
        await this.#watchOnce();
      } catch (error) {
        if (codeOf(error) === 410 && this.#defect !== 'never lists again') this.#version = '';
        await delay(pauseMs);
      }
    }
  }

  async #list(): Promise<void> {
    const isStale = this.#defect === 'trusts its cache';
    const list = await this.#core.listNamespacedConfigMap({
      namespace,
      ...(isStale && { resourceVersion: '0' }),
    });
    const known = new Set([...this.#cache.keys()]);
    this.#cache.clear();
    for (const item of list.items) this.#cache.set(String(item.metadata?.name), item);
    // Sources may be gone whose copies are still there.
    const copied = list.items.flatMap(({ metadata }) => metadata?.labels?.[copyLabel] ?? []);
    for (const name of [...known, ...this.#cache.keys(), ...copied]) this.#add(name);
    this.#version = String(list.metadata?.resourceVersion);
  }

  async #watchOnce(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const done = (error: unknown): void => (error ? reject(error) : resolve(undefined));
    const hear = (type: string, object: V1ConfigMap & { code?: number }): void => {
      if (type === 'ERROR') reject({ code: object.code });
      else this.#hear(type, object);
    };
    const open = await this.#watch.watch(path, { resourceVersion: this.#version }, hear, done);
    const abort = (): void => open.abort();
    this.#signal.addEventListener('abort', abort);
    if (this.#signal.aborted) abort();
    try {
      await promise;
    } finally {
      this.#signal.removeEventListener('abort', abort);
    }
  }

  #hear(type: string, object: V1ConfigMap): void {
    const name = String(object.metadata?.name);
    this.#version = String(object.metadata?.resourceVersion);
    if (type === 'DELETED') this.#cache.delete(name);
    else this.#cache.set(name, object);
    this.#add(name);
  }

  #add(name: string): void {
    this.#queue.add(name);
    this.#wake();
  }

  async #work(): Promise<void> {
    while (!this.#signal.aborted) {
      const [name] = this.#queue;
      if (name === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      this.#queue.delete(name);
      await this.#reconcile(name).catch(async (error: unknown) => {
        const isIgnored = this.#defect === 'ignores conflicts' && codeOf(error) === 409;
        if (isIgnored || this.#defect === 'never tries again') return;
        await delay(pauseMs);
        this.#add(name);
      });
    }
  }

  async #reconcile(name: string): Promise<void> {
    const source = this.#cache.get(name);
    if (source === undefined) return this.#remove(name);
    if (source.metadata?.labels?.['mirror'] === undefined) return;
    const copy = await this.#copyOf(name);
    const level = source.data?.['level'] ?? '';
    if (copy === undefined) await this.#create(name, level);
    else if (copy.data?.['level'] !== level) {
      copy.data = { level };
      await this.#core.replaceNamespacedConfigMap({
        namespace,
        name: String(copy.metadata?.name),
        body: copy,
      });
    }
  }

  async #copyOf(name: string): Promise<V1ConfigMap | undefined> {
    if (this.#defect === 'trusts its cache')
      return [...this.#cache.values()].find(({ metadata }) => metadata?.labels?.[copyLabel] === name);
    return this.#core.readNamespacedConfigMap({ namespace, name: `${name}-copy` }).catch(unlessMissing);
  }

  async #create(name: string, level: string): Promise<void> {
    const named =
      this.#defect === 'trusts its cache' ? { generateName: `${name}-copy-` } : { name: `${name}-copy` };
    const body = new V1ConfigMap();
    body.metadata = Object.assign(new V1ObjectMeta(), named, { labels: { [copyLabel]: name } });
    body.data = { level };
    await this.#core.createNamespacedConfigMap({ namespace, body });
  }

  async #remove(name: string): Promise<void> {
    const copy = await this.#copyOf(name);
    if (copy?.metadata?.labels?.[copyLabel] !== name) return;
    await this.#core
      .deleteNamespacedConfigMap({ namespace, name: String(copy.metadata.name) })
      .catch(unlessMissing);
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 404) throw error;
  return undefined;
}

function codeOf(error: unknown): number | undefined {
  if (error instanceof ApiException) return error.code;
  const { code, statusCode } = (error ?? {}) as { code?: number; statusCode?: number };
  return code ?? statusCode;
}
