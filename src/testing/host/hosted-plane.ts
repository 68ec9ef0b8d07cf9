/** A control plane in this thread: a replica over its etcd, with what faults need. */
import type { Environment } from '../../base/environment.ts';
import { pause } from '../../base/pause.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';
import { packAccounts } from '../../authn/packed-accounts.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import { createLogger, levelOfVerbosity, type RootLogger } from '../../observe/log.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import { credentialsOf } from '../../server/credentials-of.ts';
import type { ResourceVerbs } from '../../registry/types.ts';
import { startReplica, type ReplicaParts, type ServingReplica } from '../../server/replica.ts';
import { HeldControllers } from './held-controllers.ts';
import { FaultInjector } from './faults/injector.ts';
import type { FaultTarget } from './faults/fault-target.ts';
import { Lags } from './faults/lags.ts';
import { LaggingReplica } from './faults/lagging-replica.ts';
import { meantResource } from './faults/meant-resource.ts';
import { moveOn, touch } from './faults/other-writer.ts';
import { isObjectKey, otherKeys } from './object-keys.ts';
import type { EtcdState, IncludesKey, PlaneEtcd } from './plane-etcd.ts';
import { timeOf, type Ground } from './ground.ts';
import { configOf } from './plane-config.ts';
import { LogTail } from './log-tail.ts';
import { collectionsOf } from './collections.ts';
import { KeptState } from './kept-state.ts';
import { ownValues } from './process-values.ts';
import type { SaveOrder, StartOrder } from './protocol.ts';
import { changesOf, type Changes } from '../state/differences.ts';
import { readState, writeState, type StateSource } from '../state/state-file.ts';
import { isFromBefore, isUnderWay, namesOf, Rest, type RestParts } from './rest.ts';
import { Restarts } from './restarts.ts';
import { VirtualClock } from './virtual-clock.ts';
import { accountsExist } from './accounts-exist.ts';
import { beginnings, readRoles } from './shared.ts';

/** How long what became due may be at work after the clock was moved. */
const longestWorkMs = 10_000;

/** How long a reset waits for controllers, and how often it takes back what they did meanwhile. */
const longestRestMs = 5_000;
const mostRewinds = 4;

/** A client that waits for it gives up after a minute, and is told why just before. */
const longestRequestMs = 55_000;

/** For answers that have begun when it restarts. */
const restartGraceMs = 500;

/** Any collection: a fresh read of it waits for all of the view. */
const probed = 'core/namespaces';

interface PlaneParts {
  readonly config: CompletedConfig;
  readonly ground: Ground;
  readonly log: LogTail;
  readonly logger: RootLogger;
  readonly credentials: Credentials;
}

export class HostedPlane implements FaultTarget {
  readonly faults: FaultInjector;
  #config: CompletedConfig;
  readonly #ground: Ground;
  readonly #rest: Rest;
  readonly #state: KeptState;
  readonly #isObject: IncludesKey;
  /** What `readable` states are compared with: what every control plane has. */
  #beginning: EtcdState | undefined;
  readonly #log: LogTail;
  readonly #logger: RootLogger;
  #credentials: Credentials;
  readonly #lags = new Lags();
  readonly #lagging: LaggingReplica;
  #owned = new AsyncDisposableStack();
  #served: ServingReplica | undefined;
  /** Of snapshots: what the replica had then. */
  readonly #known = new WeakMap<EtcdState, NonNullable<ReplicaParts['knownState']>>();
  readonly #restarts: Restarts;
  readonly #controllers = new HeldControllers();

