/** A replica over an etcd of its own, and what tests of writes ask of it again and again. */
import type { Answer, ApiClient, ApiObject } from './client.ts';
import { untilPodsMayRun } from './default-account.ts';
import { startEtcdCluster } from './etcd/cluster.ts';
import { startReplica, type Replica } from './replica.ts';

export const namespacePath = '/api/v1/namespaces/writes';
export const configMaps = `${namespacePath}/configmaps`;
export const pods = `${namespacePath}/pods`;
export const deployments = '/apis/apps/v1/namespaces/writes/deployments';

export interface Service extends AsyncDisposable {
  readonly replica: Replica;
  readonly admin: ApiClient;
}

/** Starts both, with the namespace `writes`, where pods may run from then on unless `args` say that they have no accounts. */
export async function startService(args: readonly string[] = []): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const replica = stack.use(await startReplica({ etcd, args }));
  await replica.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'writes' } });
  if (!args.includes('--disable-admission-plugins=ServiceAccount'))
    await untilPodsMayRun(replica.admin, 'writes');
  const owned = stack.move();
  return { replica, admin: replica.admin, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The newest version of a collection: any write to it, and nothing else in a quiet service, moves it. */
export async function revisionOf({ admin }: Service, collection: string): Promise<string> {
  return (await admin.list(collection)).metadata.resourceVersion;
}

/** What differs between two answers to the same request is left out. */
export function comparable(answer: Answer): ApiObject {
  const object = answer.json();
  const {
    resourceVersion: _r,
    uid: _u,
    creationTimestamp: _c,
    managedFields: _m,
    ...metadata
  } = object.metadata;
  return { ...object, metadata: metadata as ApiObject['metadata'] };
}

export function pod(name: string, changes: object = {}): object {
  const spec = { containers: [{ name: 'main', image: 'image:1' }], ...changes };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

export function deployment(name: string): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'image:1' }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

/** The warnings of an answer, without their code and quotes. */
export function warningsOf({ headers }: Answer): string[] {
  const text = headers['warning'] ?? '';
  const quoted = /299 - "((?:[^"\\]|\\.)*)"/g;
  return [...text.matchAll(quoted)].map(([, said = '']) => said.replaceAll('\\"', '"'));
}
