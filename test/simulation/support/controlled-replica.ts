/**
 * What a simulated replica has above its storage: the registry with admission by namespaces and quotas, addresses and
 * node ports of services, and the controllers, of which one replica's act at a time.
 */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { createNamespaceLifecycle } from '../../../src/admission/namespace-lifecycle.ts';
import { createResourceQuotaPlugin } from '../../../src/admission/resource-quota.ts';
import { parseServiceRanges } from '../../../src/api/core/service/value-range.ts';
import { createInProcessClient } from '../../../src/client/in-process-client.ts';
import type { ControllerName } from '../../../src/controllers/controller-names.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { createQuotaAccessor } from '../../../src/server/admission/quota-accessor.ts';
import { createStorageReader } from '../../../src/server/admission/storage-reader.ts';
import { runControllers } from '../../../src/server/controllers/controller-manager.ts';
import { catalogue, verbsOver } from '../../support/registry.ts';
import { SeededRandom } from './seeded-random.ts';
import type { Life, World } from './world.ts';
import type { Leaders } from './leaders.ts';

const gates = new Set(['APIListChunking', 'ServerSideApply']);
const names: ReadonlySet<ControllerName> = new Set(['namespace', 'garbagecollector', 'resourcequota']);
/** So few that they are used up, and used again. */
export const clusterIps = '10.0.0.0/28';
export const nodePorts = '30000-30004';
const ranges = parseServiceRanges([clusterIps], nodePorts);

/** The replicas of a world with all that they have. */
export class ControlledReplicas {
  readonly #world: World;
  readonly #leaders: Leaders;
  readonly #verbs = new WeakMap<Life, ResourceVerbs>();

  constructor(world: World, leaders: Leaders) {
    this.#world = world;
    this.#leaders = leaders;
    world.onLife = (life) => this.#begin(life);
  }

  verbsOf(life: Life): ResourceVerbs {
    const verbs = this.#verbs.get(life);
    if (verbs === undefined) throw new Error(`${life.process.name} has no registry`);
    return verbs;
  }

  #begin(life: Life): void {
    const { process, clock, ended } = life;
    const verbs = newVerbs(this.#world.options.seed, life);
    this.#verbs.set(life, verbs);
    const client = createInProcessClient({ verbs, catalogue: () => catalogue, minorVersion: 21 });
    const log = (details: object, message: string): void =>
      this.#world.trace(`${process.name}: ${message} ${JSON.stringify(details)}`);
    const running = runControllers(
      {
        client: this.#leaders.watched(process, client),
        metrics: this.#leaders.metricsOf(process),
        ...{ naming: namingProfiles.orch, names, clock, unusedTokensMs: 31_536_000_000 },
        log: { info: log, warn: log, error: log },
        random: new SeededRandom(this.#world.options.seed, `controllers of ${process.name}`),
      },
      // Processes of a world do not stop in good order: they die.
      ended,
    );
    running.catch((error: unknown) => {
      this.#leaders.violations.push(`controllers: those of ${process.name} ended: ${String(error)}`);
    });
  }
}

function newVerbs(seed: number, { storage, clock, process }: Life): ResourceVerbs {
  const random = new SeededRandom(seed, `registry of ${process.name}`);
  const reader = createStorageReader(storage);
  const lifecycle = createNamespaceLifecycle({
    peek: (name) => reader.peek('core/namespaces', name),
    read: (name, signal) => reader.read('core/namespaces', name, signal),
  });
  const quotas = createQuotaAccessor({ catalogue, verbs: () => verbs }, clock);
  const admission = createAdmissionChain([lifecycle, createResourceQuotaPlugin(reader, quotas, clock)]);
  const verbs = verbsOver(storage, (gate) => gates.has(gate), { clock, random, admission, ranges });
  return verbs;
}
