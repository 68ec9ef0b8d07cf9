/** A control plane as a test holds it. */
import { resolve } from 'node:path';
import { parseDurationMs } from '../base/duration.ts';
import type { MemoryPki } from '../pki/memory-pki.ts';
import { kubeconfigOf, type Kubeconfig, type KubeconfigUser } from '../pki/kubeconfig.ts';
import { adminClientAgent } from './admin-client-agent.ts';
import { ApiClient } from './api-client.ts';
import { Faults } from './faults.ts';
import type { PlaneId, SnapshotId, StartedPlane, StartOrder } from './host/protocol.ts';
import type { HostThread } from './host-thread.ts';
import {
  aBoolean,
  anything,
  isObject,
  isPort,
  isText,
  judge,
  judgeOptions,
  milliseconds,
  that,
  type Checks,
} from './judge.ts';
import { KubeconfigFiles } from './kubeconfig-file.ts';
import { later } from './later.ts';
import type { ApiObject, ObjectLike } from './objects.ts';
import { portFlag, type ControlPlaneUser } from './options.ts';
import { realNow } from './real-timers.ts';
import { defaultTimeoutMs, SettleTimeout, type SettledOptions } from './settled.ts';
import type { Changes } from './state/differences.ts';
import type { ReadableOptions } from './state/readable-state.ts';
import type { TransportOptions } from './transport.ts';
import { until, type UntilOptions } from './until.ts';
import { withLog } from './with-log.ts';
import { administrator, Users } from './users.ts';

/** A state of the objects of a control plane. It never changes, and can be used any number of times. */
export interface Snapshot {
  readonly plane: number;
  readonly id: number;
}

/** @internal */
export interface ControlPlaneParts {
  readonly host: HostThread;
  readonly pki: MemoryPki;
  readonly users: Users;
  readonly order: Omit<StartOrder, 'tokens'>;
  readonly started: StartedPlane;
  /** How clients reach it, if not at its own address or port. */
  readonly advertised: { readonly address: string | undefined; readonly port: number | undefined };
  /** Errors of waits end with what was logged meanwhile. */
  readonly attachesLog: boolean;
  /** What faults are decided by. */
  readonly seed: number;
}

export interface ForkOptions {
  /** Default 0: a free one, also where that of the original was chosen. */
  readonly port?: number;
  /** Port under which clients reach it, as when ports are mapped. Default: its own. */
  readonly advertisePort?: number;
}

export interface SaveOptions extends ReadableOptions {
  /** Default: the objects as they are now. */
  readonly snapshot?: Snapshot;
}

const aPath = that('the path of a file', (value) => isText(value) && value !== '');
const forkChecks: Checks<ForkOptions> = {
  port: that('a port, or 0 for a free one', (value) => value === 0 || isPort(value)),
  advertisePort: that('a port', isPort),
};

export class ControlPlane implements AsyncDisposable {
  /** `https://127.0.0.1:port`, or what is advertised. */
  readonly url: string;
  readonly port: number;
  /** Certificate of the authority that signed that of the server, PEM. */
  readonly ca: string;
  /** Speaks as the administrator, who may do everything. */
  readonly admin: ApiClient;
  /** Makes go wrong what goes wrong in production. */
  readonly faults: Faults;
  readonly #parts: ControlPlaneParts;
  readonly #plane: PlaneId;
  readonly #clients: ApiClient[] = [];
  readonly #files = new KubeconfigFiles();
  #first: Snapshot;
  #offsetMs: number;

