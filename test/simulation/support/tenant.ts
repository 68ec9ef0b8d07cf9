/** A client that makes, changes and deletes namespaces and what is in them, through any replica. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import type { RequestScope, ResourceVerbs } from '../../../src/registry/types.ts';
import { everything, plainDelete, scope } from '../../support/registry.ts';
import { answered, NoAnswer } from './answered.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Life, World } from './world.ts';
import type { ControlledReplicas } from './controlled-replica.ts';
import type { Deeds } from './deeds.ts';
import {
  contentOf,
  hold,
  referenceTo,
  serviceSpec,
  someLimits,
  weights,
  type OwnerReference,
  type Plural,
} from './tenant-objects.ts';

export interface TenantParts {
  readonly world: World;
  readonly replicas: ControlledReplicas;
  readonly random: SeededRandom;
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly deeds: Deeds;
}

const acts = {
  ...{ createNamespace: 10, deleteNamespace: 2, create: 30, apply: 8 },
  ...{ own: 8, holdOn: 4, release: 12, delete: 14, deleteCollection: 1 },
  ...{ quota: 5, dropQuota: 1, reshape: 6 },
} as const;

type Ask = (verbs: ResourceVerbs, where: RequestScope) => Promise<unknown>;

export class Tenant {
  readonly #parts: TenantParts;

  constructor(parts: TenantParts) {
    this.#parts = parts;
  }

  /** Goes on until it is told to end. */
  async run(mayGoOn: () => boolean): Promise<void> {
    const { world, random } = this.#parts;
    while (mayGoOn()) {
      await world.wait(random.chance(0.5) ? random.between(0.1, 5) : random.between(5, 400), 'think');
      const alive = world.replicas.filter(({ isAlive }) => isAlive);
      if (alive.length > 0) await this.#act(random.pick(alive).life);
    }
  }

  #act(life: Life): Promise<void> {
    const { random, namespaces, deeds } = this.#parts;
    const namespace = random.pick(namespaces);
    const plural = random.weighted(weights);
    const name = `x${String(random.below(4))}`;
    const act = random.weighted(acts);
    deeds.count += 1;
    this.#parts.world.trace(`${this.#parts.name} ${act} ${plural} ${namespace}/${name}`);
    switch (act) {
      case 'createNamespace':
        return this.#createNamespace(life, namespace);
      case 'deleteNamespace':
        return this.delete(life, { plural: 'namespaces', namespace: '', name: namespace });
      case 'create':
      case 'apply':
        return this.#make(life, act, { plural, namespace, name });
      case 'own':
      case 'holdOn':
        return this.#change(life, { plural, namespace, name }, this.#changeOf(act, namespace));
      case 'release':
        return this.release(life, { plural, namespace, name });
      case 'delete':
        return this.delete(life, { plural, namespace, name });
      case 'deleteCollection':
        return this.#deleteCollection(life, plural, namespace);
      case 'quota':
        return this.#quota(life, namespace);
      case 'dropQuota':
        return this.delete(life, { plural: 'resourcequotas', namespace, name: 'q' });
      case 'reshape':
        return this.#reshape(life, { plural: 'services', namespace, name });
    }
  }

  /** Notes when a write is asked for, and the quota that its replica knows. */
  #noteCall({ storage }: Life, namespace: string): JsonObject {
    const { deeds, world } = this.#parts;
    const entry = storage.peek('core/resourcequotas', `${namespace}/q`);
    return deeds.call(world.time, entry && entryObject(entry));
  }

  #reshape(life: Life, place: Place): Promise<void> {
    const { random } = this.#parts;
    const annotations = this.#noteCall(life, place.namespace);
    return this.#change(life, place, (object) => ({
      ...object,
      metadata: { ...(object['metadata'] as JsonObject), annotations },
      spec: { ...(object['spec'] as JsonObject), ...reshaped(object, random) },
    }));
  }

  async #createNamespace(life: Life, name: string): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.#try(life, scope('namespaces'), async (verbs, where) => {
      const { entry } = await verbs.create(where, name, namespace);
      this.#learn({ plural: 'namespaces', namespace: '', name }, entryObject(entry));
    });
  }

  async #make(life: Life, how: 'create' | 'apply', { plural, namespace, name }: Place): Promise<void> {
    const { random } = this.#parts;
    const metadata = {
      name,
      annotations: this.#noteCall(life, namespace),
      ...(random.chance(0.45) && { ownerReferences: this.#someOwners(namespace) }),
      // What an apply no longer names it would take away.
      ...(how === 'create' && random.chance(0.2) && { finalizers: [hold] }),
    };
    const kind = scope(plural).resource.gvk.kind;
    const object = { apiVersion: 'v1', kind, metadata, ...contentOf(plural as Plural, random) };
    await this.#try(life, scope(plural, { namespace }), async (verbs, where) => {
      const { entry } =
        how === 'create'
          ? await verbs.create(where, name, object)
          : await verbs.apply(where, name, object, { force: true });
      this.#learn({ plural, namespace, name }, entryObject(entry));
    });
  }

  #changeOf(act: 'own' | 'holdOn', namespace: string): (object: JsonObject) => JsonObject {
    const ownerReferences = this.#parts.random.chance(0.8) ? this.#someOwners(namespace) : [];
    const change = act === 'own' ? { ownerReferences } : { finalizers: [hold] };
    return (object) => {
      const metadata = object['metadata'] as Metadata;
      // Nobody may add a finalizer to what is being deleted.
      if (metadata.deletionTimestamp != null) return object;
      return { ...object, metadata: { ...metadata, ...change } };
    };
  }

  /** Sometimes of another namespace, where the garbage collector does not find them. */
  #someOwners(namespace: string): OwnerReference[] {
    const { random, deeds } = this.#parts;
    const isNear = random.chance(0.93);
    const known = deeds.known.filter(
      (object) => !isNear || object.namespace === namespace || object.plural === 'namespaces',
    );
    if (known.length === 0) return [];
    const chosen = new Map(
      Array.from({ length: random.chance(0.75) ? 1 : 2 }, () => random.pick(known)).map((each) => [
        each.uid,
        each,
      ]),
    );
    return [...chosen.values()].map((each) => referenceTo(each, random.chance(0.5)));
  }

  async #change(life: Life, place: Place, change: (object: JsonObject) => JsonObject): Promise<void> {
    await this.#try(life, scope(place.plural, { namespace: place.namespace }), (verbs, where) =>
      verbs.patch(where, place.name, change),
    );
  }

  /** Takes the finalizer of the tenants away. */
  async release(life: Life, place: Place): Promise<void> {
    const { deeds } = this.#parts;
    await this.#change(life, place, (object) => {
      const metadata = object['metadata'] as Metadata;
      const { finalizers, uid = '' } = metadata;
      if (finalizers?.includes(hold) !== true) return object;
      deeds.released.add(uid);
      return { ...object, metadata: { ...metadata, finalizers: finalizers.filter((each) => each !== hold) } };
    });
  }

  /** Deletes the object that it finds under the name, and no other. */
  async delete(life: Life, { plural, namespace, name }: Place): Promise<void> {
    const { random, deeds } = this.#parts;
    const policy = random.pick(['default', 'Background', 'Foreground', 'Orphan'] as const);
    const propagationPolicy = policy === 'default' ? undefined : policy;
    await this.#try(life, scope(plural, { namespace }), async (verbs, where) => {
      const found = entryObject(await verbs.get(where, name, { resourceVersion: '' }));
      const { uid = '' } = found.metadata;
      deeds.delete(uid);
      await verbs.delete(where, name, { ...plainDelete, propagationPolicy, preconditions: { uid } });
    });
  }

  async #deleteCollection(life: Life, plural: Plural, namespace: string): Promise<void> {
    const { deeds } = this.#parts;
    deeds.cleared.add(`core/${plural}/${namespace}/`);
    await this.#try(life, scope(plural, { namespace }), (verbs, where) =>
      verbs.deleteCollection(where, everything, plainDelete),
    );
  }

  async #quota(life: Life, namespace: string): Promise<void> {
    const hard = someLimits(this.#parts.random);
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard } };
    await this.#try(life, scope('resourcequotas', { namespace }), (verbs, where) =>
      verbs.apply(where, 'q', quota, { force: true }),
    );
  }

  /** @throws what no client should be told */
  async #try(life: Life, where: RequestScope, ask: Ask): Promise<void> {
    const { world, name, replicas } = this.#parts;
    try {
      await answered(world, life, (lifetime) =>
        ask(replicas.verbsOf(life), Object.assign(where, { lifetime, fieldManager: name })),
      );
    } catch (error) {
      world.trace(`${name} is told: ${String(error)}`);
      if (!isExpected(error)) throw error;
    }
  }

  #learn({ plural, namespace, name }: Place, { metadata: { uid = '' } }: ApiObject): void {
    this.#parts.deeds.learn({ plural: plural as Plural | 'namespaces', namespace, name, uid });
  }
}

interface Metadata extends JsonObject {
  readonly uid?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: string[];
}

interface Place {
  readonly plural: Plural | 'namespaces' | 'resourcequotas';
  readonly namespace: string;
  readonly name: string;
}

/** Another type, which gives back or asks for a node port. An address stays as long as there is one. */
function reshaped({ spec }: JsonObject, random: SeededRandom): JsonObject {
  const { clusterIP } = spec as { clusterIP?: string };
  const { type = '', ports = [] } = serviceSpec(random) as { type?: string; ports?: JsonObject[] };
  return clusterIP === 'None' ? {} : { type, ports };
}

const expected = new Set([403, 404, 409, 410, 422, 429, 503, 504]);

function isExpected(error: unknown): boolean {
  if (error instanceof NoAnswer) return true;
  if (!(error instanceof StatusError)) return false;
  return expected.has(error.code) || error.message.includes('range is full');
}
