/**
 * One simulated history: a world, its faults, its clients, and the judgement of all that they were told. The same plan
 * gives the same history, event by event.
 */
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { validate } from '../../support/histories/validate.ts';
import type { StoredState } from '../../support/histories/types.ts';
import { ApiClient } from './api-client.ts';
import { createNamespaces } from './api-replica.ts';
import { apiStateOf, storedStateOf } from './api-state.ts';
import { apiWatcher } from './api-watcher.ts';
import { Informers } from './informers.ts';
import { KeyRotation, someEncryption, type EncryptionPlan } from './key-rotation.ts';
import { Recorder } from './recorder.ts';
import { losesEvents } from './lost-events.ts';
import { collection, stateOf, StorageClient } from './storage-client.ts';
import { judgeCounters, StorageCounter } from './storage-counter.ts';
import { storageWatcher } from './storage-watcher.ts';
import { expiringCollection, ExpiringClient, expiry, judgeLives, longestLifeMs } from './expiring-objects.ts';
import type { Peculiarity } from './peculiarities.ts';
import { planFaults, faultKinds, type Fault } from './faults.ts';
import { SeededRandom } from './seeded-random.ts';
import { TruthLog } from './truth.ts';
import type { Watcher } from './watcher.ts';
import { World } from './world.ts';
import { ControlledSimulation } from './controlled-simulation.ts';

/** What clients ask: the storage of replicas, their API, or all of it with controllers, quotas and addresses. */
export type Level = 'storage' | 'api' | 'controllers';

/** All that makes a history; JSON, so that a failing one can be written down. */
export interface Plan {
  readonly seed: number;
  /** Absent in plans of the storage. */
  readonly level?: Level;
  readonly replicas: number;
  readonly members: number;
  readonly clients: number;
  readonly watchers: number;
  readonly keys: number;
  readonly operations: number;
  readonly compactionIntervalMs: number;
  readonly ringEvents: number;
  readonly consistencyCheckIntervalMs: number;
  /** etcd loses, doubles and reorders events: only what comes after a comparison is right. */
  readonly losesEvents: boolean;
  /** Absent: values are not encrypted. */
  readonly encryption?: EncryptionPlan;
  /** There are objects that etcd deletes some time after their last write. */
  readonly expires?: boolean;
  readonly faults: readonly Fault[];
}

export interface Outcome {
  readonly plan: Plan;
  /** In words; none if every promise was kept. */
  readonly violations: readonly string[];
  readonly steps: number;
  readonly operations: number;
  /** Virtual milliseconds. */
  readonly ms: number;
  /** Equal only for equal histories. */
  readonly digest: string;
}

/** Steps after which a world that does not come to its end is given up. */
const maxSteps = 200_000;
/** Virtual time in milliseconds within which everything works again after the last fault. */
const recoveryMs = 60_000;
/** Virtual time in milliseconds after which no write that was asked for can take effect any more. */
const lateMs = 25_000;
/** Virtual time in milliseconds that a comparison takes at most that was asking a dead connection when faults ended. */
const comparisonMs = 20_000;

/** Of eight seeds one has controllers, which takes about a third of the time, and two are of the API. */
function levelOf(seed: number): Level {
  if (seed % 8 === 3) return 'controllers';
  return seed % 4 === 0 ? 'api' : 'storage';
}

/** @param peculiarity that it certainly has, if it is of the storage @param level by default that of the seed */
export function planOf(seed: number, level: Level = levelOf(seed), peculiarity?: Peculiarity): Plan {
  const mayHave = (what: Peculiarity, isDrawn: boolean): boolean =>
    level === 'storage' && (isDrawn || what === peculiarity);
  const random = new SeededRandom(seed, 'plan');
  const operations = 40 + random.below(random.chance(0.2) ? 600 : 160);
  const clients = 2 + random.below(5);
  const untilMs = (operations / clients) * 110;
  // Views that lack events are compared as the storage shows them.
  const losesEvents = mayHave('lossy', random.chance(0.06));
  // What tenants and controllers did is judged over one past.
  const kinds = faultKinds.filter((kind) => kind !== 'restored' || level !== 'controllers');
  const count = random.chance(0.1) ? 0 : random.below(14);
  const plan = {
    ...{ seed, level, operations, clients },
    replicas: 1 + random.below(3),
    members: random.chance(0.3) ? 1 : 3,
    watchers: 1 + random.below(5),
    keys: 1 + random.below(6),
    compactionIntervalMs: random.chance(0.3) ? 0 : Math.round(random.between(500, 20_000)),
    ringEvents: 1 + random.below(16),
    losesEvents,
    consistencyCheckIntervalMs:
      !losesEvents && random.chance(0.5) ? 0 : Math.round(random.between(200, 5_000)),
    faults: planFaults(random, { count, untilMs, kinds }),
  };
  const isEncrypted = mayHave('encrypted', random.chance(0.3));
  const expires = mayHave('expiring', random.chance(0.2));
  return {
    ...plan,
    ...(isEncrypted && { encryption: someEncryption(random) }),
    ...(expires && { expires }),
  };
}

