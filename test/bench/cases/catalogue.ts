/** Start with an empty store until ready, against a bare Express; and what the catalogue takes of the memory. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { nodeBinary } from '../../support/paths.ts';
import { startReplica } from '../../support/replica.ts';
import { BareServer } from '../support/bare.ts';
import { check, type BenchCase } from '../support/case.ts';
import type { Lab } from '../support/lab.ts';
import { alternate, timed, type RunReport } from '../support/run.ts';
import { cpuSeconds, residentMegabytes } from '../support/usage.ts';

/** What a process holds after a full collection, in bytes. */
export interface CatalogueMemory {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
  /** Resources of all versions that are loaded. */
  readonly resources: number;
}

let prefixes = 0;

/** From the start of the process until /readyz answers 200; ended outside of the time. */
async function start(lab: Lab): Promise<RunReport & { residentMegabytes: number }> {
  prefixes += 1;
  const options = { etcd: lab.etcd, pki: lab.replica.pki, prefix: `/empty-${prefixes}` };
  let replica: Awaited<ReturnType<typeof startReplica>> | undefined;
  const report = await timed(async () => {
    replica = await startReplica(options);
  });
  if (!replica) throw new Error('no replica');
  await using started = replica;
  const usage = {
    cpuSeconds: await cpuSeconds(started.pid),
    residentMegabytes: await residentMegabytes(started.pid),
  };
  const groups = JSON.parse((await started.admin.get('/apis')).text) as { groups: unknown[] };
  check(groups.groups.length > 15, 'whoever is ready serves all groups');
  return { ...report, ...usage };
}

async function memoryOf(what: 'nothing' | 'catalogue'): Promise<CatalogueMemory> {
  const program = join(import.meta.dirname, '../support/catalogue-memory.ts');
  const { stdout } = await promisify(execFile)(nodeBinary(), ['--expose-gc', program, what]);
  return JSON.parse(stdout) as CatalogueMemory;
}

async function memoryRemark(): Promise<string> {
  const [without, loaded] = [await memoryOf('nothing'), await memoryOf('catalogue')];
  check(loaded.resources > 90, 'the catalogue is loaded');
  const megabytes = (figure: keyof CatalogueMemory): string =>
    ((loaded[figure] - without[figure]) / 1e6).toFixed(1);
  return (
    `the catalogue (${loaded.resources} resources) takes ${megabytes('heapUsed')} MB of heap, ` +
    `${megabytes('external')} MB beside it, ${megabytes('rss')} MB resident`
  );
}

export const catalogueCase: BenchCase = {
  name: 'start with an empty store',
  unit: 'requests',
  run: async (lab) => {
    const residents: number[] = [];
    const service = async (): Promise<RunReport> => {
      const { residentMegabytes: resident, ...report } = await start(lab);
      residents.push(resident);
      return report;
    };
    const bare = (): Promise<RunReport> =>
      timed(async () => {
        using _server = await BareServer.start(lab.replica.pki, lab.folder);
      });
    const comparison = await alternate(lab.options.rounds, { service, bare });
    const usage = { cpu: comparison.service.cpuSeconds, residentMegabytes: Math.max(...residents) };
    return { ...comparison, usage, remarks: [await memoryRemark()] };
  },
};