  /** @internal Use `startControlPlane`. */
  constructor(parts: ControlPlaneParts) {
    const { port, plane, first } = parts.started;
    this.#parts = parts;
    this.#plane = plane;
    this.#first = { plane, id: first };
    this.#offsetMs = parts.started.offsetMs;
    this.port = port;
    this.url = urlOf(parts.advertised.address ?? '127.0.0.1', parts.advertised.port ?? port);
    this.ca = parts.pki.ca.certificate;
    this.admin = this.#client(parts.pki.admin, {
      userAgent: adminClientAgent,
      recover: () => parts.host.call('serving', plane),
    });
    this.faults = new Faults(parts.host, plane, parts.seed);
  }

  /** The kubeconfig of the administrator, or of a user, as an object. */
  kubeconfig(user = administrator): Kubeconfig {
    return kubeconfigOf({
      server: this.url,
      ca: this.ca,
      user: { name: user, credentials: this.#credentials(user) },
    });
  }

  /** The kubeconfig as YAML. */
  kubeconfigText(user = administrator): string {
    return later.yaml.dump(this.kubeconfig(user), { lineWidth: -1 });
  }

  /** Writes the kubeconfig to a file that is removed when the control plane stops. @returns its path */
  kubeconfigFile(user = administrator): Promise<string> {
    return this.#files.write(user, this.kubeconfigText(user));
  }

  /**
   * For servers of the test on loopback, such as admission webhooks, PEM: certificate and key of `localhost` and 127.0.0.1,
   * and the authority that goes into their `caBundle`.
   */
  get loopbackTls(): { readonly cert: string; readonly key: string; readonly ca: string } {
    const { certificate: cert, key } = this.#parts.pki.server;
    return { cert, key, ca: this.ca };
  }

  /** Makes the service know one more user. */
  async addUser(user: ControlPlaneUser): Promise<void> {
    const { host, users } = this.#parts;
    users.add(user);
    await host.call('useTokens', this.#plane, users.all());
  }

  /** A client that speaks as a user. @throws Error for a user that the service does not know */
  as(user: string): ApiClient {
    return this.#client(this.#credentials(user));
  }

  /**
   * Waits for a state of an object: `until(pod, (pod) => pod?.status.phase === 'Running')`. What the predicate tells of the
   * type (`found !== undefined`) the result has.
   * @throws UntilTimeout
   */
  until<T = ApiObject, S extends T | undefined = T>(
    about: ObjectLike,
    predicate: (object: T | undefined) => object is S,
    options?: UntilOptions,
  ): Promise<S>;
  until<T = ApiObject>(
    about: ObjectLike,
    predicate: (object: T | undefined) => boolean,
    options?: UntilOptions,
  ): Promise<T | undefined>;
  until<T = ApiObject>(
    about: ObjectLike,
    predicate: (object: T | undefined) => boolean,
    options?: UntilOptions,
  ): Promise<T | undefined> {
    const notes = (): Promise<string> => this.faults.describe();
    // What is no object would not be seen any more behind the spread.
    const all = options === undefined || isObject(options) ? { ...options, notes } : options;
    return this.#withLog(until<T>(this.admin, about, predicate, all));
  }

  /** The time of the control plane. */
  now(): Date {
    return new Date(realNow() + this.#offsetMs);
  }

  /**
   * Moves the time of a control plane with `clock: 'virtual'` forward by a duration such as `1h30m`. Resolves when all that
   * became due has been done.
   * @returns the time of the control plane
   * @throws TypeError for what is no duration; Error without a virtual clock, or if the service does not come to rest
   */
  async advance(duration: string): Promise<Date> {
    const ms = msToAdvance(duration);
    this.#offsetMs = await this.#parts.host.call('advance', this.#plane, ms);
    return this.now();
  }

  /**
   * Resolves when the controllers of the control plane have no work left: all objects are seen, nothing waits, is worked
   * on, is to be tried again or is due within a second. Controllers of the test are not known.
   * @throws SettleTimeout with what is left
   */
  async settled(options: SettledOptions = {}): Promise<void> {
    judgeOptions('settled', options, { timeoutMs: milliseconds });
    const { timeoutMs = defaultTimeoutMs } = options;
    await this.#withLog(this.#settled(timeoutMs));
  }

  /** Keeps the objects as they are now. It takes no time that depends on their number. */
  async snapshot(): Promise<Snapshot> {
    return { plane: this.#plane, id: await this.#parts.host.call('snapshot', this.#plane) };
  }

  /**
   * Brings all objects back to a snapshot, in one revision: versions go on, and watches are told what changes.
   * @returns how many keys of etcd changed
   */
  async restore(snapshot: Snapshot): Promise<number> {
    return this.#parts.host.call('rewind', this.#plane, this.#own(snapshot));
  }

  /** Brings all objects back to what they were after the start, as `restore` does, and clears faults. */
  async reset(): Promise<number> {
    await this.faults.clear();
    return this.restore(this.#first);
  }

  /**
   * Writes the objects, or those of a snapshot, to a file that only its owner reads: as `.yaml` what differs from a control
   * plane that has just begun, to be read and edited; as `.state` (or `.gz`) all of it, byte by byte.
   * @throws Error for other extensions
   */
  async save(path: string, options: SaveOptions = {}): Promise<void> {
    judge('save', path, aPath);
    judgeOptions('save', options, { snapshot: anything, managedFields: aBoolean });
    const { snapshot, ...readable } = options;
    const of = snapshot === undefined ? undefined : this.#own(snapshot);
    await this.#parts.host.call('save', this.#plane, of, { path: resolve(path), ...readable });
  }

  /**
   * Makes all objects those of a file that `save` wrote, in one revision: they keep their UIDs and get new resource
   * versions, watches get events of what changes, and nothing of it is admitted or validated.
   * @returns how many keys of etcd changed
   * @throws Error that names the file and says what is wrong with it
   */
  async load(path: string): Promise<number> {
    judge('load', path, aPath);
    return this.#parts.host.call('load', this.#plane, resolve(path));
  }

  /** What changed since a snapshot, or since the start: as data and as text. */
  async dump(since = this.#first): Promise<Changes> {
    return this.#parts.host.call('changes', this.#plane, this.#own(since));
  }

  /** Another control plane that goes on from the present state, or from a snapshot; the two do not see each other. */
  async fork(snapshot?: Snapshot, options: ForkOptions = {}): Promise<ControlPlane> {
    judgeOptions('fork', options, forkChecks);
    const { port = 0, advertisePort } = options;
    const { host, order, users } = this.#parts;
    const id = snapshot === undefined ? undefined : this.#own(snapshot);
    const flags = { ...order.flags, ...portFlag(port) };
    const started = await host.call('fork', this.#plane, id, { ...order, flags, tokens: users.all() });
    const advertised = { ...this.#parts.advertised, port: advertisePort };
    return new ControlPlane({ ...this.#parts, users: users.copy(), started, advertised });
  }

  /** The last lines of the log of the service, at most 256 KiB. */
  logs(): Promise<string> {
    return this.#parts.host.call('logs', this.#plane);
  }

  /** Stops it and removes what it left; does nothing if it has stopped. */
  async stop(): Promise<void> {
    this.#files.remove();
    for (const client of this.#clients.splice(0)) client.close();
    await this.#parts.host.call('stop', this.#plane);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** @internal What `reset` goes back to, where more was installed than a start makes. */
  async remember(): Promise<void> {
    this.#first = await this.snapshot();
  }

  async #settled(timeoutMs: number): Promise<void> {
    const left = await this.#parts.host.call('settled', this.#plane, timeoutMs);
    if (left?.length !== 0) throw SettleTimeout.of(timeoutMs, left ?? []);
  }

  #withLog<T>(wait: Promise<T>): Promise<T> {
    const { host, attachesLog } = this.#parts;
    if (!attachesLog) return wait;
    return withLog(wait, {
      position: () => host.call('logPosition', this.#plane),
      after: (position) => host.call('logs', this.#plane, position),
    });
  }

  /** @throws Error for one of another control plane; TypeError for what is none, such as a promise of one */
  #own(snapshot: Partial<Snapshot> | null | undefined): SnapshotId {
    const { plane, id } = snapshot ?? {};
    if (typeof id !== 'number')
      throw new TypeError('give a snapshot: what `await controlPlane.snapshot()` gives');
    if (plane !== this.#plane) throw new Error('the snapshot is of another control plane: fork that one');
    return id;
  }

  #credentials(user: string): KubeconfigUser['credentials'] {
    judge('a user', user, that('the name of a user', isText));
    if (user === administrator) return this.#parts.pki.admin;
    const known = this.#parts.users.get(user);
    if (known === undefined)
      throw new Error(`there is no user ${user}: give it in \`users\`, or use \`addUser\``);
    return { token: known.token };
  }

  #client(
    credentials: KubeconfigUser['credentials'],
    more: Pick<TransportOptions, 'userAgent' | 'recover'> = {},
  ): ApiClient {
    const client = new ApiClient({ url: urlOf('127.0.0.1', this.port), ca: this.ca, credentials, ...more });
    this.#clients.push(client);
    return client;
  }
}

/** @param duration what a caller without types gave @throws TypeError */
function msToAdvance(duration: unknown): number {
  const ms = typeof duration === 'string' ? parseDurationMs(duration) : undefined;
  if (ms !== undefined && ms >= 0) return ms;
  const given = typeof duration === 'string' ? JSON.stringify(duration) : String(duration);
  throw new TypeError(`${given} is no duration to advance by: give one such as 90s or 1h30m`);
}

/**
 * @param address a name, or an address that brackets stand around if it is of IPv6: only those have colons. Node's own test
 * compiles a pattern, which takes 6 ms of a first start.
 */
function urlOf(address: string, port: number): string {
  return `https://${address.includes(':') ? `[${address}]` : address}:${String(port)}`;
}
