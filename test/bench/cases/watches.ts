/** What watches cost by their number, and how long a crowd of clients takes to come back to a replica that was started again. */
import { setTimeout as delay } from 'node:timers/promises';

import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { check } from '../support/case.ts';
import { Crowd } from '../support/crowd.ts';
import type { CrowdOrder, CrowdProtocol } from '../support/crowd-types.ts';
import type { Target } from '../support/http-connection.ts';
import { worstTurnMs } from '../support/scale-figures.ts';
import { printFigures, writeCurves, type Figure, type Sized } from '../support/scale-report.ts';
import { cpuSeconds, residentMegabytes } from '../support/usage.ts';

const namespace = 'watched';
const watched = `/api/v1/namespaces/${namespace}/configmaps`;
/** Of one connection over HTTP/2. */
const streams = 1_000;
/** Over HTTP/1.1 each watch has a socket at both ends of this machine. */
const mostAlone = 5_000;
/** All watches together see about so many, of no more changes than these. */
const events = 200_000;
const mostChanges = 500;

/** Kilobytes that a watch may take, and microseconds that an event of it may. */
const memoryBounds: Record<CrowdProtocol, number> = { 'HTTP/2': 4, 'HTTP/1.1': 40 };
const eventBound = 15;

interface WatchLab {
  readonly replica: Replica;
  readonly target: Target;
}

/** Measures each number of watches over both protocols, each with a replica of its own, and prints the figures; writes curves where a folder is given. */
export async function runWatches(sizes: readonly number[], curves: string): Promise<void> {
  const measured: Sized[] = [];
  for (const total of sizes) {
    const figures = await withLab((lab) => figuresOver(lab, 'HTTP/2', total));
    if (total <= mostAlone) figures.push(...(await withLab((lab) => figuresOver(lab, 'HTTP/1.1', total))));
    printFigures(`${total} watches`, figures);
    measured.push({ total, figures });
  }
  if (curves !== '') await writeCurves(curves, measured, 'watches');
}

async function withLab<T>(act: (lab: WatchLab) => Promise<T>): Promise<T> {
  await using etcd = await startEtcdCluster({ how: 'process' });
  await using pki = await makeServicePki();
  const args = ['--controllers=', `--http2-max-streams-per-connection=${streams}`];
  await using replica = await startReplica({ etcd, pki, readyTimeout: 60_000, args });
  await replica.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await replica.admin.ok('POST', watched, { metadata: { name: 'changed' }, data: { a: 'b'.repeat(500) } });
  return await act({ replica, target: { port: replica.port, ca: pki.authority.ca, ...pki.admin } });
}

async function versionOf({ admin }: Replica): Promise<string> {
  return (await admin.list(watched)).metadata.resourceVersion;
}

async function figuresOver(lab: WatchLab, protocol: CrowdProtocol, total: number): Promise<Figure[]> {
  const { replica, target } = lab;
  using crowd = new Crowd();
  const each = protocol === 'HTTP/2' ? Math.min(streams, total) : 1;
  const clients = Math.floor(total / each);
  const version = await versionOf(replica);
  const watches = Array.from({ length: each }, () => ({ path: watched, version }));
  const before = await residentMegabytes(replica.pid);
  const began = performance.now();
  await crowd.gather({ target, protocol, clients, watches });
  await crowd.until('the watches', ({ open }) => open === clients * each);
  const opened = (performance.now() - began) / 1000;
  const resident = await restingMegabytes(replica);
  const cost = await eventCost(lab, crowd, clients * each);
  return [
    { name: `${protocol}: watches opened a second`, value: (clients * each) / opened, unit: '/s' },
    {
      ...{ name: `${protocol}: memory of a watch`, value: ((resident - before) * 1024) / (clients * each) },
      ...{ unit: 'KB', bound: memoryBounds[protocol] },
    },
    {
      ...{ name: `${protocol}: processor time of an event of a watch`, value: cost, unit: 'µs' },
      bound: eventBound,
    },
  ];
}

