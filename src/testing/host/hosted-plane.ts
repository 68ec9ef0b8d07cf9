/** A control plane in this thread: a replica over an etcd in memory. */
import { systemEnvironment, type Environment } from '../../base/environment.ts';
import { pause } from '../../base/pause.ts';
import { StartError } from '../../base/start-error.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { MemoryEtcd, type EtcdSnapshot } from '../../memory-etcd/memory-etcd.ts';
import { createLogger, levelOfVerbosity } from '../../observe/log.ts';
import { completeConfig, type CompletedConfig } from '../../options/complete-config.ts';
import { configFromFlags } from '../../options/config-from-flags.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import { credentialsOf } from '../../server/credentials-of.ts';
import { startReplica, type ServingReplica } from '../../server/replica.ts';
import { checkFlagNames } from './flag-names.ts';
import { isObjectKey } from './object-keys.ts';
import { LogTail } from './log-tail.ts';
import { KeptState } from './kept-state.ts';
import type { SaveOrder, StartOrder } from './protocol.ts';
import { changesOf, type Changes } from '../state/differences.ts';
import { readState, writeState, type StateSource } from '../state/state-file.ts';
import { isUnderWay, Rest, type RestParts } from './rest.ts';
import { VirtualClock } from './virtual-clock.ts';
import { accountsExist } from './accounts-exist.ts';

/** What etcd in memory takes: objects of any size that the service takes. */
const largestRequestBytes = 16 * 1024 * 1024;

/** How long what became due may be at work after the clock was moved. */
const longestWorkMs = 10_000;

/** Any collection: a fresh read of it waits for all of the view. */
const probed = 'core/namespaces';

export class HostedPlane {
  readonly #config: CompletedConfig;
  readonly #ground: Ground;
  readonly #rest: Rest;
  readonly #state: KeptState;
  /** What `readable` states are compared with: what every control plane has. */
  readonly #beginning: EtcdSnapshot;
  readonly #owned: AsyncDisposableStack;
  readonly #log: LogTail;
  #credentials: Credentials;
  readonly #serving: ServingReplica;

  private constructor(parts: {
    config: CompletedConfig;
    ground: Ground;
    owned: AsyncDisposableStack;
    log: LogTail;
    credentials: Credentials;
    serving: ServingReplica;
  }) {
    this.#config = parts.config;
    this.#ground = parts.ground;
    this.#owned = parts.owned;
    this.#log = parts.log;
    this.#credentials = parts.credentials;
    this.#serving = parts.serving;
    this.#state = new KeptState(parts.ground.etcd, parts.config.etcd.prefix);
    this.#beginning = parts.ground.beginning ?? parts.ground.etcd.snapshot();
    this.#rest = new Rest(restParts(parts.ground, parts.serving));
  }

  /**
   * Resolves when it serves and its controllers have made what every namespace has.
   * @param ground absent: an empty etcd
   * @throws StartError with all faults of the flags, or if the port cannot be used
   */
  static async start(order: StartOrder, ground = newGround(order)): Promise<HostedPlane> {
    const { etcd, environment } = ground;
    const config = await configOf(order.flags);
    const credentials = { ...credentialsOf(config.files, order.pki), tokens: order.tokens };
    const log = new LogTail(order.printsLog ? process.stderr : undefined);
    const { clock } = environment;
    const logger = createLogger({
      ...{ clock, level: levelOfVerbosity(config.verbosity), format: config.logFormat, destination: log },
    });
    const owned = new AsyncDisposableStack();
    owned.defer(() => etcd.close());
    const { signal } = new AbortController();
    try {
      const serving = await startReplica(config, {
        ...{ credentials, logger, signal, owned, environment },
        etcd: { endpoints: ['http://memory:2379'], overrides: [] },
        connectLine: etcd.connectLine,
      });
      await accountsExist(config, serving.replica, (ms) => pause(clock, ms, signal));
      return new HostedPlane({ config, ground, owned, log, credentials, serving });
    } catch (error) {
      await owned.disposeAsync();
      throw error;
    }
  }

  get port(): number {
    return this.#serving.port;
  }

  logs(after?: number): string {
    return this.#log.text(after);
  }

  get logPosition(): number {
    return this.#log.position;
  }

  useTokens(tokens: Credentials['tokens']): void {
    this.#credentials = { ...this.#credentials, tokens };
    this.#serving.use(this.#credentials);
  }

  snapshot(): EtcdSnapshot {
    return this.#ground.etcd.snapshot();
  }

