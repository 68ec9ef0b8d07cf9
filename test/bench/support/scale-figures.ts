/** What is measured of a replica that has loaded a store, each figure beside what it should be. */
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { check } from './case.ts';
import { Histogram } from './histogram.ts';
import type { Target } from './http-connection.ts';
import type { LoadGenerator } from './load.ts';
import { figureIn } from './metrics.ts';
import type { RunReport } from './run.ts';
import { nameOf, namespaceOf, openEtcd, slotOf, storeCopies, type Copies } from './scale-data.ts';
import type { Figure } from './scale-report.ts';
import { cpuSeconds, residentMegabytes } from './usage.ts';

/** What prom-client measures the delay of the loop with: its figures hold one such tick each. */
const tickMs = 10;
const readers = 10;
const watchers = 100;
/** Each goes to every one of the watches. */
const eventsToWatches = 2_000;
const eventsToView = 40_000;
/** Changes of one revision: by default etcd takes 128 in a transaction. */
const mostOfRevision = 100;

export interface ScaleLab {
  readonly replica: Replica;
  readonly load: LoadGenerator;
  readonly target: Target;
  readonly endpoints: readonly string[];
  readonly counts: { readonly pods: number; readonly configmaps: number; readonly leases: number };
  readonly copies: { readonly pods: Copies; readonly configmaps: Copies; readonly leases: Copies };
  readonly getsWhenEmpty: number;
  /** Changes a second that etcd takes while nobody follows. */
  readonly changesAlone: number;
  /** Of renewals; GETs take half of it. */
  readonly seconds: number;
}

/** The longest delay of the loop since it was asked for the last time. */
export async function worstTurnMs({ admin }: Replica): Promise<number> {
  const { text } = await admin.get('/metrics');
  return Math.max(0, figureIn(text, 'nodejs_eventloop_lag_max_seconds') * 1000 - tickMs);
}

/** Lists, selectors, pages, GETs, renewals of leases and a compaction, in this order. */
export async function figuresLoaded(lab: ScaleLab): Promise<Figure[]> {
  return [
    ...(await listFigures(lab)),
    ...(await withWorstTurn(lab, 'a label is indexed', selectorFigures)),
    ...(await withWorstTurn(lab, 'pages are sent', pageFigures)),
    ...(await withWorstTurn(lab, 'GETs are answered', getFigures)),
    ...(await withWorstTurn(lab, 'leases are renewed', leaseFigures)),
    ...(await withWorstTurn(lab, 'etcd compacts', compactionFigures)),
  ];
}

/** The figures of a phase, and the longest delay of the loop in it. */
async function withWorstTurn(
  lab: ScaleLab,
  when: string,
  phase: (lab: ScaleLab) => Promise<Figure[]>,
): Promise<Figure[]> {
  await worstTurnMs(lab.replica);
  const figures = await phase(lab);
  const value = await worstTurnMs(lab.replica);
  return [...figures, { name: `worst turn while ${when}`, value, unit: 'ms', bound: 10 }];
}

interface Answers {
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds?: number;
  readonly total?: number;
}

/** @throws when an answer is not 200 */
async function gets({ load, target }: ScaleLab, answers: Answers): Promise<RunReport> {
  const run = await load.run({
    kind: 'requests',
    target,
    seconds: 120,
    method: 'GET',
    expect: 200,
    ...answers,
  });
  check(run.errors === 0, `${answers.paths[0]} is answered with 200`);
  return run;
}

async function listFigures(lab: ScaleLab): Promise<Figure[]> {
  const { replica } = lab;
  const everything = { paths: ['/api/v1/configmaps'] };
  const one = await gets(lab, { ...everything, connections: 1, total: 1 });
  await worstTurnMs(replica);
  const before = await residentMegabytes(replica.pid);
  let [peak, isDone] = [before, false];
  const sampling = waitFor(
    'the lists',
    async () => {
      peak = Math.max(peak, await residentMegabytes(replica.pid));
      return isDone;
    },
    { timeout: 240_000, interval: 50 },
  );
  const many = await gets(lab, { ...everything, connections: readers, total: readers }).finally(() => {
    isDone = true;
  });
  await sampling;
  return [
    { name: 'first byte of a list of all config maps', value: at(one.firstByte, 1), unit: 'ms', bound: 50 },
    { name: `memory that ${readers} such lists at once add`, value: peak - before, unit: 'MB', bound: 100 },
    {
      name: `megabytes a second of ${readers} such lists`,
      value: many.bytes / many.seconds / 1e6,
      unit: 'MB/s',
    },
    { name: 'worst turn meanwhile', value: await worstTurnMs(replica), unit: 'ms', bound: 10 },
  ];
}

