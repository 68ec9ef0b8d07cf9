/**
 * A history with all that a replica has: tenants make, own and delete objects with finalizers in namespaces that come
 * and go, within quotas, while one replica's controllers act. The commits are judged, and that everything comes to rest.
 */
import type { JsonObject } from '../../../src/base/json.ts';
import { foregroundFinalizer, orphanFinalizer } from '../../../src/api/validation/metadata.ts';
import { addressesHaveOneHolder } from '../../support/histories/invariants/addresses.ts';
import { dependentsAreHeeded } from '../../support/histories/invariants/dependents.ts';
import { finalizersHold } from '../../support/histories/invariants/finalizers.ts';
import { garbageIn, garbageIsCollected } from '../../support/histories/invariants/garbage.ts';
import { namespacesEndEmpty } from '../../support/histories/invariants/namespaces.ts';
import { quotasHold, wrongCounts } from '../../support/histories/invariants/quotas.ts';
import { asStored, isMarked, walk, type World as Objects } from '../../support/histories/invariants/walk.ts';
import type { Past, StoredState } from '../../support/histories/types.ts';
import { scope } from '../../support/registry.ts';
import { answered, NoAnswer } from './answered.ts';
import { liveOut } from './live-out.ts';
import { SeededRandom } from './seeded-random.ts';
import type { Outcome, Plan } from './simulate.ts';
import { TruthLog } from './truth.ts';
import type { World } from './world.ts';
import { ControlledReplicas } from './controlled-replica.ts';
import { Deeds } from './deeds.ts';
import { Leaders } from './leaders.ts';
import { Tenant } from './tenant.ts';
import { hold, type Plural } from './tenant-objects.ts';

/** Virtual time in milliseconds within which everything comes to rest: a new leader, its lists, a recount or two. */
const restMs = 150_000;

export class ControlledSimulation {
  readonly #plan: Plan;
  readonly #world: World;
  readonly #deeds = new Deeds();
  readonly #leaders: Leaders;
  readonly #replicas: ControlledReplicas;
  readonly #truth: TruthLog;
  readonly #namespaces: readonly string[];
  #isAtRest = false;
  /** What is still under way when it should be over. */
  #unrest: readonly string[] = [];

