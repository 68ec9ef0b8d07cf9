/**
 * Reads without a version are linearizable at every serving thread of one process, also while etcd's leader is frozen,
 * thaws, and is killed, and while threads end and are replaced.
 */
import { startEtcdCluster } from '../support/etcd/cluster.ts';
import { endServingThread, endableThreads } from '../support/ended-threads.ts';
import { quiet, withStreamingLists } from '../support/read-path.ts';
import { makeServicePki, startReplica } from '../support/replica.ts';
import { raceUnderLeaderChanges } from './support/race-under-leader-changes.ts';

test('what is written through one thread is what all others read next, under leader changes and ends of threads', async () => {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ members: 3, how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const args = [...quiet, ...withStreamingLists, '--serving-threads=3'];
  const replica = stack.use(await startReplica({ etcd, pki, args, env: endableThreads }));
  const clients = [0, 1, 2].map(() => replica.client(pki.admin));
  for (const client of clients) stack.defer(() => client.close());
  let ended = 0;
  await raceUnderLeaderChanges(etcd, clients, async () => {
    await endServingThread({ pid: replica.pid, output: () => replica.logs() });
    ended += 1;
  });
  expect(ended).toBe(3);
}, 180_000);