async function selectorFigures(lab: ScaleLab): Promise<Figure[]> {
  const path = `/api/v1/pods?labelSelector=slot%3D${slotOf(7)}`;
  // The index is made when a selector comes back.
  await gets(lab, { paths: [path], connections: 1, total: 5 });
  const { latency } = await gets(lab, { paths: [path], connections: 1, total: 30 });
  const picked = (await lab.replica.admin.list(path)).items.length;
  return [
    {
      name: `list of the pods of one of 1,000 labels, median`,
      value: at(latency, 0.5),
      unit: 'ms',
      bound: 10,
    },
    { name: 'pods that it gives', value: picked, unit: 'pods' },
  ];
}

const pageSize = 500;

async function pageFigures(lab: ScaleLab): Promise<Figure[]> {
  const path = `/api/v1/configmaps?limit=${pageSize}`;
  const last = `${path}&continue=${encodeURIComponent(await tokenNearTheEnd(lab))}`;
  const run = async (of: string): Promise<number> =>
    at((await gets(lab, { paths: [of], connections: 1, total: 30 })).latency, 0.5);
  // A turn of each that does not count.
  for (const one of [path, last]) await run(one);
  const [first, end] = [await run(path), await run(last)];
  return [
    { name: `page of ${pageSize} at the beginning, median`, value: first, unit: 'ms' },
    { name: `page of ${pageSize} by token at the end, median`, value: end, unit: 'ms', bound: first * 1.1 },
  ];
}

/** Walks pages until at most two of `pageSize` are left. */
async function tokenNearTheEnd({ replica, counts }: ScaleLab): Promise<string> {
  let [token, left] = ['', counts.configmaps];
  while (left > 2 * pageSize || token === '') {
    const limit = Math.max(1, Math.min(10_000, left - pageSize));
    const path = `/api/v1/configmaps?limit=${limit}&continue=${encodeURIComponent(token)}`;
    const { metadata } = await replica.admin.list(path);
    token = metadata.continue ?? '';
    left = metadata.remainingItemCount ?? 0;
    if (token === '') break;
  }
  return token;
}

async function getFigures(lab: ScaleLab): Promise<Figure[]> {
  const paths = Array.from({ length: 1_000 }, (_unused, slot) => {
    const index = Math.floor((slot * lab.counts.pods) / 1_000);
    return `/api/v1/namespaces/${namespaceOf(index)}/pods/${nameOf(index)}`;
  });
  await gets(lab, { paths, connections: 16, seconds: lab.seconds / 4 });
  const { count, seconds } = await gets(lab, { paths, connections: 16, seconds: lab.seconds / 2 });
  return [
    { name: 'GETs of pods a second', value: count / seconds, unit: '/s' },
    {
      ...{
        name: 'of those of one with an empty store',
        value: (100 * count) / seconds / lab.getsWhenEmpty,
        unit: '%',
      },
      ...{ bound: 90, atLeast: true },
    },
  ];
}

async function leaseFigures(lab: ScaleLab): Promise<Figure[]> {
  const { load, target, counts, replica } = lab;
  const group = '/apis/coordination.orch.io/v1';
  const paths = Array.from(
    { length: counts.leases },
    (_unused, index) => `${group}/namespaces/${namespaceOf(index)}/leases/${nameOf(index)}`,
  );
  const before = await cpuSeconds(replica.pid);
  const renewals = await load.run({
    ...{
      kind: 'requests',
      target,
      connections: 32,
      seconds: lab.seconds,
      method: 'PATCH',
      paths,
      expect: 200,
    },
    ...{ contentType: 'application/merge-patch+json', body: '{"spec":{"holderIdentity":"##"}}' },
  });
  const cpu = (await cpuSeconds(replica.pid)) - before;
  check(renewals.errors === 0, 'leases are renewed');
  return [
    {
      ...{ name: `renewals a second of ${counts.leases} leases`, value: renewals.count / renewals.seconds },
      // Of 10,000 leases, each of them every 10 s.
      ...{ unit: '/s', bound: counts.leases / 10, atLeast: true },
    },
    { name: 'processor time of a renewal', value: (cpu / renewals.count) * 1e6, unit: 'µs' },
  ];
}

/** etcd forgets its history while the replica answers GETs. */
async function compactionFigures(lab: ScaleLab): Promise<Figure[]> {
  const etcd = openEtcd(lab.endpoints);
  try {
    const { metadata } = await lab.replica.admin.list('/api/v1/namespaces?limit=1');
    const path = `/api/v1/namespaces/${namespaceOf(0)}/pods/${nameOf(0)}`;
    // etcd removes what is compacted by and by.
    const reading = gets(lab, { paths: [path], connections: 16, seconds: lab.seconds / 2 });
    const [{ latency }] = await Promise.all([reading, etcd.compact(Number(metadata.resourceVersion))]);
    return [{ name: 'longest GET while etcd compacts', value: at(latency, 1), unit: 'ms' }];
  } finally {
    etcd.close();
  }
}