  /** Resolves when the replica has seen it. @returns how many keys changed */
  async rewind(snapshot: EtcdSnapshot): Promise<number> {
    const changed = this.#ground.etcd.rewind(snapshot, isObjectKey(this.#config.etcd.prefix));
    await caughtUp(this.#serving);
    return changed;
  }

  /** Writes a state, or the present one, to a file. @throws TypeError for other extensions */
  save(of = this.snapshot(), { path, ...options }: SaveOrder): Promise<void> {
    return writeState(path, this.#state.entries(of), { ...this.#source(), ...options });
  }

  /** Brings the objects to the state in a file, as `rewind`. @throws Error that names the file */
  async load(path: string): Promise<number> {
    const changed = this.#state.replace(await readState(path, this.#source()));
    await caughtUp(this.#serving);
    return changed;
  }

  /** What has changed since a state. */
  changes(since: EtcdSnapshot): Changes {
    return changesOf(this.#state.differences(since));
  }

  #source(): StateSource {
    const { naming, catalogue } = this.#serving.replica;
    const resources = catalogue
      .groups()
      .flatMap(({ versions }) => versions.flatMap((version) => version.resources));
    const collections = resources.map(({ gvk, storage }) => [
      `${apiVersionOf(gvk)} ${gvk.kind}`,
      storage.collection,
    ]);
    return {
      naming: naming.name,
      beginning: this.#state.entries(this.#beginning),
      collections: Object.fromEntries(collections) as Record<string, string>,
    };
  }

  /** What goes on from a state of this one, at the same time. */
  forked(snapshot = this.snapshot()): Ground {
    const { virtual } = this.#ground;
    return { ...groundOf(virtual && new VirtualClock(virtual.offset), snapshot), beginning: this.#beginning };
  }

  /** How far its clock is ahead of that of the machine, in milliseconds. */
  get offsetMs(): number {
    return this.#ground.virtual?.offset ?? 0;
  }

  /**
   * Moves the clock forward; resolves when all that became due has been done.
   * @returns how far it is ahead of that of the machine
   * @throws Error if it has the clock of the machine, or does not come to rest
   */
  async advance(ms: number): Promise<number> {
    const { virtual } = this.#ground;
    if (virtual === undefined)
      throw new Error("the control plane has the time of the machine: start it with `clock: 'virtual'`");
    await virtual.advance(ms, this.#rest.quiet);
    const left = await this.#rest.settled(longestWorkMs, isUnderWay);
    if (left?.length !== 0) throw new Error(`the control plane is still at work: ${namesOf(left)}`);
    return virtual.offset;
  }

  /** Waits until controllers have no work left. @returns as `Rest.settled` */
  settled(timeoutMs: number): Promise<readonly WorkLeft[] | undefined> {
    return this.#rest.settled(timeoutMs);
  }

  async stop(): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

/** What a replica stands on. */
interface Ground {
  readonly etcd: MemoryEtcd;
  readonly environment: Environment;
  /** Absent: it has the time of the machine. */
  readonly virtual: VirtualClock | undefined;
  /** Of the control plane that it goes on from. */
  readonly beginning?: EtcdSnapshot;
}

function newGround({ hasVirtualClock }: StartOrder): Ground {
  return groundOf(hasVirtualClock ? new VirtualClock() : undefined);
}

function groundOf(virtual: VirtualClock | undefined, snapshot?: EtcdSnapshot): Ground {
  const environment = virtual ? { ...systemEnvironment, clock: virtual } : systemEnvironment;
  const etcd = new MemoryEtcd({ ...environment, maxRequestBytes: largestRequestBytes }, snapshot);
  return { etcd, environment, virtual };
}

function restParts({ etcd, virtual }: Ground, serving: ServingReplica): RestParts {
  const { controllerWork, storage } = serving.replica;
  return {
    activity: () => etcd.activity + controllerWork.changes + (virtual?.activity ?? 0),
    undelivered: () => storage.stats().undelivered,
    left: () => controllerWork.left(),
    lookNow: () => {
      controllerWork.lookNow();
    },
    caughtUp: () => caughtUp(serving),
  };
}

/** Resolves when the replica has seen the newest revision. */
async function caughtUp({ replica }: ServingReplica): Promise<void> {
  const { signal } = new AbortController();
  await replica.storage.snapshot(probed, { kind: 'mostRecent' }, signal);
}

function namesOf(left: readonly WorkLeft[] | undefined): string {
  if (left === undefined) return 'objects change all the time';
  return left.map(({ queue, key }) => `${queue} with ${key}`).join(', ');
}

/** @throws StartError with all faults at once */
async function configOf(flags: FlagTexts): Promise<CompletedConfig> {
  checkFlagNames(flags);
  const { config, errors } = await configFromFlags(flags);
  const { completed, errors: fileErrors } = await completeConfig(config);
  const all = [...errors, ...fileErrors];
  if (all.length > 0) throw new StartError(all);
  return completed;
}