  constructor(plan: Plan, world: World) {
    this.#plan = plan;
    this.#world = world;
    this.#leaders = new Leaders(world, (uid) => this.#deeds.collect(uid));
    this.#replicas = new ControlledReplicas(world, this.#leaders);
    this.#truth = new TruthLog(world.etcd, undefined, wholeObject, () => world.time);
    this.#namespaces = Array.from(
      { length: 1 + (plan.keys % 3) },
      (_none, index) => ['a', 'b', 'c'][index] ?? '',
    );
  }

  async run(): Promise<Outcome> {
    const problems = await liveOut(this.#world, () => this.#live());
    const violations = [...problems, ...this.#leaders.violations, ...this.#judge()];
    if (this.#world.options.trace) this.#traceCommits();
    const { steps, digest, time } = this.#world.scheduler;
    const operations = this.#deeds.count;
    return { plan: this.#plan, violations, steps, operations, ms: Math.round(time), digest };
  }

  async #live(): Promise<void> {
    const world = this.#world;
    await this.#truth.start();
    await world.start();
    for (const name of ['default', 'orch-system', ...this.#namespaces]) await this.#createNamespace(name);
    const tenants = Array.from({ length: this.#plan.clients }, (_none, index) =>
      this.#tenant(`tenant-${String(index)}`),
    );
    for (const fault of this.#plan.faults) world.plan(fault);
    await Promise.all(tenants.map((tenant) => tenant.run(() => this.#deeds.count < this.#plan.operations)));
    await world.heal();
    await this.#comesToRest();
  }

  #tenant(name: string): Tenant {
    const [world, replicas, deeds] = [this.#world, this.#replicas, this.#deeds];
    const random = new SeededRandom(this.#plan.seed, name);
    return new Tenant({ world, replicas, deeds, random, name, namespaces: this.#namespaces });
  }

  async #createNamespace(name: string): Promise<void> {
    const [replica] = this.#world.replicas;
    if (replica === undefined) return;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await answered(this.#world, replica.life, (lifetime) =>
      this.#replicas
        .verbsOf(replica.life)
        .create(Object.assign(scope('namespaces'), { lifetime }), name, namespace),
    ).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
    });
  }

  /** Nothing is ending, nothing is garbage, and every quota says what is used; once tenants hold nothing any more. */
  async #comesToRest(): Promise<void> {
    const world = this.#world;
    const deadline = world.time + restMs;
    for (;;) {
      const objects = this.#objects();
      const unrest = unrestIn(objects);
      if (unrest.length === 0) break;
      if (world.time > deadline) {
        this.#unrest = unrest.slice(0, 5);
        return;
      }
      await this.#letGo(objects);
      await world.wait(1_000, 'rest');
    }
    this.#isAtRest = true;
  }

  async #letGo(objects: Objects): Promise<void> {
    const [replica] = this.#world.replicas;
    if (replica === undefined) return;
    for (const [{ collection, key }, object] of objects.objects()) {
      if (!isMarked(object) || object.metadata.finalizers?.includes(hold) !== true) continue;
      const [namespace = '', name = ''] = key.split('/');
      const plural = collection.slice('core/'.length) as Plural;
      await this.#tenant('last').release(replica.life, { plural, namespace, name });
    }
  }

  #objects(): Objects {
    return walk(this.#past(), {});
  }

  #past(): Past {
    const [past] = this.#truth.truth.pasts;
    if (past === undefined) throw new Error('a truth has at least one past');
    return past;
  }

  /** For whoever reads a failing run: what was stored, and when. */
  #traceCommits(): void {
    for (const { revision, at = 0, changes } of this.#past().commits) {
      for (const { collection, key, put } of changes) {
        const { metadata, status } = asStored(put?.object);
        const { uid, deletionTimestamp, finalizers, ownerReferences, annotations } = metadata;
        const shown = { uid, deletionTimestamp, finalizers, ownerReferences, annotations, status };
        this.#world.trace(
          `${String(revision)} at ${at.toFixed(0)}: ${collection}/${key} ${put ? JSON.stringify(shown) : 'gone'}`,
        );
      }
    }
  }

  #judge(): string[] {
    const past = this.#past();
    const { deleted, deletedAgain, cleared, released } = this.#deeds;
    const collected = new Set([foregroundFinalizer, orphanFinalizer]);
    const judged = {
      rest: this.#unrest,
      finalizers: finalizersHold(past, { released, collected, isOneByOne: true }),
      addresses: addressesHaveOneHolder(past),
      namespaces: namespacesEndEmpty(past),
      garbage: garbageIsCollected(past, {
        deleted: new Set([...deleted, ...cleared]),
        isIdle: this.#isAtRest,
      }),
      dependents: dependentsAreHeeded(past, { again: new Set([...deletedAgain, ...cleared]) }),
      quotas: quotasHold(past, {
        boundOf: (change, commit, limit) => this.#deeds.boundOf(change, commit, limit),
      }),
    };
    return Object.entries(judged).flatMap(([name, violations]) =>
      violations.map((words) => `${name}: ${words}`),
    );
  }
}

function unrestIn(objects: Objects): string[] {
  const ending = objects
    .objects()
    .filter(([, object]) => isMarked(object))
    .map(
      ([{ collection, key }, { metadata }]) =>
        `${collection}/${key} is being deleted (${metadata.finalizers?.join() ?? ''})`,
    );
  return [...ending, ...garbageIn(objects), ...wrongCounts(objects)];
}

function wholeObject(text: Buffer): StoredState {
  return { value: '', object: JSON.parse(text.toString()) as JsonObject };
}
