/** The replica under attack, and what proves that it is well afterwards. */
import { readFileSync } from 'node:fs';

import { startEtcdCluster } from '../../../support/etcd/cluster.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { startReplica, type Replica } from '../../../support/replica.ts';

export interface Patient extends AsyncDisposable {
  readonly replica: Replica;
  /** Throws unless the replica is healthy, the same process, and its canary object and fresh objects untouched. */
  checkUp(): Promise<void>;
  /** Processor time that the replica has taken so far, in milliseconds. */
  worked(): number;
}

export const configMaps = '/api/v1/namespaces/default/configmaps';

export async function startPatient(): Promise<Patient> {
  const etcd = await startEtcdCluster({ how: 'process' });
  const replica = await startReplica({ etcd });
  const { pid, admin } = replica;
  const canary = await admin.ok('POST', configMaps, {
    metadata: { name: 'canary' },
    data: { song: 'tweet' },
  });
  let count = 0;
  return {
    replica,
    worked: () => processorMs(replica.pid),
    checkUp: async () => {
      if (replica.pid !== pid) throw new Error(`the replica died:\n${replica.logs()}`);
      await waitFor('the replica to be well', async () => (await admin.get('/readyz')).status === 200, {
        details: () => replica.logs(),
      });
      expect(await admin.ok('GET', `${configMaps}/canary`)).toEqual(canary);
      count += 1;
      const fresh = await admin.ok('POST', configMaps, {
        metadata: { name: `fresh-${count}` },
        data: { a: 'b' },
      });
      expect(Object.keys(fresh).toSorted()).toEqual(['apiVersion', 'data', 'kind', 'metadata']);
      expect(Object.keys(fresh.metadata).toSorted()).toEqual(Object.keys(canary.metadata).toSorted());
      await admin.ok('DELETE', `${configMaps}/fresh-${count}`);
    },
    [Symbol.asyncDispose]: async () => {
      await replica.close();
      await etcd.close();
    },
  };
}

/** Processor time that the replica has taken, in milliseconds; the kernel counts it in hundredths of a second. */
function processorMs(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name of the program stands in parentheses and may hold anything.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