/** Resident memory once it falls no more: what the watches took only while they began is collected. */
async function restingMegabytes({ pid }: Replica): Promise<number> {
  const looks: number[] = [];
  await waitFor(
    'the memory to rest',
    async () => {
      looks.push(await residentMegabytes(pid));
      return looks.length > 10 && Math.min(...looks.slice(-10)) > Math.min(...looks.slice(0, -10)) - 1;
    },
    { timeout: 60_000, interval: 500 },
  );
  return Math.min(...looks);
}

/** Microseconds of processor time of one event of one watch. */
async function eventCost({ replica }: WatchLab, crowd: Crowd, watches: number): Promise<number> {
  const changes = Math.min(mostChanges, Math.max(2, Math.floor(events / watches)));
  const before = await cpuSeconds(replica.pid);
  for (let i = 0; i < changes; i += 1) {
    const { status } = await replica.admin.patch(`${watched}/changed`, 'merge', { data: { i: String(i) } });
    check(status === 200, 'what is watched changes');
  }
  await crowd.until('all events', (state) => state.events === watches * changes);
  return (((await cpuSeconds(replica.pid)) - before) / watches / changes) * 1e6;
}

/** What controllers of the field watch: every client all of them. */
const herdWatches = [
  ...['pods', 'services', 'endpoints', 'configmaps', 'secrets', 'nodes', 'namespaces', 'serviceaccounts'],
  ...['persistentvolumes', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas'],
  ...['limitranges', 'podtemplates'],
].map((resource) => `/api/v1/${resource}`);
const herdOfApps = ['deployments', 'replicasets', 'statefulsets', 'daemonsets'];
const backBound = 20;
const answerBound = 1;
const askedEveryMs = 20;

/** Clients with 18 watches each, whose replica is started again: how long until all of them go on, and what others wait meanwhile. */
export async function runHerd(clients: number): Promise<void> {
  printFigures(`${clients} clients with 18 watches each`, await withLab((lab) => herdFigures(lab, clients)));
}

async function herdFigures({ replica, target }: WatchLab, clients: number): Promise<Figure[]> {
  using crowd = new Crowd();
  const version = await versionOf(replica);
  const paths = [...herdWatches, ...herdOfApps.map((one) => `/apis/apps/v1/${one}`)];
  const watches = paths.map((path) => ({ path, version }));
  const order: CrowdOrder = { target, protocol: 'HTTP/2', clients, watches };
  const all = clients * watches.length;
  await crowd.gather(order);
  await crowd.until('the watches', ({ open }) => open === all);
  await replica.stop();
  await crowd.until('the watches to end', ({ open }) => open === 0);
  await replica.start();
  const before = await cpuSeconds(replica.pid);
  const began = performance.now();
  await worstTurnMs(replica);
  const stopping = new AbortController();
  const back = crowd.until('the watches to come back', ({ open }) => open === all);
  const [{ expired }, longest] = await Promise.all([
    back.finally(() => stopping.abort()),
    longestAnswer(replica, stopping.signal),
  ]);
  const seconds = (performance.now() - began) / 1000;
  return [
    { name: 'all watches are back after', value: seconds, unit: 's', bound: backBound },
    { name: 'processor time', value: (await cpuSeconds(replica.pid)) - before, unit: 's' },
    { name: 'watches that would have to list', value: expired, unit: '', bound: 0 },
    {
      name: 'the longest answer to another client',
      value: longest / 1000,
      unit: 's',
      bound: answerBound,
    },
    { name: 'worst turn', value: await worstTurnMs(replica), unit: 'ms' },
  ];
}

/** Milliseconds of the longest answer to a client that asks now and then. */
async function longestAnswer({ admin }: Replica, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    await delay(askedEveryMs);
    const asked = performance.now();
    const { status } = await admin.get(`${watched}/changed`);
    check(status === 200, 'others are answered');
    longest = Math.max(longest, performance.now() - asked);
  }
  return longest;
}
