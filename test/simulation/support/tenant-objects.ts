/** Objects of the tenants: of kinds that quotas count, that own each other, and that hold addresses. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { SeededRandom } from './seeded-random.ts';

export const plurals = {
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  services: 'Service',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  pods: 'Pod',
} as const;

export type Plural = keyof typeof plurals;

/** How often each kind is chosen. */
export const weights: Readonly<Record<Plural, number>> = {
  configmaps: 6,
  secrets: 4,
  services: 5,
  persistentvolumeclaims: 3,
  pods: 3,
};

/** The finalizer of the tenants. */
export const hold = 'example.test/hold';

export interface OwnerReference extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion: boolean;
}

/** An object that a tenant was told of. */
export interface KnownObject {
  readonly plural: Plural | 'namespaces';
  /** '' for a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function referenceTo({ plural, name, uid }: KnownObject, blockOwnerDeletion: boolean): OwnerReference {
  const kind = plural === 'namespaces' ? 'Namespace' : plurals[plural];
  return { apiVersion: 'v1', kind, name, uid, blockOwnerDeletion };
}

/** What a new object of a kind has beside its metadata. */
export function contentOf(plural: Plural, random: SeededRandom): JsonObject {
  const amount = String(1 + random.below(3));
  switch (plural) {
    case 'configmaps':
      return { data: { number: String(random.below(1_000)) } };
    case 'secrets':
      return { type: 'Opaque' };
    case 'services':
      return { spec: serviceSpec(random) };
    case 'persistentvolumeclaims':
      return {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: `${amount}Gi` } } },
      };
    case 'pods':
      return {
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: amount } } }] },
      };
  }
}

/** With or without an address, with or without a node port, some of them named. */
export function serviceSpec(random: SeededRandom): JsonObject {
  const isNode = random.chance(0.4);
  const port = { port: 80, ...(isNode && random.chance(0.4) && { nodePort: 30_000 + random.below(5) }) };
  const named = random.chance(0.3) ? { clusterIP: `10.0.0.${String(1 + random.below(14))}` } : {};
  const address = !isNode && random.chance(0.15) ? { clusterIP: 'None' } : named;
  return { type: isNode ? 'NodePort' : 'ClusterIP', ports: [port], selector: { app: 'x' }, ...address };
}

const limits: Readonly<Record<string, readonly string[]>> = {
  configmaps: ['1', '3', '6'],
  'count/secrets': ['1', '3'],
  services: ['1', '2', '4'],
  'services.nodeports': ['0', '1', '2'],
  persistentvolumeclaims: ['1', '3'],
  'requests.storage': ['2Gi', '5Gi'],
  pods: ['1', '3'],
  'requests.cpu': ['2', '5'],
};

/** What a quota allows. */
export function someLimits(random: SeededRandom): JsonObject {
  const chosen = Object.entries(limits).filter(() => random.chance(0.4));
  return Object.fromEntries(chosen.map(([name, texts]) => [name, random.pick(texts)]));
}
