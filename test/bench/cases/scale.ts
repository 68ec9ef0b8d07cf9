/** What a replica costs by the number of objects: one store of each size, which a replica of its own loads and serves. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica, type ReplicaOptions } from '../../support/replica.ts';
import { check } from '../support/case.ts';
import type { Target } from '../support/http-connection.ts';
import { LoadGenerator } from '../support/load.ts';
import { podTemplate } from '../support/pod.ts';
import * as data from '../support/scale-data.ts';
import {
  changesInEtcd,
  figuresLoaded,
  figuresOfEvents,
  worstTurnMs,
  type ScaleLab,
} from '../support/scale-figures.ts';
import { printFigures, writeCurves, type Figure, type Sized } from '../support/scale-report.ts';
import { residentMegabytes } from '../support/usage.ts';

/** Of all objects this share are pods of 5 to 6 KB; 10,000 (at most a tenth) are leases; the others config maps. */
const podShare = 0.2;
const mostLeases = 10_000;
/** Serving threads of the replica that comes last. */
const threads = 4;
/** For a start with a million objects. */
const readyTimeout = 300_000;

const core = '/api/v1/namespaces';
const places = {
  pods: { folder: '/registry/core/pods', root: core },
  configmaps: { folder: '/registry/core/configmaps', root: core },
  leases: {
    folder: '/registry/coordination.orch.io/leases',
    root: '/apis/coordination.orch.io/v1/namespaces',
  },
} as const;
type Resource = keyof typeof places;
const resources = Object.keys(places) as Resource[];

/** Measures a store of each size and prints its figures beside their bounds; writes curves where a folder is given. */
export async function runScale(
  sizes: readonly number[],
  { curves, seconds }: { readonly curves: string; readonly seconds: number },
): Promise<void> {
  const measured: Sized[] = [];
  for (const total of sizes) measured.push({ total, figures: await measureStore(total, seconds) });
  if (curves !== '') await writeCurves(curves, measured);
}

/** @param seconds of renewals; GETs take half of it */
async function measureStore(total: number, seconds: number): Promise<readonly Figure[]> {
  // It does not wait for the disk, for the replica is what is measured.
  await using etcd = await startEtcdCluster({
    how: 'process',
    extraArgs: ['--quota-backend-bytes=17179869184', `--max-txn-ops=${data.batchOperations}`],
  });
  await using pki = await makeServicePki();
  using load = new LoadGenerator();
  await using replica = await startReplica({ etcd, pki, readyTimeout, args: ['--controllers='] });
  const { cert, key } = pki.admin;
  const target = { port: replica.port, ca: pki.authority.ca, cert, key };
  const empty = await measureEmpty({ replica, load, target, seconds });
  await replica.stop();
  const filled = await fill(etcd.endpoints, countsOf(total));
  const started = await measureStart(replica, {
    total,
    bytes: filled.bytes,
    empty,
  });
  const lab: ScaleLab = {
    ...{ replica, load, target, endpoints: etcd.endpoints, counts: countsOf(total) },
    ...{ copies: filled.copies, getsWhenEmpty: empty.getsPerSecond, seconds },
    changesAlone: filled.changesAlone,
  };
  await verify(lab);
  const figures = [
    { name: 'objects a second straight into etcd', value: total / filled.seconds, unit: '/s' },
    ...started,
    ...(await figuresLoaded(lab)),
    ...(await figuresOfEvents(lab)),
    ...(await threadFigures(replica, { etcd, pki })),
  ];
  printFigures(`${total} objects, ${(filled.bytes / 1e6).toFixed(0)} MB stored`, figures);
  return figures;
}

function countsOf(total: number): ScaleLab['counts'] {
  const pods = Math.floor(total * podShare);
  const leases = Math.min(mostLeases, Math.floor(total / 10));
  return { pods, leases, configmaps: total - pods - leases };
}

interface Empty {
  readonly getsPerSecond: number;
  readonly startSeconds: number;
  readonly residentMegabytes: number;
}

/** Creates one object of each resource through the API, and times GETs of one and a start while there is nothing else. */
async function measureEmpty(lab: {
  replica: Replica;
  load: LoadGenerator;
  target: Target;
  seconds: number;
}): Promise<Empty> {
  const { replica, load, target } = lab;
  await makeTemplates(replica);
  const paths = [`${core}/${data.template.namespace}/pods/${data.template.name}`];
  const gets = { kind: 'requests', target, connections: 16, method: 'GET', paths, expect: 200 } as const;
  await load.run({ ...gets, seconds: lab.seconds / 3 });
  const { count, seconds } = await load.run({ ...gets, seconds: lab.seconds / 2 });
  await replica.stop();
  const began = performance.now();
  await replica.start();
  const startSeconds = (performance.now() - began) / 1000;
  return {
    ...{ getsPerSecond: count / seconds, startSeconds },
    residentMegabytes: await residentMegabytes(replica.pid),
  };
}

