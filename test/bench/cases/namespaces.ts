/** Many namespaces with many objects each that are deleted at once. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { check } from '../support/case.ts';
import { longestAnswer } from '../support/longest-answer.ts';
import * as data from '../support/scale-data.ts';
import { worstTurnMs } from '../support/scale-figures.ts';
import { printFigures, type Figure } from '../support/scale-report.ts';
import { cpuSeconds, peakMegabytes, residentMegabytes } from '../support/usage.ts';

const core = '/api/v1/namespaces';
const readyTimeout = 300_000;
/** For a million objects. */
const deletedTimeout = 3_600_000;
const answerBound = 1;

/** Fills the namespaces with so many config maps each, deletes all and waits until they are gone. */
export async function runNamespaces(count: number, each: number): Promise<void> {
  await using etcd = await startEtcdCluster({
    how: 'process',
    extraArgs: ['--quota-backend-bytes=17179869184', `--max-txn-ops=${data.batchOperations}`],
  });
  await using pki = await makeServicePki();
  await using replica = await startReplica({ etcd, pki, readyTimeout });
  await makeNamespaces(replica, count);
  await replica.stop();
  await fill(etcd.endpoints, count, each);
  await replica.start();
  const figures = await deletionFigures(replica, count, each);
  printFigures(`${count} namespaces with ${each} config maps each`, figures);
}

async function makeNamespaces({ admin }: Replica, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await admin.ok('POST', core, { metadata: { name: data.namespaceOf(index, count) } });
  const { name, slot, namespace } = data.template;
  const body = { metadata: { name, labels: { slot } }, data: { text: 'x'.repeat(600) } };
  await admin.ok('POST', `${core}/${namespace}/configmaps`, body);
}

async function fill(endpoints: readonly string[], count: number, each: number): Promise<void> {
  const etcd = data.openEtcd(endpoints);
  const template = await data.templateBelow(etcd, '/registry/core/configmaps');
  etcd.close();
  await data.storeCopies(endpoints, new data.Copies(template, count), [0, count * each]);
  await data.forgetBatches(endpoints);
}

async function deletionFigures(replica: Replica, count: number, each: number): Promise<Figure[]> {
  const { admin, pid } = replica;
  const names = Array.from({ length: count }, (_unused, index) => data.namespaceOf(index, count));
  await worstTurnMs(replica);
  const before = { cpu: await cpuSeconds(pid), resident: await residentMegabytes(pid) };
  const began = performance.now();
  const stopping = new AbortController();
  const answers = longestAnswer(replica, '/livez', stopping.signal);
  const pings = longestAnswer(replica, '/livez/ping', stopping.signal);
  const deleted = Promise.all(names.map((name) => admin.ok('DELETE', `${core}/${name}`)));
  const all = deleted.then(() => gone(replica, names));
  await Promise.race([all, rejectedWith(answers), rejectedWith(pings)]).finally(() => stopping.abort());
  const seconds = (performance.now() - began) / 1000;
  const { items } = await admin.list('/api/v1/configmaps?limit=1');
  check(
    items.every(({ metadata }) => !names.includes(metadata.namespace ?? '')),
    'nothing of them is left',
  );
  const cpu = (await cpuSeconds(pid)) - before.cpu;
  return [
    { name: 'all are gone after', value: seconds, unit: 's' },
    { name: 'objects deleted a second', value: (count * each) / seconds, unit: '/s' },
    { name: 'processor time of an object', value: (cpu / count / each) * 1e6, unit: 'µs' },
    { name: 'memory that it adds', value: (await peakMegabytes(pid)) - before.resident, unit: 'MB' },
    { name: 'worst turn meanwhile', value: await worstTurnMs(replica), unit: 'ms', bound: 10 },
    { name: 'the longest answer of /livez', value: (await answers) / 1000, unit: 's', bound: answerBound },
    {
      name: 'the longest of /livez/ping, without etcd',
      value: (await pings) / 1000,
      unit: 's',
      bound: answerBound,
    },
  ];
}

/** Rejects as the promise does, and never resolves: a bench that nobody is answered in ends at once. */
function rejectedWith(promise: Promise<unknown>): Promise<never> {
  return new Promise((_resolve, reject) => {
    promise.catch(reject);
  });
}

async function gone({ admin }: Replica, names: readonly string[]): Promise<void> {
  const look = async (): Promise<boolean> => {
    const { items } = await admin.list(core);
    return !items.some(({ metadata }) => names.includes(metadata.name));
  };
  await waitFor('the namespaces to go', look, { timeout: deletedTimeout, interval: 200 });
}
