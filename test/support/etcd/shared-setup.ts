/** Before a run: chooses the programs of etcd; where suites share an etcd (ORCH_TEST_SHARED_ETCD), starts it. */
import { preferChosenEtcd } from '../paths.ts';
import type { EtcdCluster } from './types.ts';

const key = Symbol.for('orch.shared-etcd');
type Holder = Record<symbol, EtcdCluster | undefined>;

/** Jest's `globalSetup`; the processes of the run inherit the endpoint. */
export default async function startShared(): Promise<void> {
  preferChosenEtcd();
  if (process.env['ORCH_TEST_SHARED_ETCD'] !== 'true') return;
  // Other runs do without the libraries that this needs.
  const { startEtcdCluster } = await import('./cluster.ts');
  const { sharedEndpoint } = await import('./shared.ts');
  const cluster = await startEtcdCluster({ how: 'process' });
  (globalThis as unknown as Holder)[key] = cluster;
  process.env[sharedEndpoint] = cluster.endpoints[0];
}

/** Jest's `globalTeardown` calls it. */
export async function stopShared(): Promise<void> {
  await (globalThis as unknown as Holder)[key]?.close();
}
