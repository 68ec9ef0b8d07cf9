/** A world: an etcd in memory with several members, replicas of the storage, and the network between them. */
import type { Fault, FaultKind } from './faults.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import { compactMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { createEtcdStorage, type EtcdStorage } from '../../../src/storage/storage.ts';
import type { StorageLogger, StorageOptions } from '../../../src/storage/options.ts';
import { Network, slowLatency, usualLatency, type NetworkMember } from './network.ts';
import { Restores } from './restores.ts';
import { Scheduler, settled, type Owner } from './scheduler.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedClock } from './simulated-clock.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly replicas: number;
  readonly members: number;
  /** Interval of compactions by the replicas. */
  readonly compactionIntervalMs: number;
  /** Interval of comparisons of views with etcd; 0: there are none. */
  readonly consistencyCheckIntervalMs: number;
  /** Most recent events that a replica keeps of a collection. */
  readonly ringEvents: number;
  /** Receives what happens, for whoever reads a failing run; absent: nobody does. */
  readonly trace?: (line: string) => void;
}

/** One life of a replica. */
export interface Life {
  readonly process: Owner;
  readonly clock: SimulatedClock;
  readonly storage: EtcdStorage;
  /** Resolves when the process dies. */
  readonly died: Promise<undefined>;
  /** Aborted when the world is over: whatever still waits for something then would keep the world in memory. */
  readonly ended: AbortSignal;
}

export class World {
  readonly options: WorldOptions;
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly etcd: MemoryEtcd;
  readonly restores: Restores;
  readonly replicas: SimulatedReplica[] = [];
  /** Views that differed from etcd, as replicas have found. */
  readonly inconsistencies: string[] = [];
  /** Runs what a replica has beside its storage, at the start of each life. */
  onLife: (life: Life) => void = () => undefined;
  /** What the storage of a replica has beside, at the start of each life. */
  optionsOf: (replica: SimulatedReplica) => Pick<StorageOptions, 'encryption' | 'expiry'> = () => ({});
  readonly #faultsUnderWay = new Map<string, number>();
  isHealed = false;

  constructor(options: WorldOptions) {
    const { seed } = options;
    this.options = options;
    this.random = new SeededRandom(seed, 'world');
    this.scheduler = new Scheduler(new SeededRandom(seed, 'turns'));
    this.network = new Network(this.scheduler, new SeededRandom(seed, 'network'));
    const clock = new SimulatedClock(this.scheduler, { name: 'etcd', state: 'alive' });
    // The oldest release keeps its promises least.
    const emulates = new SeededRandom(seed, 'release').weighted({ '3.4': 3, '3.5': 1, '3.6': 1 });
    this.etcd = new MemoryEtcd({ clock, emulates, random: new SeededRandom(seed, 'etcd') });
    this.restores = new Restores(this.etcd);
    for (let index = 0; index < options.members; index += 1) {
      const name = `etcd-${String(index)}`;
      const url = `http://${name}:2379`;
      this.network.add({
        ...{ url, process: { name, state: 'alive' }, connect: this.etcd.connectLine },
        ...{ hasQuorum: true, proposed: [], lagMs: 0 },
      });
    }
    for (let index = 0; index < options.replicas; index += 1) {
      this.replicas.push(new SimulatedReplica(this, `replica-${String(index)}`));
    }
  }

  get time(): number {
    return this.scheduler.time;
  }

  trace(line: string): void {
    this.options.trace?.(`${this.time.toFixed(2).padStart(10)} ${line}`);
  }

  /** Resolves after so many virtual milliseconds. */
  wait(ms: number, what = 'wait'): Promise<void> {
    return new Promise((resolve) => {
      this.scheduler.schedule(ms, resolve, what);
    });
  }

  async start(): Promise<void> {
    for (const replica of this.replicas) await replica.start();
  }

