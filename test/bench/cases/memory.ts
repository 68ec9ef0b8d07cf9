/** Resident memory of a replica of its own after many whole lists. */
import { startReplica } from '../../support/replica.ts';
import { check, type BenchCase } from '../support/case.ts';
import { stored } from '../support/lab.ts';
import { Run, type RunReport } from '../support/run.ts';
import { cpuSeconds, residentMegabytes } from '../support/usage.ts';

const lists = 50;
/** What a replica may hold beside twice the stored bytes. */
const baseMegabytes = 250;

export const memoryCase: BenchCase = {
  name: `memory after ${lists} whole lists`,
  unit: 'requests',
  showsBytes: true,
  run: async (lab) => {
    await using replica = await startReplica({ etcd: lab.etcd, pki: lab.replica.pki });
    const { body } = await replica.admin.get(stored);
    const other = await lab.replica.admin.get(stored);
    check(itemsIn(body).equals(itemsIn(other.body)), 'both replicas give the same objects');
    await lab.bareServer.serve(stored, body);
    const turn = (port: number): Promise<RunReport> =>
      lab.load.run({
        ...{ kind: 'requests', target: { ...lab.service, port }, connections: 4, seconds: 600 },
        ...{ total: lists, method: 'GET', paths: [stored], expect: 200 },
      });
    const [service, bare] = [new Run(), new Run()];
    service.add(await turn(replica.port));
    const resident = await residentMegabytes(replica.pid);
    const usage = { cpu: await cpuSeconds(replica.pid), residentMegabytes: resident };
    bare.add(await turn(lab.bare.port));
    const bound = baseMegabytes + (2 * body.length) / 1e6;
    return {
      ...{ service, bare, usage },
      remarks: [
        `${resident.toFixed(0)} MB resident, at most ${bound.toFixed(0)} MB (${baseMegabytes} + 2 × stored)`,
      ],
    };
  },
};

/** Without the head, whose resource version moves on with every lease that is renewed. */
function itemsIn(list: Buffer): Buffer {
  return list.subarray(list.indexOf('"items":'));
}
