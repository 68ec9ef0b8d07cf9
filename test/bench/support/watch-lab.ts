/** A replica of its own with one object that is watched. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import type { Target } from './http-connection.ts';

const namespace = 'watched';
export const watched = `/api/v1/namespaces/${namespace}/configmaps`;
/** Of one connection over HTTP/2. */
export const streams = 1_000;

export interface WatchLab {
  readonly replica: Replica;
  readonly target: Target;
}

export async function withWatchLab<T>(act: (lab: WatchLab) => Promise<T>): Promise<T> {
  await using etcd = await startEtcdCluster({ how: 'process' });
  await using pki = await makeServicePki();
  const args = ['--controllers=', `--http2-max-streams-per-connection=${streams}`];
  await using replica = await startReplica({ etcd, pki, readyTimeout: 60_000, args });
  await replica.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await replica.admin.ok('POST', watched, { metadata: { name: 'changed' }, data: { a: 'b'.repeat(500) } });
  return await act({ replica, target: { port: replica.port, ca: pki.authority.ca, ...pki.admin } });
}

export async function versionOf({ admin }: Replica): Promise<string> {
  return (await admin.list(watched)).metadata.resourceVersion;
}
