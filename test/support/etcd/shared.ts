/**
 * One etcd for many suites, each below a prefix of its own: for those that do not stop or freeze etcd, compact it,
 * write behind the service's back or compare revisions of whole lists. Those start a cluster of their own.
 */
import { randomUUID } from 'node:crypto';

import { startEtcdCluster } from './cluster.ts';
import { startMemoryCluster } from './memory-cluster.ts';
import { deletePrefix } from './status.ts';

/** Names the endpoint of the etcd that a run of many suites shares; see shared-setup.ts. */
export const sharedEndpoint = 'ORCH_TEST_SHARED_ETCD_ENDPOINT';

export interface SharedEtcd extends AsyncDisposable {
  readonly endpoints: readonly string[];
  readonly tls: undefined;
  /** For `--etcd-prefix`: no other suite reads or writes below it. */
  readonly prefix: string;
  /** Deletes what is below the prefix. */
  close(): Promise<void>;
}

/** The etcd that the run shares; one of its own where a suite runs alone. The caller closes it. */
export async function shareEtcd(): Promise<SharedEtcd> {
  const endpoint = process.env[sharedEndpoint];
  const own =
    startMemoryCluster() ?? (endpoint === undefined ? await startEtcdCluster({ how: 'process' }) : undefined);
  const prefix = `/suite-${randomUUID()}`;
  const close = async (): Promise<void> => {
    if (own !== undefined) await own.close();
    else await deletePrefix(endpoint ?? '', prefix);
  };
  const endpoints = own?.endpoints ?? [endpoint ?? ''];
  return { endpoints, tls: undefined, prefix, close, [Symbol.asyncDispose]: close };
}
