/** All that cases work with: etcd that waits for its disk, a replica full of pods, load generators, bare processes. */
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { BareEtcd, BareServer } from './bare.ts';
import type { Target } from './http-connection.ts';
import { LoadGenerator } from './load.ts';
import type { BenchOptions } from './options.ts';
import { podTemplate } from './pod.ts';
import { ReplicaBeside } from './replica-beside.ts';

export interface Lab extends AsyncDisposable {
  readonly options: BenchOptions;
  readonly etcd: EtcdCluster;
  readonly replica: Replica;
  /** What a case may want beside it, over the same etcd. */
  readonly beside: ReplicaBeside;
  readonly load: LoadGenerator;
  /** A second generator, for cases that read and write at once. */
  readonly writer: LoadGenerator;
  readonly bareServer: BareServer;
  readonly bareEtcd: BareEtcd;
  /** For files of a case. */
  readonly folder: string;
  readonly service: Target;
  readonly bare: Target;
  /** Seconds of one turn of one side. */
  readonly turnSeconds: number;
}

/** The path of the pods in a namespace. */
export function podsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

/** Where the stored pods are. */
export const stored = podsIn('stored');

/** Where other programs want the processors, too. */
const readyTimeout = 120_000;

/** Raw loops write some gigabytes until etcd's history is compacted. */
const roomy = ['--quota-backend-bytes=8589934592'];

export async function openLab(options: BenchOptions): Promise<Lab> {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTempFolder('bench');
  stack.defer(() => folder.remove());
  const etcd = stack.use(await startEtcdCluster({ how: 'process', fsync: true, extraArgs: roomy }));
  const pki = stack.use(await makeServicePki());
  const replica = stack.use(await startReplica({ etcd, pki, readyTimeout }));
  const beside = stack.use(new ReplicaBeside({ etcd, pki }));
  const load = stack.use(new LoadGenerator());
  const writer = stack.use(new LoadGenerator());
  const bareServer = stack.use(await BareServer.start(pki, folder.path));
  const bareEtcd = stack.use(new BareEtcd());
  const { cert, key } = pki.admin;
  const service = { port: replica.port, ca: pki.authority.ca, cert, key };
  const bare = { ...service, port: bareServer.port };
  const turnSeconds = options.seconds / options.rounds;
  await seed(replica, load, { target: service, pods: options.pods });
  const owned = stack.move();
  return {
    ...{ options, etcd, replica, beside, load, writer, bareServer, bareEtcd, service, bare, turnSeconds },
    folder: folder.path,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @throws when not all pods are stored */
async function seed(
  replica: Replica,
  load: LoadGenerator,
  what: { target: Target; pods: number },
): Promise<void> {
  for (const name of ['stored', 'created', 'watched']) {
    await replica.admin.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  }
  const { count, errors } = await load.run({
    kind: 'requests',
    target: what.target,
    connections: 32,
    seconds: 600,
    total: what.pods,
    method: 'POST',
    paths: [stored],
    body: podTemplate,
    namePrefix: 'pod',
    expect: 201,
  });
  const { items } = await replica.admin.list(stored);
  if (errors > 0 || items.length !== what.pods) {
    throw new Error(`${items.length} of ${what.pods} pods stored, ${errors} of ${count} creations failed`);
  }
}