/** Changes straight in etcd: how fast the view follows, and what they cost when each goes to many watches. */
export async function figuresOfEvents(lab: ScaleLab): Promise<Figure[]> {
  return [
    ...(await withWorstTurn(lab, 'events come into the view', viewFigures)),
    ...(await withWorstTurn(lab, 'events go to watches', watchFigures)),
    ...(await checkFigures(lab)),
  ];
}

/** Changes config maps. Gives how many a second etcd took. */
export async function changesInEtcd({
  endpoints,
  counts,
  copies,
}: Pick<ScaleLab, 'endpoints' | 'counts' | 'copies'>): Promise<number> {
  const changes = Math.min(eventsToView, counts.configmaps);
  const began = performance.now();
  await storeCopies(endpoints, copies.configmaps, [0, changes], mostOfRevision);
  return changes / ((performance.now() - began) / 1000);
}

async function viewFigures(lab: ScaleLab): Promise<Figure[]> {
  const events = Math.min(eventsToView, lab.counts.configmaps);
  const before = await cpuSeconds(lab.replica.pid);
  const view = await followed(lab, events);
  const cost = ((await cpuSeconds(lab.replica.pid)) - before) / events;
  return [
    { name: 'changes a second that etcd takes while nobody follows', value: lab.changesAlone, unit: '/s' },
    {
      name: 'events a second into the view, with the time to write them',
      value: events / view.seconds,
      unit: '/s',
      bound: 40_000,
      atLeast: true,
    },
    { name: 'processor time of an event into the view', value: cost * 1e6, unit: 'µs', bound: 25 },
    { name: 'the view is behind the last of those writes by', value: view.behindMs, unit: 'ms' },
  ];
}

async function watchFigures(lab: ScaleLab): Promise<Figure[]> {
  const fewer = Math.min(eventsToWatches, lab.counts.configmaps);
  const { metadata } = await lab.replica.admin.list('/api/v1/configmaps?limit=1');
  const path = `/api/v1/configmaps?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const cpu = { before: await cpuSeconds(lab.replica.pid), after: 0 };
  const { load, target } = lab;
  const seen = await load.watch({ kind: 'watch', target, watchers, path, events: fewer }, async () => {
    cpu.before = await cpuSeconds(lab.replica.pid);
    await storeCopies(lab.endpoints, lab.copies.configmaps, [0, fewer], mostOfRevision);
  });
  cpu.after = await cpuSeconds(lab.replica.pid);
  const cost = ((cpu.after - cpu.before) / seen.count) * 1e6;
  return [
    {
      name: `changes a second, each to ${watchers} watches`,
      value: fewer / seen.seconds,
      unit: '/s',
      bound: 40_000,
      atLeast: true,
    },
    { name: 'processor time of one event of one watch', value: cost, unit: 'µs', bound: 15 },
  ];
}

async function checkFigures({ replica }: ScaleLab): Promise<Figure[]> {
  const { text } = await replica.admin.get('/metrics');
  const checks = figureIn(text, 'apiserver_storage_consistency_check_duration_seconds_count');
  const sum = figureIn(text, 'apiserver_storage_consistency_check_duration_seconds_sum');
  return [
    { name: 'comparisons with etcd that ended during the run', value: checks, unit: '' },
    { name: 'time of one, with its pauses', value: checks === 0 ? NaN : sum / checks, unit: 's' },
  ];
}

interface Followed {
  /** From the first change until a fresh read shows the last one. */
  readonly seconds: number;
  /** From the last answer of etcd until then. */
  readonly behindMs: number;
}

async function followed(lab: ScaleLab, events: number): Promise<Followed> {
  const began = performance.now();
  await storeCopies(lab.endpoints, lab.copies.configmaps, [0, events], mostOfRevision);
  const written = performance.now();
  // A fresh read waits until the view holds all that was stored before it.
  const path = `/api/v1/namespaces/${namespaceOf(0)}/configmaps/${nameOf(0)}`;
  const { status } = await lab.replica.admin.get(path);
  check(status === 200, 'a changed object is still there');
  const now = performance.now();
  return { seconds: (now - began) / 1000, behindMs: now - written };
}

function at(counts: readonly number[], share: number): number {
  return new Histogram(counts).percentile(share);
}