/** Runs a plan. @param trace receives what happens */
export async function simulate(plan: Plan, trace?: (line: string) => void): Promise<Outcome> {
  const world = new World({ ...plan, ...(trace && { trace }) });
  useEventLoop(world.scheduler.eventLoop);
  try {
    const simulation =
      plan.level === 'controllers' ? new ControlledSimulation(plan, world) : new Simulation(plan, world);
    return await simulation.run();
  } finally {
    await world.stop();
    useEventLoop(undefined);
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #world: World;
  readonly #recorder = new Recorder();
  readonly #violations: string[] = [];
  readonly #keys: readonly string[];
  readonly #truth: TruthLog;
  /** What becomes of the objects that expire. */
  readonly #expiring: TruthLog;
  readonly #informers: Informers;
  readonly #rotation: KeyRotation | undefined;

  constructor(plan: Plan, world: World) {
    this.#plan = plan;
    this.#world = world;
    this.#truth = new TruthLog(world.etcd, [collection], this.#isApi ? storedStateOf : storedState);
    this.#truth.point = () => this.#recorder.point();
    this.#expiring = new TruthLog(world.etcd, [expiringCollection], storedState, () => world.time);
    world.restores.listeners.push(this.#truth, this.#expiring);
    this.#informers = new Informers(world, this.#isApi ? apiStateOf : stateOf);
    world.onLife = (life) => this.#informers.begin(life);
    this.#rotation = plan.encryption && this.#encrypted(plan.encryption);
    world.optionsOf = (replica) => ({
      ...(this.#rotation && { encryption: this.#rotation.optionsOf(replica) }),
      ...(plan.expires === true && { expiry }),
    });
    this.#keys = Array.from(
      { length: plan.keys },
      (_none, index) => `${index % 2 === 0 ? 'a' : 'b'}/x${String(index)}`,
    );
  }

  async run(): Promise<Outcome> {
    const { scheduler } = this.#world;
    const done = this.#live().then(
      () => true,
      (error: unknown) => {
        this.#violations.push(
          `the simulation itself failed: ${String(error instanceof Error ? error.stack : error)}`,
        );
        return true;
      },
    );
    let isDone = false;
    void done.then(() => (isDone = true));
    if (!(await scheduler.runUntil(() => isDone, maxSteps))) this.#violations.push(this.#stuck());
    else await done;
    this.#violations.push(...this.#judge());
    const { operations } = this.#recorder;
    const { steps, digest, time } = scheduler;
    return {
      plan: this.#plan,
      violations: this.#violations,
      steps,
      operations,
      ms: Math.round(time),
      digest,
    };
  }

  #judge(): string[] {
    // What a view lacks its readers miss, but what they are told comes once, and in order.
    if (this.#plan.losesEvents) return validate(this.#recorder, this.#truth.truth, ['ordered', 'unique']);
    const differences = this.#world.inconsistencies.map((found) => `view: ${found} differed from etcd`);
    return [...validate(this.#recorder, this.#truth.truth), ...differences];
  }

  async #live(): Promise<void> {
    await Promise.all([this.#truth.start(), this.#expiring.start()]);
    this.#breakEtcd();
    await this.#world.start();
    if (this.#isApi) await createNamespaces(this.#world, this.#keys);
    const watchers = this.#startWatchers();
    const clients = Array.from({ length: this.#plan.clients }, (_none, index) =>
      this.#client(`client-${String(index)}`),
    );
    for (const fault of this.#plan.faults) this.#world.plan(fault);
    const reporters = this.#startReporters();
    const changing = this.#rotation?.change();
    const { operations } = this.#plan;
    const mayGoOn = (): boolean => this.#recorder.operations < operations;
    const counters = ['counter-0', 'counter-1'].map((name) => new StorageCounter(this.#parts(name)));
    await Promise.all([...clients, ...counters, ...reporters].map((client) => client.run(mayGoOn)));
    await this.#world.heal();
    await changing;
    await this.#recover(watchers);
    if (this.#plan.losesEvents) await this.#comparesViews();
    else if (!this.#truth.wasRestored) this.#violations.push(...(await judgeCounters(this.#world, counters)));
    await this.#removeOldKey(watchers);
    await this.#expire(reporters);
    await this.#informersAgree();
    watchers.stop();
    await watchers.stopped;
  }

  #breakEtcd(): void {
    const { seed, losesEvents: isBroken } = this.#plan;
    const { network } = this.#world;
    const random = new SeededRandom(seed, 'defects');
    if (isBroken) network.defect = () => losesEvents(random, () => this.#world.isHealed);
  }

  #encrypted(plan: EncryptionPlan): KeyRotation {
    const rotation = new KeyRotation(this.#world, plan, new SeededRandom(this.#plan.seed, 'keys'));
    this.#truth.open = (...value) => rotation.open(...value);
    return rotation;
  }

  get #isApi(): boolean {
    return this.#plan.level === 'api';
  }

  #client(name: string): StorageClient | ApiClient {
    const parts = this.#parts(name);
    return this.#isApi ? new ApiClient(parts) : new StorageClient(parts);
  }

  #watcher(name: string): Watcher {
    return (this.#isApi ? apiWatcher : storageWatcher)(this.#parts(name));
  }

  #parts(name: string) {
    const random = new SeededRandom(this.#plan.seed, name);
    return { world: this.#world, recorder: this.#recorder, random, name, keys: this.#keys };
  }

  #startWatchers(): Watchers {
    const ending = new AbortController();
    const each = Array.from({ length: this.#plan.watchers }, (_none, index) =>
      this.#watcher(`watcher-${String(index)}`),
    );
    const stopped = Promise.all(each.map((watcher) => watcher.run(ending.signal)));
    return { each, stopped, stop: () => ending.abort() };
  }

  /** Without faults everything works again in time: every replica reads the newest state, every watch catches up. */
  async #recover({ each }: Watchers): Promise<void> {
    const world = this.#world;
    const deadline = world.time + recoveryMs;
    const reader = this.#client('last-reader');
    const head = world.etcd.revision;
    for (const replica of world.replicas) {
      while (!(await this.#canRead(reader, replica.life))) {
        if (world.time > deadline) {
          this.#violations.push(
            `recovery: ${replica.name} still does not read: ${JSON.stringify(replica.life.storage.stats())}`,
          );
          return;
        }
        await world.wait(50, 'recovery');
      }
    }
    while (each.some(({ position }) => position < head)) {
      if (world.time > deadline) {
        this.#violations.push(
          `recovery: watches are behind revision ${String(head)}: ${each.map(({ position }) => position).join()}`,
        );
        return;
      }
      await world.wait(50, 'recovery');
    }
  }

  /** Once everything stored with it was replaced; whatever was sent before has come or never will. */
  async #removeOldKey(watchers: Watchers): Promise<void> {
    const [world, rotation] = [this.#world, this.#rotation];
    const [replica] = world.replicas;
    if (rotation === undefined || replica === undefined) return;
    await world.wait(lateMs, 'late writes');
    await new StorageClient(this.#parts('operator')).replaceStale(replica.life);
    await rotation.removeOldKey();
    // A process that begins has no other key.
    replica.kill();
    await replica.start();
    await this.#recover(watchers);
  }

  #startReporters(): readonly ExpiringClient[] {
    if (this.#plan.expires !== true) return [];
    return ['reporter-0', 'reporter-1'].map((name) => new ExpiringClient(this.#parts(name)));
  }

  /** Once nobody writes them any more, all objects that expire go; those of a restored etcd begin their time again. */
  async #expire(reporters: readonly ExpiringClient[]): Promise<void> {
    if (reporters.length === 0) return;
    await this.#world.wait(longestLifeMs + lateMs, 'expiry');
    for (const { name, life } of this.#world.replicas) {
      const { size } = life.storage.view(expiringCollection);
      if (size > 0) this.#violations.push(`expiry: ${name} still has ${String(size)} objects`);
    }
    const [past] = this.#expiring.truth.pasts;
    if (past !== undefined && !this.#truth.wasRestored) this.#violations.push(...judgeLives(past, reporters));
  }

  /** Within an interval and the time of a comparison every view is that of etcd. */
  async #comparesViews(): Promise<void> {
    const world = this.#world;
    const expected = JSON.stringify(this.#truth.state());
    const deadline = world.time + this.#plan.consistencyCheckIntervalMs + comparisonMs;
    for (const { name, life } of world.replicas) {
      const shown = (): string =>
        JSON.stringify([...life.storage.view(collection).entries('', '')].map((entry) => stateOf(entry)));
      while (shown() !== expected) {
        if (world.time > deadline) {
          this.#violations.push(`view: ${name} still shows ${shown()} instead of ${expected}`);
          return;
        }
        await world.wait(50, 'comparison');
      }
    }
  }

  /** What a process keeps in memory is what etcd has, also after its view was wrong. */
  async #informersAgree(): Promise<void> {
    const problem = await this.#informers.agree(this.#truth.state(), this.#world.time + recoveryMs);
    this.#violations.push(...this.#informers.violations, ...(problem === undefined ? [] : [problem]));
  }

  async #canRead(
    reader: StorageClient | ApiClient,
    life: World['replicas'][number]['life'],
  ): Promise<boolean> {
    await reader.list(life, { kind: 'mostRecent' });
    return this.#recorder.lists.at(-1)?.error === undefined;
  }

  #stuck(): string {
    const { steps, time } = this.#world.scheduler;
    return `the world does not come to its end: ${String(steps)} steps, ${String(Math.round(time))} ms`;
  }
}

function storedState(text: Buffer): StoredState {
  return { value: (JSON.parse(text.toString()) as { value: string }).value };
}

interface Watchers {
  readonly each: readonly Watcher[];
  readonly stopped: Promise<unknown>;
  stop(): void;
}
