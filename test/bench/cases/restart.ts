/** From the start of a replica's process until it is ready with all that is stored, against a bare Express. */
import { startReplica } from '../../support/replica.ts';
import { check, type BenchCase } from '../support/case.ts';
import { stored } from '../support/lab.ts';
import { BareServer } from '../support/bare.ts';
import { alternate, timed, type RunReport } from '../support/run.ts';
import { cpuSeconds, residentMegabytes } from '../support/usage.ts';

export const restartCase: BenchCase = {
  name: 'ready after a restart',
  unit: 'requests',
  run: async (lab) => {
    await using replica = await startReplica({ etcd: lab.etcd, pki: lab.replica.pki });
    const service = async (): Promise<RunReport> => {
      await replica.stop();
      return timed(() => replica.start());
    };
    const bare = (): Promise<RunReport> =>
      timed(async () => {
        using _server = await BareServer.start(lab.replica.pki, lab.folder);
      });
    const comparison = await alternate(lab.options.rounds, { service, bare });
    const { items } = await replica.admin.list(`${stored}?resourceVersion=0`);
    check(items.length === lab.options.pods, 'a replica that is ready holds every pod');
    const cpu = (await cpuSeconds(replica.pid)) * lab.options.rounds;
    return { ...comparison, usage: { cpu, residentMegabytes: await residentMegabytes(replica.pid) } };
  },
};
