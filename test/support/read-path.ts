/** What the tests of the read path share: replicas of which one sees etcd only as far as a proxy lets it. */
import { systemEnvironment } from '../../src/base/environment.ts';
import { EtcdClient } from '../../src/storage/etcd/client.ts';
import { defaultTimes } from '../../src/storage/options.ts';
import type { Answer, ApiList, ApiObject, WatchEvent } from './client.ts';
import { startEtcdCluster, type EtcdCluster } from './etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from './replica.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { waitFor } from './wait-for.ts';

export const namespace = 'reading';
export const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

/** No controller writes while a test counts. */
export const quiet = ['--controllers='];

/** The first release that knows streaming lists, with their gate. */
export const withStreamingLists = ['--emulated-release=1.27', '--feature-gates=WatchList=true'];

/** Two replicas of one service: one straight at etcd, one behind a proxy that can hold its view back. */
export interface Stage extends AsyncDisposable {
  readonly etcd: EtcdCluster;
  readonly near: Replica;
  readonly far: Replica;
  readonly proxy: TcpProxy;
}

export async function openStage(args: readonly string[] = quiet): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const proxy = stack.use(await TcpProxy.start(etcd.endpoints[0] ?? ''));
  const pki = stack.use(await makeServicePki());
  const behind = { endpoints: [proxy.endpoint], tls: undefined };
  const starting = [startReplica({ etcd, pki, args }), startReplica({ etcd: behind, pki, args })];
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === 'fulfilled') stack.use(started.value);
  }
  const [near, far] = await Promise.all(starting);
  if (near === undefined || far === undefined) throw new Error('no replicas');
  await near.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const owned = stack.move();
  return { etcd, near, far, proxy, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** One replica over an etcd of its own. */
export async function openService(
  args: readonly string[] = quiet,
): Promise<AsyncDisposable & { readonly etcd: EtcdCluster; readonly replica: Replica }> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const replica = stack.use(await startReplica({ etcd, args }));
  await replica.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const owned = stack.move();
  return { etcd, replica, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export interface MapOptions {
  readonly labels?: Record<string, string>;
  /** Bytes of filling. */
  readonly padding?: number;
}

export function configMap(name: string, value: string, options: MapOptions = {}): object {
  const { labels, padding = 0 } = options;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(labels && { labels }) },
    data: { value, ...(padding > 0 && { padding: 'x'.repeat(padding) }) },
  };
}

export function create(
  replica: Replica,
  name: string,
  value = '1',
  options?: MapOptions,
): Promise<ApiObject> {
  return replica.admin.ok('POST', configMaps, configMap(name, value, options));
}

export function change(
  replica: Replica,
  name: string,
  value: string,
  options?: MapOptions,
): Promise<ApiObject> {
  return replica.admin.ok('PUT', `${configMaps}/${name}`, configMap(name, value, options));
}

export function remove(replica: Replica, name: string): Promise<ApiObject> {
  return replica.admin.ok('DELETE', `${configMaps}/${name}`);
}

/** Creates many at once, a few at a time. */
export async function createMany(
  replica: Replica,
  names: readonly string[],
  options: MapOptions = {},
): Promise<void> {
  const left = names.values();
  const work = async (): Promise<void> => {
    for (const name of left) await create(replica, name, '1', options);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

export function versionOf(object: { metadata: { resourceVersion: string } }): number {
  return Number(object.metadata.resourceVersion);
}

export function valueOf(object: ApiObject): string {
  return (object['data'] as Record<string, string> | undefined)?.['value'] ?? '';
}

/** `name=value` of every item. */
export function stateOf(list: ApiList): string[] {
  return list.items.map((item) => `${item.metadata.name}=${valueOf(item)}`);
}

export function listOf(answer: Answer): ApiList {
  expect(answer).toMatchObject({ status: 200 });
  return answer.json() as unknown as ApiList;
}

/** `TYPE name=value` of every event; bookmarks without a name. */
export function linesOf(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}=${valueOf(object)}`);
}

/** True when the promise has not settled after another request to the same replica was answered. */
export async function isWaiting(replica: Replica, promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  promise.then(note, note);
  await replica.admin.get(`${configMaps}?resourceVersion=0`);
  return !isOver;
}

/** A client of etcd behind the service's back. */
export function etcdClient(etcd: Pick<EtcdCluster, 'endpoints'>): EtcdClient {
  const none = (): void => undefined;
  const logger = { debug: none, info: none, warn: none, error: none };
  const options = { endpoints: etcd.endpoints, logger, metrics: { observeEtcdRequest: none } };
  return new EtcdClient({ options, times: defaultTimes, ...systemEnvironment });
}

/** Forgets etcd's history up to and including what came before `revision`. */
export async function compact(etcd: EtcdCluster, revision: number): Promise<void> {
  const client = etcdClient(etcd);
  await client.compact(revision);
  client.close();
}

/** The sum of a metric over its labels that match. */
export async function metricOf(replica: Replica, name: string, labels = ''): Promise<number> {
  const { text } = await replica.admin.get('/metrics');
  let sum = 0;
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}{`) && !line.startsWith(`${name} `)) continue;
    if (line.includes(labels)) sum += Number(line.slice(line.lastIndexOf(' ')));
  }
  return sum;
}

/** The checks of /readyz that fail, as its verbose answer names them. */
export async function failingChecks(replica: Replica): Promise<string[]> {
  const answer = await replica.admin.get('/readyz?verbose');
  const failing = [...answer.text.matchAll(/^\[-\](\S+) failed/gm)].map(([, name = '']) => name);
  expect(answer.status).toBe(failing.length === 0 ? 200 : 500);
  return failing;
}

/** Waits until /readyz names a check that fails. @returns all that fail then */
export function untilFailing(replica: Replica, check: string): Promise<string[]> {
  const look = async (): Promise<string[] | false> => {
    const failing = await failingChecks(replica);
    return failing.includes(check) && failing;
  };
  return waitFor(`the check ${check} to fail`, look, { timeout: 30_000 });
}

/** Waits until /readyz finds nothing wrong. */
export async function untilReady(replica: Replica): Promise<void> {
  const look = async (): Promise<boolean> => (await failingChecks(replica)).length === 0;
  await waitFor('all checks to pass', look, { timeout: 30_000 });
}