  private constructor({ config, ground, log, logger, credentials }: PlaneParts) {
    this.#config = config;
    this.#ground = { ...ground, knownState: undefined, hasBegun: undefined };
    this.#log = log;
    this.#logger = logger;
    this.#credentials = credentials;
    this.#beginning = ground.beginning;
    const { prefix } = config.etcd;
    this.#isObject = isObjectKey(prefix);
    this.#state = new KeptState(ground.etcd, prefix);
    this.#rest = new Rest(restParts(ground, () => this.#serving));
    this.#lagging = new LaggingReplica(config, { ...this.#common(), lags: this.#lags });
    this.faults = new FaultInjector(this);
    this.#restarts = new Restarts({
      clock: ground.environment.clock,
      close: () => this.#close(),
      serve: () => this.#serve(),
    });
  }

  /**
   * Resolves when it serves and its controllers have made what every namespace has. It owns its etcd from now on.
   * @throws StartError with all faults of the flags, or if the port cannot be used
   */
  static async start(order: StartOrder, ground: Ground): Promise<HostedPlane> {
    const { etcd, environment } = ground;
    try {
      const config = await configOf(order.flags, etcd.prefix);
      const credentials = { ...credentialsOf(config.files, order.pki), tokens: packAccounts(order.tokens) };
      const log = new LogTail(order.printsLog ? process.stderr : undefined);
      const about = { level: levelOfVerbosity(config.verbosity), format: config.logFormat };
      const logger = createLogger({ clock: environment.clock, ...about, destination: log });
      const plane = new HostedPlane({ config, ground, log, logger, credentials });
      await plane.#serve(ground);
      plane.#beginning ??= await plane.#begun(order);
      return plane;
    } catch (error) {
      // What prevented the start is what matters.
      await etcd.close().catch(() => undefined);
      throw error;
    }
  }

  /** The state with which a control plane of its flags begins, once its controllers work: the first reset need not wait for them. */
  async #begun({ engine, flags, pki }: StartOrder): Promise<EtcdState> {
    const { etcd } = this.#ground;
    if (this.#controllers.mayBegin) await this.workDone();
    const state = await etcd.snapshot();
    if (engine.kind === 'memory' && !beginnings.has(flags)) {
      const [keys, own] = [await etcd.keysOf(state), ownValues(this.#credentials.accounts, pki)];
      beginnings.keep(flags, this.#config.etcd.prefix, keys, own);
    }
    return state;
  }

  /** Controllers that were held begin. */
  beginControllers(): void {
    this.#controllers.begin();
  }

  get clock(): Environment['clock'] {
    return this.#ground.environment.clock;
  }

  get port(): number {
    return this.#config.securePort;
  }

  logs(after?: number): string {
    return this.#log.text(after);
  }

  get logPosition(): number {
    return this.#log.position;
  }

  useTokens(tokens: StartOrder['tokens']): void {
    this.#credentials = { ...this.#credentials, tokens: packAccounts(tokens) };
    this.#served?.use(this.#credentials);
  }

  async snapshot(): Promise<EtcdState> {
    const { etcd } = this.#ground;
    // So that the two are of the same revision, unless it is written to right now.
    if (etcd.forksHaveItsRevisions && this.#restarts.going === undefined)
      await this.#restarts.whileServing(() => caughtUp(this.#serving));
    // Before the state of etcd: what has changed in between, a fork sees as events.
    const known = etcd.forksHaveItsRevisions ? this.#served?.replica.knownState() : undefined;
    const state = await etcd.snapshot();
    if (known !== undefined) this.#known.set(state, known);
    return state;
  }

  /**
   * Resolves when the replica and its controllers have seen it. A controller that has heard of one object before another
   * may have written what only fits a state between the two: that is taken back, too.
   * @returns how many keys changed
   * @throws Error if a fault keeps it away
   */
  rewind(state: EtcdState): Promise<number> {
    return this.#restarts.whileServing(() => this.#rewind(state));
  }

  async #rewind(state: EtcdState): Promise<number> {
    const { etcd } = this.#ground;
    const known = this.#known.get(state);
    if (known !== undefined) await caughtUp(this.#serving);
    const whole = known && { known, others: otherKeys(this.#config.etcd.prefix) };
    const changed = await etcd.rewind(state, this.#isObject, whole);
    for (let again = 0; again < mostRewinds; again += 1) {
      await this.#rest.workDone(longestRestMs, isFromBefore);
      if ((await etcd.rewind(state, this.#isObject)) === 0) break;
    }
    await caughtUp(this.#serving);
    return changed;
  }

  /** Waits until controllers have done what follows from the present state, but not for ever. */
  async workDone(): Promise<void> {
    await this.#rest.workDone(longestRestMs);
  }

  /** Writes a state, or the present one, to a file. @throws TypeError for other extensions */
  async save(of: EtcdState | undefined, { path, ...options }: SaveOrder): Promise<void> {
    const entries = await this.#state.entries(of ?? (await this.snapshot()));
    return writeState(path, entries, { ...(await this.#source()), ...options });
  }

  /** Brings the objects to the state in a file, as `rewind`. @throws Error that names the file; Error if a fault keeps it away */
  load(path: string): Promise<number> {
    return this.#restarts.whileServing(async () => {
      const changed = await this.#state.replace(await readState(path, await this.#source()));
      await caughtUp(this.#serving);
      return changed;
    });
  }

  /** What has changed since a state. */
  async changes(since: EtcdState): Promise<Changes> {
    return changesOf(await this.#state.differences(since));
  }

  async #source(): Promise<StateSource> {
    const { naming, catalogue } = this.#serving.replica;
    return {
      naming: naming.name,
      beginning: this.#beginning ? await this.#state.entries(this.#beginning) : [],
      collections: collectionsOf(catalogue),
    };
  }

  /** What goes on from a state of this one, at the same time. */
  async forked(of: EtcdState | undefined): Promise<Ground> {
    const { virtual, etcd } = this.#ground;
    const state = of ?? (await this.snapshot());
    const time = timeOf(virtual && new VirtualClock(virtual.offset));
    const fork = await etcd.fork(state, time.environment, this.#config.etcd.prefix);
    const knownState = this.#known.get(state);
    const begun = { beginning: this.#beginning, hasBegun: true, holdsControllers: true };
    return { ...time, etcd: fork, knownState, ...begun };
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
    if (this.#restarts.isAway) return virtual.offset;
    await this.#restarts.going;
    const left = await this.#rest.settled(longestWorkMs, isUnderWay);
    if (left?.length !== 0) throw new Error(`the control plane is still at work: ${namesOf(left)}`);
    return virtual.offset;
  }

  /** Waits until controllers have no work left. @returns as `Rest.settled` @throws Error if a fault keeps it away */
  async settled(timeoutMs: number): Promise<readonly WorkLeft[] | undefined> {
    await this.#restarts.over(timeoutMs);
    return this.#rest.settled(timeoutMs);
  }

  async stop(): Promise<void> {
    await this.#restarts.end();
    await this.#owned.disposeAsync();
    await this.#lagging.close();
    await this.#ground.etcd.close();
  }

  endWatches(isOver: (request: RequestContext) => boolean): void {
    this.#served?.replica.handler.endWatches((_resource, request) => isOver(request));
  }

  meant(resource: string): string | undefined {
    return meantResource(resource, this.#serving.replica.customResources.catalogue.current());
  }

  touch(info: RequestInfo): Promise<boolean> {
    return touch(this.#serving.replica, info);
  }

  moveOn(): Promise<number> {
    return moveOn(this.#serving.replica.storage);
  }

  lagging(): Promise<ResourceVerbs> {
    return this.#lagging.verbs();
  }

  lagBy(fault: number, ms: number): void {
    this.#lags.set(fault, ms);
  }

  /** Resolves when it serves, at once unless it restarts. @throws Error if it stays away for longer than a request takes */
  serving(): Promise<void> {
    return this.#restarts.over(longestRequestMs);
  }

  restart(downMs: number): Promise<void> {
    return this.#restarts.begin(downMs);
  }

  comeBack(): void {
    this.#restarts.comeBack();
  }

  async #close(): Promise<void> {
    await this.#served?.server.close(restartGraceMs);
    await this.#owned.disposeAsync();
    this.#owned = new AsyncDisposableStack();
  }

  /** What is given is for the first time only: later, etcd has moved on. */
  async #serve({ knownState, hasBegun, holdsControllers }: Partial<Ground> = {}): Promise<void> {
    const { signal } = new AbortController();
    if (holdsControllers !== true) this.beginControllers();
    const controllersMayBegin = this.#controllers.told;
    const known = { knownState, ...(hasBegun !== undefined && { hasBegun }), controllersMayBegin };
    const own = { signal, owned: this.#owned, interpose: this.faults.interpose, samplesFromStart: false };
    try {
      this.#served = await startReplica(this.#config, { ...this.#common(), ...own, ...known });
      // It may have begun at an earlier revision than etcd is at.
      if (knownState !== undefined) await caughtUp(this.#served);
      // It comes back at the same port.
      this.#config = { ...this.#config, securePort: this.#served.port };
      await accountsExist(this.#config, this.#served.replica, (ms) => {
        this.beginControllers();
        return pause(this.clock, ms, signal);
      });
    } catch (error) {
      await this.#owned.disposeAsync();
      throw error;
    }
  }

  #common(): Pick<ReplicaParts, 'environment' | 'credentials' | 'logger' | 'etcd' | 'readRoles'> &
    Pick<PlaneEtcd, 'connectLine'> {
    const { etcd, environment } = this.#ground;
    return {
      ...{ environment, credentials: this.#credentials, logger: this.#logger },
      etcd: { ...etcd.access, overrides: [] },
      connectLine: etcd.connectLine,
      readRoles,
    };
  }

  get #serving(): ServingReplica {
    if (this.#served === undefined) throw new Error('the control plane does not serve yet');
    return this.#served;
  }
}

function restParts({ etcd, virtual }: Ground, serving: () => ServingReplica): RestParts {
  const replica = (): ServingReplica['replica'] => serving().replica;
  return {
    activity: () =>
      etcd.activity +
      replica().storage.revision() +
      replica().controllerWork.changes +
      (virtual?.activity ?? 0),
    undelivered: () => replica().storage.undelivered(),
    left: () => replica().controllerWork.left(),
    lookNow: () => {
      replica().controllerWork.lookNow();
    },
    caughtUp: () => caughtUp(serving()),
  };
}

/** Resolves when the replica has seen the newest revision. */
async function caughtUp({ replica }: ServingReplica): Promise<void> {
  const { signal } = new AbortController();
  await replica.storage.snapshot(probed, { kind: 'mostRecent' }, signal);
}
