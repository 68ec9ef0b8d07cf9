/** The registry of simulated replicas: the verbs of the API over their storage, with their time and randomness. */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { createNamespaceLifecycle } from '../../../src/admission/namespace-lifecycle.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { createStorageReader } from '../../../src/server/admission/storage-reader.ts';
import { scope, verbsOver } from '../../support/registry.ts';
import { SeededRandom } from './seeded-random.ts';
import type { Life, World } from './world.ts';

const gates = new Set(['APIListChunking', 'ServerSideApply']);
const known = new WeakMap<Life, ResourceVerbs>();

/** The verbs as this process has them; each life begins with empty memory. */
export function verbsOf({ options }: World, life: Life): ResourceVerbs {
  const verbs = known.get(life) ?? newVerbs(options.seed, life);
  known.set(life, verbs);
  return verbs;
}

function newVerbs(seed: number, { storage, clock, process }: Life): ResourceVerbs {
  const random = new SeededRandom(seed, `registry of ${process.name}`);
  const reader = createStorageReader(storage);
  const lifecycle = createNamespaceLifecycle({
    peek: (name) => reader.peek('core/namespaces', name),
    read: (name, signal) => reader.read('core/namespaces', name, signal),
  });
  const admission = createAdmissionChain([lifecycle]);
  return verbsOver(storage, (gate) => gates.has(gate), { clock, random, admission });
}

/** Makes the namespaces that objects of these keys are in, before anything goes wrong. */
export async function createNamespaces(world: World, keys: readonly string[]): Promise<void> {
  const [replica] = world.replicas;
  if (replica === undefined) return;
  for (const name of new Set(keys.map((key) => key.split('/')[0] ?? ''))) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await verbsOf(world, replica.life).create(scope('namespaces'), name, namespace);
  }
}
