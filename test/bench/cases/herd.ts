/** How long a crowd of clients takes to come back when the replica, or the balancer in front of it, is started again. */
import { Balancer } from '../../support/balancer.ts';
import { Crowd } from '../support/crowd.ts';
import type { CrowdOrder } from '../support/crowd-types.ts';
import { longestAnswer } from '../support/longest-answer.ts';
import { worstTurnMs } from '../support/scale-figures.ts';
import { printFigures, type Figure } from '../support/scale-report.ts';
import { cpuSeconds } from '../support/usage.ts';
import { versionOf, watched, withWatchLab, type WatchLab } from '../support/watch-lab.ts';

/** What controllers of the field watch: every client all of them. */
const herdWatches = [
  ...['pods', 'services', 'endpoints', 'configmaps', 'secrets', 'nodes', 'namespaces', 'serviceaccounts'],
  ...['persistentvolumes', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas'],
  ...['limitranges', 'podtemplates'],
].map((resource) => `/api/v1/${resource}`);
const herdOfApps = ['deployments', 'replicasets', 'statefulsets', 'daemonsets'];
const backBound = 20;
const answerBound = 1;

/** Ends all connections of the clients, and lets them come back. */
type Restart = (ended: Promise<unknown>) => Promise<void>;

/** Clients with 18 watches each, whose replica is started again: how long until all of them go on, and what others wait meanwhile. */
export async function runHerd(clients: number): Promise<void> {
  const figures = await withWatchLab((lab) => {
    const restart: Restart = async (ended) => {
      await lab.replica.stop();
      await ended;
      await lab.replica.start();
    };
    return herdFigures(lab, clients, restart);
  });
  printFigures(`${clients} clients with 18 watches each`, figures);
}

/**
 * The same through the balancer of the deployment, which is started again instead of the replica. It makes no health checks, for on a busy
 * machine a replica misses them, and then the balancer ends its connections.
 */
export async function runHerdBehindBalancer(clients: number): Promise<void> {
  const figures = await withWatchLab(async ({ replica, target }) => {
    await using balancer = await Balancer.start(replica.pki, [replica], { checks: false });
    const restart: Restart = async (ended) => {
      const restarted = balancer.restart();
      await ended;
      await restarted;
    };
    return await herdFigures({ replica, target: { ...target, port: balancer.port } }, clients, restart);
  });
  printFigures(`${clients} clients with 18 watches each behind a balancer`, figures);
}

async function herdFigures(
  { replica, target }: WatchLab,
  clients: number,
  restart: Restart,
): Promise<Figure[]> {
  using crowd = new Crowd();
  const version = await versionOf(replica);
  const paths = [...herdWatches, ...herdOfApps.map((one) => `/apis/apps/v1/${one}`)];
  const watches = paths.map((path) => ({ path, version }));
  const order: CrowdOrder = { target, protocol: 'HTTP/2', clients, watches };
  const all = clients * watches.length;
  await crowd.gather(order);
  await crowd.until('the watches', ({ open }) => open === all);
  await restart(crowd.until('the watches to end', ({ open }) => open < all));
  const before = await cpuSeconds(replica.pid);
  const began = performance.now();
  await worstTurnMs(replica);
  const stopping = new AbortController();
  const back = crowd.until('the watches to come back', ({ open }) => open === all);
  const [{ expired }, longest] = await Promise.all([
    back.finally(() => stopping.abort()),
    longestAnswer(replica, `${watched}/changed`, stopping.signal),
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
