/** Two replicas over one etcd, and a custom resource that uses most of what definitions can say. */
import type { JsonObject } from '../../src/base/json.ts';
import type { ApiClient, ApiObject } from './client.ts';
import { startEtcdCluster, type EtcdCluster } from './etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from './replica.ts';
import { waitFor } from './wait-for.ts';

export const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
export const namespaced = '/apis/example.com/v1/namespaces/default';

export interface Pair extends AsyncDisposable {
  readonly etcd: EtcdCluster;
  readonly one: Replica;
  readonly two: Replica;
}

/** @param args flags of both */
export async function startPair(args: readonly string[] = []): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const one = stack.use(await startReplica({ etcd, pki, args }));
  const two = stack.use(await startReplica({ etcd, pki, args }));
  const owned = stack.move();
  return { etcd, one, two, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const text = { type: 'string' } as const;

/** What the spec of a widget may hold. */
export const widgetSpec: JsonObject = {
  type: 'object',
  description: 'What is wanted of a widget.',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10, description: 'How large it is.' },
    color: { ...text, default: 'grey', enum: ['grey', 'red'] },
    note: { ...text, pattern: '^[a-z]*$', nullable: true },
    replicas: { type: 'integer' },
    ports: {
      type: 'array',
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['port'],
      items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' }, name: text } },
    },
    tags: { type: 'array', 'x-orch-list-type': 'set', items: text },
    free: { type: 'object', 'x-orch-preserve-unknown-fields': true },
    either: { 'x-orch-int-or-string': true },
  },
};

export const widgetVersion: JsonObject = {
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      description: 'Widgets are for trying things out.',
      properties: {
        spec: widgetSpec,
        status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: text } },
      },
    },
  },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How large it is.' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
    { name: 'First', type: 'string', jsonPath: '.spec.ports[?(@.name=="first")].port' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};

/** A definition `<plural>.example.com`; `spec` overrides. */
export function definition(plural: string, kind: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, shortNames: [`${plural.slice(0, 2)}x`], categories: ['all'] },
      versions: [widgetVersion],
      ...spec,
    },
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

export function conditionsOf(object: ApiObject): Record<string, string> {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: Condition[] };
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

/** Creates a definition and waits until it is established. */
export async function establish(client: ApiClient, made: JsonObject): Promise<ApiObject> {
  const { name } = (await client.ok('POST', definitions, made)).metadata;
  return established(client, name);
}

export function established(client: ApiClient, name: string): Promise<ApiObject> {
  return waitFor(`${name} is established`, async () => {
    const object = await client.ok('GET', `${definitions}/${name}`);
    return conditionsOf(object)['Established']?.startsWith('True') ? object : undefined;
  });
}

export function widget(name: string, spec: JsonObject = { size: 1 }, kind = 'Widget'): JsonObject {
  return { apiVersion: 'example.com/v1', kind, metadata: { name }, spec };
}

/** `field: message` of each cause of a refusal. */
export function causesOf(answer: { json(): ApiObject }): string[] {
  const { details } = answer.json() as unknown as {
    details: { causes: { field: string; message: string }[] };
  };
  return details.causes.map(({ field, message }) => `${field}: ${message}`);
}
