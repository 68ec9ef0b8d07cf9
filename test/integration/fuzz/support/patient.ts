/** The replica under attack, and what proves that it is well afterwards. */
import { startEtcdCluster } from '../../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../../support/replica.ts';

export interface Patient extends AsyncDisposable {
  readonly replica: Replica;
  /** Throws unless the replica is healthy, the same process, and its canary object and fresh objects untouched. */
  checkUp(): Promise<void>;
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
    checkUp: async () => {
      if (replica.pid !== pid) throw new Error(`the replica died:\n${replica.logs()}`);
      await admin.ok('GET', '/readyz?verbose').catch(rejectUnlessText);
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

/** Health answers text, which is no JSON. */
function rejectUnlessText(error: unknown): void {
  if (!(error instanceof SyntaxError)) throw error;
}
