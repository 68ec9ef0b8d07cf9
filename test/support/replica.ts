/** Real replicas: the service as a process of its own, over an etcd cluster. */
import { join } from 'node:path';

import { Child } from './child-process.ts';
import { ApiClient } from './client.ts';
import type { EtcdCluster } from './etcd/cluster.ts';
import type { SharedEtcd } from './etcd/shared.ts';
import { isInMemory } from './etcd/memory-cluster.ts';
import { freePort } from './free-port.ts';
import { entryPoint, nodeBinary } from './paths.ts';
import { makeAuthority, type Credential, type TestAuthority } from './pki.ts';
import { workersOf } from './processes.ts';
import { makeTempFolder } from './temp-folder.ts';
import { waitFor } from './wait-for.ts';

export type NamingProfile = 'orch' | 'kubernetes';

/** The certificates that replicas of one service share. */
export interface ServicePki extends AsyncDisposable {
  readonly folder: string;
  readonly authority: TestAuthority;
  readonly server: Credential;
  /** Member of `system:masters`. */
  readonly admin: Credential;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  /** A shared one has a prefix of the suite's own, and is not compacted. */
  readonly etcd: Pick<EtcdCluster, 'endpoints' | 'tls'> | SharedEtcd;
  /** Shared by several replicas; by default each makes its own. The caller closes what it gives. */
  readonly pki?: ServicePki;
  readonly naming?: NamingProfile;
  /** Below this key in etcd; default `/registry`. */
  readonly prefix?: string;
  readonly port?: number;
  /** `--health-check-port`; default none. */
  readonly healthCheckPort?: number;
  /** More flags. */
  readonly args?: readonly string[];
  /** Flags of Node itself, such as `--cpu-prof`. */
  readonly nodeArgs?: readonly string[];
  /** More variables of the environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds until /readyz must answer 200; default 30 s. */
  readonly readyTimeout?: number;
}

/** One certificate authority, a serving certificate for loopback and an administrator. */
export async function makeServicePki(): Promise<ServicePki> {
  const folder = await makeTempFolder('pki');
  const authority = await makeAuthority(folder.path, 'orch service test authority');
  const server = await authority.server('replica');
  const admin = await authority.client({ commonName: 'admin', organizations: ['system:masters'] });
  const close = (): Promise<void> => folder.remove();
  return { folder: folder.path, authority, server, admin, close, [Symbol.asyncDispose]: close };
}

/** Starts a replica and waits until it is ready. Whoever starts it closes it. @throws with its log when it is not */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  if (isInMemory(options.etcd.endpoints))
    return (await import('./memory-replica.ts')).startMemoryReplica(options);
  const ownPki = options.pki === undefined ? await makeServicePki() : undefined;
  const pki = options.pki ?? ownPki;
  if (pki === undefined) throw new Error('no certificates');
  const replica = new Replica(options, pki, options.port ?? (await freePort()), ownPki);
  try {
    await replica.start();
    return replica;
  } catch (error) {
    await replica.close();
    throw error;
  }
}

export class Replica implements AsyncDisposable {
  readonly port: number;
  /** 0 for none. */
  readonly healthCheckPort: number;
  readonly url: string;
  readonly pki: ServicePki;
  readonly naming: NamingProfile;
  /** Speaks as the administrator. */
  readonly admin: ApiClient;
  readonly #options: ReplicaOptions;
  readonly #owned: AsyncDisposable | undefined;
  #child: Child | undefined;
  #logs = '';

  constructor(options: ReplicaOptions, pki: ServicePki, port: number, owned: AsyncDisposable | undefined) {
    this.#options = options;
    this.#owned = owned;
    this.pki = pki;
    this.port = port;
    this.healthCheckPort = options.healthCheckPort ?? 0;
    this.url = `https://127.0.0.1:${port}`;
    this.naming = options.naming ?? 'orch';
    this.admin = this.client(pki.admin);
  }

  /** The id of the process that serves (the first of several workers); 0 while there is none. */
  get pid(): number {
    return workersOf(this.supervisorPid)[0] ?? 0;
  }

