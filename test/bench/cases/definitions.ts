/** What definitions cost by their number: created through the API, served, described, used, started with, and removed. */
import { ApiClient } from '../../support/client.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { check } from '../support/case.ts';
import { definedKind, objectOf, pathOf, type DefinedKind } from '../support/definitions-data.ts';
import { worstTurnMs } from '../support/scale-figures.ts';
import { printFigures, writeCurves, type Figure, type Sized } from '../support/scale-report.ts';
import { cpuSeconds, peakMegabytes, residentMegabytes } from '../support/usage.ts';

const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const clients = 8;
const longWait = 600_000;
/** Megabytes that a replica may take with 5,000 definitions in use. */
const memoryBound = 1_000;
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' };

/** Measures each number of definitions and prints its figures beside their bounds; writes curves where a folder is given. */
export async function runDefinitions(sizes: readonly number[], curves: string): Promise<void> {
  const measured: Sized[] = [];
  for (const total of sizes) measured.push({ total, figures: await measure(total) });
  if (curves !== '') await writeCurves(curves, measured, 'definitions');
}

interface DefinitionsLab {
  readonly replica: Replica;
  /** Waits longer than others: documents of thousands of definitions take a while. */
  readonly admin: ApiClient;
  readonly kinds: readonly DefinedKind[];
}

async function measure(total: number): Promise<readonly Figure[]> {
  await using etcd = await startEtcdCluster({
    how: 'process',
    extraArgs: ['--quota-backend-bytes=8589934592'],
  });
  await using pki = await makeServicePki();
  await using replica = await startReplica({ etcd, pki, readyTimeout: longWait });
  const { ca } = pki.authority;
  const admin = new ApiClient({ url: replica.url, ca, ...pki.admin, timeout: longWait });
  const lab = { replica, admin, kinds: Array.from({ length: total }, (_unused, i) => definedKind(i)) };
  const figures = [
    ...(await creation(lab)),
    ...(await oneMore(lab)),
    ...(await documents(lab)),
    ...(await use(lab)),
    ...(await restart(lab)),
    ...(await removal(lab)),
  ];
  admin.close();
  printFigures(`${total} definitions`, figures);
  return figures;
}

/** What an action takes, with the memory behind it. */
async function timed(
  { replica }: DefinitionsLab,
  what: string,
  action: () => Promise<unknown>,
): Promise<Figure[]> {
  const [began, before] = [performance.now(), await cpuSeconds(replica.pid)];
  await action();
  const seconds = (performance.now() - began) / 1000;
  return [
    { name: what, value: seconds, unit: 's' },
    { name: `${what}: processor time`, value: (await cpuSeconds(replica.pid)) - before, unit: 's' },
    { name: `${what}: resident then`, value: await residentMegabytes(replica.pid), unit: 'MB' },
  ];
}

/** Runs an action for each kind, for several at once. */
async function each(
  kinds: readonly DefinedKind[],
  action: (kind: DefinedKind) => Promise<unknown>,
): Promise<void> {
  const left = kinds.values();
  const one = async (): Promise<void> => {
    for (const kind of left) await action(kind);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

function served({ admin }: DefinitionsLab, kind: DefinedKind): Promise<unknown> {
  const look = async (): Promise<boolean> => (await admin.get(pathOf(kind))).status === 200;
  return waitFor(`${kind.plural} to be served`, look, { timeout: longWait, interval: 10 });
}

function creation(lab: DefinitionsLab): Promise<Figure[]> {
  const create = ({ body }: DefinedKind): Promise<unknown> => lab.admin.ok('POST', definitions, body);
  return timed(lab, 'created and served', async () => {
    await each(lab.kinds, create);
    await each(lab.kinds, (kind) => served(lab, kind));
  });
}

/** One more definition, a change of it while the others rest, and its end. */
async function oneMore(lab: DefinitionsLab): Promise<Figure[]> {
  const { admin, replica, kinds } = lab;
  const fresh = definedKind(kinds.length);
  const began = performance.now();
  await admin.ok('POST', definitions, fresh.body);
  await served(lab, fresh);
  const seconds = (performance.now() - began) / 1000;
  const path = `${definitions}/${fresh.plural}.${fresh.group}`;
  const changes = 20;
  const before = await cpuSeconds(replica.pid);
  for (let i = 0; i < changes; i += 1) {
    const names = { shortNames: [`t${i}`] };
    await admin.patch(path, 'merge', { spec: { names } });
  }
  const cpu = (await cpuSeconds(replica.pid)) - before;
  await admin.delete(path);
  return [
    { name: 'one more is served after', value: seconds, unit: 's', bound: 1 },
    { name: 'processor time of a change of it', value: (cpu / changes) * 1000, unit: 'ms' },
  ];
}

async function documents(lab: DefinitionsLab): Promise<Figure[]> {
  const { admin, replica } = lab;
  const get = async (path: string): Promise<void> => {
    const { status } = await admin.get(path, { 'accept-encoding': 'gzip' });
    check(status === 200, `${path} is served`);
  };
  await worstTurnMs(replica);
  return [
    ...(await timed(lab, 'index of /openapi/v3', () => get('/openapi/v3'))),
    ...(await timed(lab, '/openapi/v2', () => get('/openapi/v2'))),
    { name: 'worst turn of both', value: await worstTurnMs(replica), unit: 'ms', bound: 10 },
  ];
}

/** An object of each kind is created, got, shown as a table, watched and applied. */
async function use(lab: DefinitionsLab): Promise<Figure[]> {
  const { admin, replica, kinds } = lab;
  const useOne = async (kind: DefinedKind): Promise<void> => {
    const path = pathOf(kind);
    await admin.ok('POST', path, objectOf(kind, 'a'));
    const { rows } = JSON.parse((await admin.get(path, asTable)).text) as { rows?: unknown[] };
    check(rows?.length === 1, `${kind.plural} has a row`);
    const watch = await admin.watch(`${path}?resourceVersion=0`);
    check((await watch.next())?.type === 'ADDED', `${kind.plural} can be watched`);
    watch.close();
    const { status } = await admin.patch(
      `${path}/one?fieldManager=b&force=true`,
      'apply',
      objectOf(kind, 'b'),
    );
    check(status === 200, `an object of ${kind.plural} can be applied`);
  };
  await worstTurnMs(replica);
  return [
    ...(await timed(lab, 'each used', () => each(kinds, useOne))),
    { name: 'worst turn of that', value: await worstTurnMs(replica), unit: 'ms', bound: 10 },
    { name: 'peak of memory', value: await peakMegabytes(replica.pid), unit: 'MB', bound: memoryBound },
  ];
}

async function restart(lab: DefinitionsLab): Promise<Figure[]> {
  const { replica } = lab;
  await replica.stop();
  const began = performance.now();
  await replica.start();
  const seconds = (performance.now() - began) / 1000;
  return [
    { name: 'start until ready', value: seconds, unit: 's' },
    { name: 'start: processor time', value: await cpuSeconds(replica.pid), unit: 's' },
    { name: 'start: resident then', value: await residentMegabytes(replica.pid), unit: 'MB' },
  ];
}

function removal(lab: DefinitionsLab): Promise<Figure[]> {
  const { admin, kinds } = lab;
  const isGone = async (): Promise<boolean> =>
    (await admin.list(`${definitions}?limit=1`)).items.length === 0;
  return timed(lab, 'all removed', async () => {
    await each(kinds, ({ plural, group }) => admin.ok('DELETE', `${definitions}/${plural}.${group}`));
    await waitFor('no definition to be left', isGone, { timeout: longWait, interval: 200 });
  });
}
