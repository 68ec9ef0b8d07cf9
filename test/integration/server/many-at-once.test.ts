/** Many clients that connect in the same moment, as all do behind a restart: none waits for another try of its kernel. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

/** More than Node's servers keep, and less than the files that a process usually may open. */
const many = 700;
const kept = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));

test.each([[[]], [['--workers=2']]])(
  'a service that accepts nothing for a moment, with %j',
  async (args) => {
    expect(kept).toBeGreaterThan(many);
    await using etcd = await startEtcdCluster({ how: 'process' });
    await using replica = await startReplica({ etcd, args });
    replica.signal('SIGSTOP');
    let connected = 0;
    const sockets: Socket[] = [];
    try {
      for (let i = 0; i < many; i += 1)
        sockets.push(
          connect({ host: '127.0.0.1', port: replica.port }, () => (connected += 1)).on(
            'error',
            () => undefined,
          ),
        );
      await waitFor('all connections', () => connected === many, {
        details: () => `${String(connected)} are there`,
      });
    } finally {
      for (const socket of sockets) socket.destroy();
      replica.signal('SIGCONT');
    }
    expect((await replica.admin.get('/readyz')).status).toBe(200);
  },
  120_000,
);