  /** Lets the fault happen at its time, and ends it again. */
  plan(fault: Fault): void {
    if (fault.kind === 'restored') {
      const backUp = (): void => this.restores.backUp(fault);
      this.scheduler.schedule(fault.at - fault.choice ** 2 * 2_000, backUp, 'backup');
    }
    this.scheduler.schedule(fault.at, () => this.#begin(fault), `fault ${fault.kind}`);
  }

  /** Everything works again for good: whatever is dead has started, whatever is cut is healed. */
  async heal(): Promise<void> {
    this.isHealed = true;
    this.#faultsUnderWay.clear();
    this.network.healAll();
    this.network.answerLoss = 0;
    this.network.latency = usualLatency;
    for (const member of this.network.members) {
      member.lagMs = 0;
      this.#wake(member.process);
      if (!member.hasQuorum) this.network.setQuorum(member, true);
    }
    for (const replica of this.replicas) await replica.heal();
  }

  /** The world is over: nothing waits any more. */
  async stop(): Promise<void> {
    for (const replica of this.replicas) replica.end();
    await settled();
  }

  #begin(fault: Fault): void {
    const member = this.network.members[fault.member % this.options.members];
    const replica = this.replicas[fault.replica % this.options.replicas];
    if (this.isHealed || member === undefined || replica === undefined) return;
    this.trace(`fault ${fault.kind} ${replica.name} ${member.process.name} for ${String(fault.forMs)} ms`);
    const end = this.#effect(fault, member, replica);
    if (end === undefined) return;
    const name = `${fault.kind} ${member.url} ${replica.name}`;
    const level = (this.#faultsUnderWay.get(name) ?? 0) + 1;
    this.#faultsUnderWay.set(name, level);
    this.scheduler.schedule(
      fault.forMs,
      () => {
        // A later fault of the kind goes on.
        if (this.#faultsUnderWay.get(name) !== level) return;
        this.#faultsUnderWay.delete(name);
        this.trace(`ended ${name}`);
        end();
      },
      `end of ${fault.kind}`,
    );
  }

  /** Returns what ends it; undefined if it is over at once. */
  #effect(fault: Fault, member: NetworkMember, replica: SimulatedReplica): (() => void) | undefined {
    const effects: Readonly<Record<FaultKind, () => (() => void) | undefined>> = {
      ...this.#connectionFaults(fault, member, replica.life.process),
      ...this.#memberFaults(fault, member, replica.life.process),
      ...this.#replicaFaults(fault, replica),
    };
    return effects[fault.kind]();
  }

  #connectionFaults({ choice }: Fault, member: NetworkMember, process: Owner) {
    const { network } = this;
    return {
      reset: () => {
        network.reset(process, choice < 0.5 ? member : undefined);
        return undefined;
      },
      partition: () => {
        const cut = choice < 0.6 ? [member] : network.members;
        for (const each of cut) network.partition(process, each);
        return () => {
          for (const each of cut) network.heal(process, each);
        };
      },
      lostAnswers: () => {
        network.answerLoss = 0.05 + choice / 2;
        return () => {
          network.answerLoss = 0;
        };
      },
      slowNetwork: () => {
        network.latency = slowLatency;
        return () => {
          network.latency = usualLatency;
        };
      },
    };
  }

  #memberFaults(fault: Fault, member: NetworkMember, process: Owner) {
    const { network } = this;
    const { choice } = fault;
    const all = (hasQuorum: boolean) => (): void => {
      for (const each of network.members) network.setQuorum(each, hasQuorum);
    };
    return {
      memberDown: () => {
        member.process.state = 'dead';
        network.reset(undefined, member);
        return () => this.#wake(member.process);
      },
      memberFrozen: () => {
        if (member.process.state === 'alive') member.process.state = 'frozen';
        return () => this.#wake(member.process);
      },
      noQuorum: () => {
        all(false)();
        return all(true);
      },
      leaderChange: () => {
        for (const each of network.members) network.endStreams(each, 'etcdserver: no leader');
        if (choice < 0.5) network.reset(process);
        return undefined;
      },
      memberLag: () => {
        member.lagMs = choice * 5_000;
        return () => {
          member.lagMs = 0;
        };
      },
      restored: () => this.#restore(fault),
      compact: () => {
        // Exactly at a removal, etcd 3.4 forgets that, too.
        const removal = choice < 0.4 ? this.#removal(choice / 0.4) : undefined;
        void this.#compact(removal ?? this.etcd.revision - Math.floor(choice ** 3 * 20));
        return undefined;
      },
    };
  }

  #replicaFaults({ choice }: Fault, replica: SimulatedReplica) {
    const { process, clock } = replica.life;
    return {
      replicaKilled: () => {
        replica.kill();
        return () => void replica.start();
      },
      replicaFrozen: () => {
        if (process.state === 'alive') process.state = 'frozen';
        return () => this.#wake(process);
      },
      clockStep: () => {
        clock.step((choice < 0.5 ? -1 : 1) * 3_600_000);
        return undefined;
      },
    };
  }

  /** All members stop; they start one after the other once each has the other state. */
  #restore(fault: Fault): () => void {
    const { members } = this.network;
    const stopAll = (): void => {
      for (const { process, proposed } of members) {
        process.state = 'dead';
        proposed.splice(0);
      }
      this.network.reset();
    };
    stopAll();
    void this.restores.restore(fault, stopAll);
    return () => {
      for (const { process } of members)
        this.scheduler.schedule(this.random.between(0, 500), () => this.#wake(process), 'member starts');
    };
  }

  /** A revision that removed something, rather a late one; undefined if history has none. @param choice 0 ≤ x < 1 */
  #removal(choice: number): number | undefined {
    const removals = [...this.etcd.changesAfter(0)].filter(({ value }) => value === undefined);
    return removals[Math.ceil(removals.length * (1 - choice ** 2)) - 1]?.revision;
  }

  /** Compacts, or not if that is done already. */
  async #compact(revision: number): Promise<void> {
    const line = await this.etcd.connectLine('', 0);
    await line.call(compactMethod, { revision }, 1_000).catch(() => undefined);
  }

  #wake(process: Owner): void {
    if (process.state === 'frozen') this.scheduler.thaw(process);
    else if (process.name.startsWith('etcd')) process.state = 'alive';
  }
}

