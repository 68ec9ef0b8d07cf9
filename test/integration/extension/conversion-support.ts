/** Two replicas, a definition whose versions differ, and the webhook server that converts between them. */
import { textOf, type JsonObject } from '../../../src/base/json.ts';
import type { ApiObject } from '../../support/client.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { WebhookServer, type WebhookAnswer, type WebhookCall } from '../../support/webhook-server.ts';
import type { TestAuthority } from '../../support/pki.ts';
import { definition } from '../../support/custom-resources.ts';

export interface Converting extends AsyncDisposable {
  readonly one: Replica;
  readonly two: Replica;
  readonly server: WebhookServer;
  readonly authority: TestAuthority;
  readonly caBundle: string;
}

export interface Asked {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: JsonObject[];
}

export async function startConverting(args: readonly string[] = []): Promise<Converting> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const identity = await pki.authority.server('converter', ['converter.web.svc']);
  const server = stack.use(await WebhookServer.start(identity, pki.authority));
  server.answer = answering(converted);
  const one = stack.use(await startReplica({ etcd, pki, args }));
  const two = stack.use(await startReplica({ etcd, pki, args }));
  const { authority } = pki;
  const owned = stack.move();
  return {
    ...{ one, two, server, authority, caBundle: Buffer.from(authority.ca).toString('base64') },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const status = { type: 'object', properties: { replicas: { type: 'integer' } } };
const replicas = { type: 'integer' };

function version(name: string, storage: boolean, properties: JsonObject): JsonObject {
  return {
    ...{ name, storage, served: true, subresources: { status: {}, scale } },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { ...properties, replicas } }, status },
      },
    },
  };
}

/** v1 has host and port, v2 both in one text: `host:port`. */
export function endpointVersions(stored: 'v1' | 'v2' = 'v1'): JsonObject[] {
  return [
    version('v1', stored === 'v1', {
      host: { type: 'string' },
      port: { type: 'integer', maximum: 65535 },
      big: { type: 'integer' },
    }),
    version('v2', stored === 'v2', {
      address: { type: 'string', pattern: ':' },
      big: { type: 'integer' },
      tier: { type: 'string', default: 'gold' },
    }),
  ];
}

/** Strategy Webhook at a path of the server. */
export function webhookAt(
  { server, caBundle }: Pick<Converting, 'server' | 'caBundle'>,
  path: string,
  reviews: readonly string[] = ['v1', 'v1beta1'],
): JsonObject {
  const clientConfig = { url: `${server.url}/${path}`, caBundle };
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: [...reviews] } };
}

/** `<plural>.example.com` that the server converts at `/<plural>`. */
export function endpointDefinition(
  parts: Pick<Converting, 'server' | 'caBundle'>,
  plural: string,
  kind: string,
): JsonObject {
  return definition(plural, kind, {
    versions: endpointVersions(),
    conversion: webhookAt(parts, plural),
  });
}

/** One object in another version, as an honest webhook makes it: what v1 has no field for is in an annotation. */
export function converted(object: JsonObject, desired: string): JsonObject {
  const { spec, metadata } = object as { spec: JsonObject; metadata: JsonObject };
  const { host, port, address, tier, ...more } = spec;
  const { tier: kept, ...annotations } = (metadata['annotations'] ?? {}) as JsonObject;
  const own: JsonObject = {};
  if (desired.endsWith('/v2')) {
    if (host !== undefined) own['address'] = `${textOf(host)}:${JSON.stringify(port)}`;
    if (kept !== undefined) own['tier'] = kept;
  } else {
    const [name = '', number] = textOf(address).split(':');
    if (address !== undefined) Object.assign(own, { host: name, port: Number(number) });
    if (tier !== undefined) annotations['tier'] = tier;
  }
  const isBare = Object.keys(annotations).length === 0 && metadata['annotations'] === undefined;
  return {
    ...object,
    apiVersion: desired,
    metadata: isBare ? metadata : { ...metadata, annotations },
    spec: { ...own, ...more },
  };
}

/** An answer to a review whose objects become what `convert` makes of them. */
export function answering(
  convert: (object: JsonObject, desired: string) => JsonObject,
): (call: WebhookCall) => WebhookAnswer {
  return ({ body }) => {
    const { uid, desiredAPIVersion, objects } = body['request'] as Asked;
    const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
    return reviewed(body, { uid, convertedObjects, result: { status: 'Success' } });
  };
}

/** A response in the version of the question. */
export function reviewed({ apiVersion, kind }: Record<string, unknown>, response: object): WebhookAnswer {
  return { body: { apiVersion, kind, response } };
}

/** What was asked at `/<path>` of the server. */
export function askedAt(server: WebhookServer, path: string): Asked[] {
  return server.calls
    .filter((call) => new URL(call.path, 'https://hook').pathname === `/${path}`)
    .map(({ body }) => body['request'] as Asked);
}

/** Path of objects in the namespace `default`. */
export function pathOf(version: string, plural: string, name = ''): string {
  return `/apis/example.com/${version}/namespaces/default/${plural}${name === '' ? '' : `/${name}`}`;
}

export function specOf(object: ApiObject): unknown {
  return object['spec'];
}

/** An object in one of the two versions. */
export function endpoint(kind: string, name: string, version = 'v1', more: JsonObject = {}): JsonObject {
  const spec = version === 'v1' ? { host: 'a', port: 1 } : { address: 'a:1' };
  return { apiVersion: `example.com/${version}`, kind, metadata: { name }, spec: { ...spec, ...more } };
}