  /** The id of the process that was started; 0 while it does not run. */
  get supervisorPid(): number {
    return this.#child?.exit() === undefined ? (this.#child?.pid ?? 0) : 0;
  }

  /** A client with these credentials; none: anonymous. The caller closes it. */
  client(
    credential?: { readonly cert: string; readonly key: string } | { readonly token: string },
  ): ApiClient {
    return new ApiClient({ url: this.url, ca: this.pki.authority.ca, ...credential });
  }

  /** Starts the process and waits until /readyz answers 200; also after `stop` or `kill`, on the same port. */
  async start(): Promise<void> {
    await this.spawn();
    await this.ready();
  }

  /** Starts the process without waiting. */
  async spawn(): Promise<void> {
    this.#logs += this.#child?.output() ?? '';
    this.#child = await Child.start({
      name: `replica at ${this.url}`,
      program: nodeBinary(),
      args: [...(this.#options.nodeArgs ?? []), entryPoint(), 'serve', ...this.#flags()],
      cwd: this.pki.folder,
      ...(this.#options.env && { env: { ...process.env, ...this.#options.env } }),
    });
  }

  /** Waits until /readyz answers 200. @throws with the log when it ends or time is up */
  async ready(): Promise<void> {
    const look = async (): Promise<string | false> => {
      const exit = this.#child?.exit();
      if (exit !== undefined) return `ended with ${exit.code ?? exit.signal ?? ''}`;
      return (await this.admin.get('/readyz')).status === 200 && 'ready';
    };
    const timeout = this.#options.readyTimeout ?? 30_000;
    const state = await waitFor(`${this.url}/readyz`, look, { timeout, details: () => this.logs() });
    if (state !== 'ready') throw new Error(`the replica ${state}:\n${this.logs()}`);
  }

  /** SIGTERM: ends in order. Gives the exit code. */
  async stop(): Promise<number | null> {
    return (await this.#child?.stop(30_000))?.code ?? null;
  }

  /** SIGKILL to all of its processes: ends as its machine would. */
  async kill(): Promise<void> {
    const workers = workersOf(this.supervisorPid);
    this.#child?.signal('SIGKILL');
    for (const pid of workers) send(pid, 'SIGKILL');
    await this.#child?.exited;
  }

  /** Freezes and thaws all of its processes; what ends it is for the supervisor alone. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGINT' | 'SIGTERM'): void {
    if (signal === 'SIGSTOP' || signal === 'SIGCONT')
      for (const pid of workersOf(this.supervisorPid)) send(pid, signal);
    this.#child?.signal(signal);
  }

  /** What it printed, of all its starts. */
  logs(): string {
    return this.#logs + (this.#child?.output() ?? '');
  }

  async close(): Promise<void> {
    this.admin.close();
    await this.stop();
    await this.#owned?.[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #flags(): string[] {
    const { etcd, prefix, args = [] } = this.#options;
    const { server, authority, folder } = this.pki;
    return [
      `--secure-port=${this.port}`,
      `--health-check-port=${this.healthCheckPort}`,
      '--bind-address=127.0.0.1',
      `--tls-cert-file=${server.certFile}`,
      `--tls-private-key-file=${server.keyFile}`,
      `--client-ca-file=${authority.caFile}`,
      `--etcd-servers=${etcd.endpoints.join(',')}`,
      ...etcdTlsFlags(etcd.tls),
      ...(prefix === undefined ? [] : [`--etcd-prefix=${prefix}`]),
      ...('prefix' in etcd ? [`--etcd-prefix=${etcd.prefix}`, '--etcd-compaction-interval=0'] : []),
      `--naming=${this.naming}`,
      `--data-dir=${join(folder, `data-${this.port}`)}`,
      ...args,
    ];
  }
}

function etcdTlsFlags(tls: EtcdCluster['tls']): string[] {
  if (tls === undefined) return [];
  return [`--etcd-cafile=${tls.caFile}`, `--etcd-certfile=${tls.certFile}`, `--etcd-keyfile=${tls.keyFile}`];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}