async function makeTemplates({ admin }: Replica): Promise<void> {
  for (let index = 0; index < data.namespaces; index += 1)
    await admin.ok('POST', core, { metadata: { name: data.namespaceOf(index) } });
  const { name, slot, namespace } = data.template;
  // Pods want one, and no controller makes it here.
  await admin.ok('POST', `${core}/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const setting = (_unused: unknown, index: number): [string, string] => [`setting-${index}`, 'v'.repeat(50)];
  const bodies: Record<Resource, string | object> = {
    pods: podTemplate.replace('@@', name).replace('%%', slot),
    configmaps: {
      metadata: { name, labels: { slot } },
      data: Object.fromEntries(Array.from({ length: 12 }, setting)),
    },
    leases: { metadata: { name, labels: { slot } }, spec: { holderIdentity: '0', leaseDurationSeconds: 40 } },
  };
  for (const resource of resources)
    await admin.ok('POST', `${places[resource].root}/${namespace}/${resource}`, bodies[resource]);
}

interface Filled {
  readonly copies: ScaleLab['copies'];
  readonly bytes: number;
  readonly seconds: number;
  /** As that of the lab. */
  readonly changesAlone: number;
}

async function fill(endpoints: readonly string[], counts: ScaleLab['counts']): Promise<Filled> {
  const etcd = data.openEtcd(endpoints);
  const copiesOf = async (resource: Resource): Promise<data.Copies> =>
    new data.Copies(await data.templateBelow(etcd, places[resource].folder));
  const copies = {
    pods: await copiesOf('pods'),
    configmaps: await copiesOf('configmaps'),
    leases: await copiesOf('leases'),
  };
  etcd.close();
  const began = performance.now();
  let bytes = 0;
  for (const resource of resources)
    bytes += await data.storeCopies(endpoints, copies[resource], [0, counts[resource]]);
  const seconds = (performance.now() - began) / 1000;
  const changesAlone = await changesInEtcd({ endpoints, counts, copies });
  await data.forgetBatches(endpoints);
  return { copies, bytes, seconds, changesAlone };
}

/** A replica of several threads over the same store, beside one that was started as freshly. */
async function threadFigures(
  replica: Replica,
  parts: Pick<ReplicaOptions, 'etcd' | 'pki'>,
): Promise<Figure[]> {
  await replica.stop();
  await replica.start();
  const alone = await residentMegabytes(replica.pid);
  await replica.stop();
  const args = ['--controllers=', `--serving-threads=${threads}`];
  await using threaded = await startReplica({ ...parts, args, readyTimeout });
  const value = await residentMegabytes(threaded.pid);
  const name = `resident memory with ${threads} serving threads`;
  return [
    { name, value, unit: 'MB' },
    { name: 'of that of one thread', value: value / alone, unit: 'times', bound: 1.15 },
  ];
}

/** Starts the replica; its time without that of a start with an empty store is that of the objects. */
async function measureStart(
  replica: Replica,
  { total, bytes, empty }: { total: number; bytes: number; empty: Empty },
): Promise<Figure[]> {
  const began = performance.now();
  await replica.start();
  const seconds = (performance.now() - began) / 1000;
  const resident = await residentMegabytes(replica.pid);
  const worst = await worstTurnMs(replica);
  // What a start with an empty store takes varies: less than a second beyond it is no measure.
  const loading = seconds - empty.startSeconds > 1 ? seconds - empty.startSeconds : NaN;
  const bound = (1.2 * bytes + 250 * total) / 2 ** 20;
  return [
    { name: 'start until ready', value: seconds, unit: 's' },
    { name: 'start with an empty store', value: empty.startSeconds, unit: 's' },
    {
      name: 'objects a second beyond that',
      value: total / loading,
      unit: '/s',
      bound: 40_000,
      atLeast: true,
    },
    { name: 'resident memory with an empty store', value: empty.residentMegabytes, unit: 'MB' },
    { name: 'resident memory', value: resident, unit: 'MB', bound },
    { name: 'worst turn of the start', value: worst, unit: 'ms', bound: 10 },
  ];
}

/** @throws when the API does not show what was written into etcd */
async function verify({ replica, counts }: ScaleLab): Promise<void> {
  for (const resource of resources) {
    const { root } = places[resource];
    const ofNamespaces = Array.from({ length: data.namespaces }, (_unused, index) =>
      countIn(replica, `${root}/${data.namespaceOf(index)}/${resource}`),
    );
    const count = (await Promise.all(ofNamespaces)).reduce((sum, one) => sum + one, 0);
    check(count === counts[resource], `${count} of ${counts[resource]} ${resource} are there`);
    for (const index of [0, Math.floor(count / 2), count - 1]) {
      const [name, namespace] = [data.nameOf(index), data.namespaceOf(index)];
      const object = await replica.admin.ok('GET', `${root}/${namespace}/${resource}/${name}`);
      const { labels, uid = '' } = object.metadata;
      check(object.metadata.name === name && object.metadata.namespace === namespace, `${name} has its name`);
      check(labels?.['slot'] === data.slotOf(index), `${name} has its slot`);
      check(uid.endsWith(index.toString(16).padStart(12, '0')), `${name} has its uid`);
    }
  }
}

/** Number of objects of a collection, without reading them. */
async function countIn({ admin }: Replica, path: string): Promise<number> {
  const { items, metadata } = await admin.list(`${path}?limit=1`);
  return items.length + (metadata.remainingItemCount ?? 0);
}
