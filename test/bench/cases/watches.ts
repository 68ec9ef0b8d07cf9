/** What watches cost by their number. */
import { once } from 'node:events';

import type { Replica } from '../../support/replica.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import type { BareStreamsOrder } from '../support/bare-streams.ts';
import { check } from '../support/case.ts';
import { Crowd } from '../support/crowd.ts';
import type { CrowdProtocol } from '../support/crowd-types.ts';
import { forkHere } from '../support/load.ts';
import { printFigures, writeCurves, type Figure, type Sized } from '../support/scale-report.ts';
import { cpuSeconds, residentMegabytes } from '../support/usage.ts';
import { streams, versionOf, watched, withWatchLab, type WatchLab } from '../support/watch-lab.ts';

/** Over HTTP/1.1 each watch has a socket at both ends of this machine. */
const mostAlone = 5_000;
/** All watches together see about so many, of no more changes than these. */
const events = 200_000;
const mostChanges = 500;

/** Kilobytes that a watch may take, and microseconds that an event of it may. */
const memoryBounds: Record<CrowdProtocol, number> = { 'HTTP/2': 4, 'HTTP/1.1': 40 };
const eventBound = 15;

/** Measures each number of watches over both protocols, each with a replica of its own, and prints the figures; writes curves where a folder is given. */
export async function runWatches(sizes: readonly number[], curves: string): Promise<void> {
  const measured: Sized[] = [];
  for (const total of sizes) {
    const figures = await withWatchLab(async (lab) => [
      ...(await figuresOver(lab, 'HTTP/2', total)),
      await bareFigure(lab, total),
    ]);
    if (total <= mostAlone)
      figures.push(...(await withWatchLab((lab) => figuresOver(lab, 'HTTP/1.1', total))));
    printFigures(`${total} watches`, figures);
    measured.push({ total, figures });
  }
  if (curves !== '') await writeCurves(curves, measured, 'watches');
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

/** Memory of a stream of a server that does nothing but leave it open. */
async function bareFigure({ replica: { pki }, target }: WatchLab, total: number): Promise<Figure> {
  const child = forkHere('bare-streams.ts');
  using crowd = new Crowd();
  try {
    child.send({ ...pki.server, streams } satisfies BareStreamsOrder);
    const [port] = (await within('a bare server', 60_000, once(child, 'message'))) as [number];
    const each = Math.min(streams, total);
    const clients = Math.floor(total / each);
    const watches = Array.from({ length: each }, () => ({ path: watched, version: '0' }));
    const process = { pid: child.pid ?? 0 };
    const before = await residentMegabytes(process.pid);
    await crowd.gather({ target: { ...target, port }, protocol: 'HTTP/2', clients, watches });
    await crowd.until('the streams', ({ open }) => open === clients * each);
    const value = (((await restingMegabytes(process)) - before) * 1024) / (clients * each);
    return { name: "HTTP/2: memory of a stream of Node's server alone", value, unit: 'KB' };
  } finally {
    child.kill();
  }
}

/** Resident memory once it falls no more: what the watches took only while they began is collected. */
async function restingMegabytes({ pid }: Pick<Replica, 'pid'>): Promise<number> {
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
