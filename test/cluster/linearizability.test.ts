/** Reads without a version are linearizable at every replica, also while etcd's leader is frozen, thaws, and is killed. */
import { startEtcdCluster } from '../support/etcd/cluster.ts';
import { quiet, withStreamingLists } from '../support/read-path.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { raceUnderLeaderChanges } from './support/race-under-leader-changes.ts';

test('what is written through one replica is what all others read next, under leader changes', async () => {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ members: 3, how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const starting = [0, 1, 2].map(() => startReplica({ etcd, pki, args: [...quiet, ...withStreamingLists] }));
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === 'fulfilled') stack.use(started.value);
  }
  const replicas: Replica[] = await Promise.all(starting);
  await raceUnderLeaderChanges(
    etcd,
    replicas.map(({ admin }) => admin),
  );
}, 180_000);