/** A replica through all its lives. */
export class SimulatedReplica {
  readonly name: string;
  readonly #world: World;
  #life: Life | undefined;
  #die: (nothing: undefined) => void = () => undefined;
  #lives = 0;
  readonly #endings: (() => void)[] = [];

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
  }

  get life(): Life {
    if (this.#life === undefined) throw new Error(`${this.name} was never started`);
    return this.#life;
  }

  get isAlive(): boolean {
    return this.#life !== undefined && this.#life.process.state !== 'dead';
  }

  /** Starts another process, unless one lives. */
  async start(): Promise<void> {
    if (this.isAlive) return;
    const { scheduler, network, options } = this.#world;
    this.#lives += 1;
    const name = `${this.name}.${String(this.#lives)}`;
    const process: Owner = { name, state: 'alive' };
    const clock = new SimulatedClock(scheduler, process);
    const random = new SeededRandom(options.seed, name);
    const storage = await createEtcdStorage({
      endpoints: network.members.map(({ url }) => url),
      connectLine: network.connector({ process, clock }),
      ...{ clock, random, logger: this.#logger(name) },
      consistencyCheckIntervalMs: options.consistencyCheckIntervalMs,
      metrics: {
        observeEtcdRequest: () => undefined,
        observeInconsistency: (collection) => this.#world.inconsistencies.push(`${name} ${collection}`),
      },
      compactionIntervalMs: options.compactionIntervalMs,
      databaseSizeIntervalMs: 0,
      ...this.#world.optionsOf(this),
      limits: {
        ringEvents: options.ringEvents,
        ringBytes: 1_024 * 1_024,
        maxAgeMs: 20_000,
        maxPastStates: 3,
      },
    });
    storage.ready().catch(() => undefined);
    const { promise: died, resolve } = Promise.withResolvers<undefined>();
    this.#die = resolve;
    const ending = new AbortController();
    this.#endings.push(() => {
      ending.abort();
      storage.close().catch(() => undefined);
    });
    this.#life = { process, clock, storage, died, ended: ending.signal };
    this.#world.trace(`${name} starts`);
    this.#world.onLife(this.#life);
  }

  kill(): void {
    const life = this.#life;
    if (life === undefined || life.process.state === 'dead') return;
    this.#world.trace(`${life.process.name} is killed`);
    life.process.state = 'dead';
    this.#world.network.reset(life.process);
    this.#die(undefined);
  }

  /** Ends it for good, with all that its lives have left waiting. */
  end(): void {
    this.kill();
    for (const end of this.#endings.splice(0)) end();
  }

  async heal(): Promise<void> {
    if (this.#life?.process.state === 'frozen') this.#world.scheduler.thaw(this.#life.process);
    await this.start();
  }

  #logger(name: string): StorageLogger {
    const log = (fields: object, message: string): void =>
      this.#world.trace(`${name}: ${message} ${JSON.stringify(fields)}`);
    return { debug: log, info: log, warn: log, error: log };
  }
}
