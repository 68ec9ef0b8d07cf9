/** The etcd of a file of tests. */
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { directClient } from '../storage.ts';
import { startEtcdCluster, type EtcdCluster } from './cluster.ts';

export interface UsedEtcd {
  readonly cluster: EtcdCluster;
  /** Straight to it, behind the storage's back. */
  readonly client: EtcdClient;
}

/** One process of etcd, from before the first test of the file until after its last; what it gives is there in tests and hooks. */
export function useEtcd(): UsedEtcd {
  const used = {} as { cluster: EtcdCluster; client: EtcdClient };
  beforeAll(async () => {
    used.cluster = await startEtcdCluster({ how: 'process' });
    used.client = directClient(used.cluster.endpoints);
  });
  afterAll(async () => {
    used.client.close();
    await used.cluster.close();
  });
  return used;
}
