/** An informer of the official JavaScript client that checks what it is given: no version of an object, or of a list, goes back. */
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  type Informer,
  type ObjectCache,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';

export interface InformerAccess {
  readonly url: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Follows the config maps of a namespace for good, as a controller would. */
export class VersionInformer {
  /** Versions that were older than one seen before, and deletions told of nothing. */
  readonly errors: string[] = [];
  /** How often it began with a list. */
  lists = 0;
  readonly #informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;
  /** The greatest version of each object, by its name. */
  readonly #newest = new Map<string, bigint>();
  #listed = 0n;
  #isStopped = false;

  private constructor(access: InformerAccess, namespace: string) {
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: 'test', server: access.url, caFile: access.caFile, skipTLSVerify: false },
      { name: 'admin', certFile: access.certFile, keyFile: access.keyFile },
    );
    const core = config.makeApiClient(CoreV1Api);
    const list = async (): ReturnType<CoreV1Api['listNamespacedConfigMap']> => {
      const found = await core.listNamespacedConfigMap({ namespace });
      this.lists += 1;
      this.#noteList(BigInt(found.metadata?.resourceVersion ?? 0));
      return found;
    };
    this.#informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
    for (const verb of ['add', 'update'] as const) this.#informer.on(verb, (object) => this.#note(object));
    this.#informer.on('error', () => void this.#again());
  }

  static async start(access: InformerAccess, namespace: string): Promise<VersionInformer> {
    const started = new VersionInformer(access, namespace);
    await started.#informer.start();
    return started;
  }

  /** What it holds: the data of each object by its name. */
  state(): Record<string, Record<string, string> | undefined> {
    return Object.fromEntries(
      this.#informer.list().map(({ metadata, data }) => [metadata?.name ?? '', data]),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#informer.stop();
  }

  #note({ metadata }: V1ConfigMap): void {
    const [name, version] = [metadata?.name ?? '', BigInt(metadata?.resourceVersion ?? 0)];
    const newest = this.#newest.get(name) ?? 0n;
    if (version < newest) this.errors.push(`${name} went back from ${newest} to ${version}`);
    this.#newest.set(name, version);
  }

  #noteList(version: bigint): void {
    if (version < this.#listed) this.errors.push(`the list went back from ${this.#listed} to ${version}`);
    this.#listed = version;
  }

  /** It goes on from the version that it had, as the client's documentation says. */
  async #again(): Promise<void> {
    await delay(100);
    if (!this.#isStopped) await this.#informer.start();
  }
}
