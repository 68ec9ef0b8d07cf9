/** Why calls off the hot path do not go through the client of etcd3: when this fails, it can have them. */
import { Etcd3 } from 'etcd3';

import { systemClock } from '../../../src/base/clock.ts';
import { GrpcLine } from '../../../src/storage/etcd/grpc-line.ts';
import { numberOf, statusMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { transportNames } from '../../../src/storage/options.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';

const timeoutMs = 10_000;

test('a member with TLS that is named by its address: the transports reach it, the client of etcd3 does not', async () => {
  await using cluster = await startEtcdCluster({ how: 'process', tls: true });
  const { tls, endpoints } = cluster;
  if (tls === undefined) throw new Error('no TLS material');
  const [ca, cert, key] = [tls.ca, tls.cert, tls.key].map((text) => Buffer.from(text));
  if (ca === undefined || cert === undefined || key === undefined) throw new Error('no TLS material');
  for (const transport of transportNames) {
    const line = await GrpcLine.connect(
      endpoints[0] ?? '',
      { clock: systemClock, tls: { ca, cert, key }, transport },
      timeoutMs,
    );
    expect(numberOf((await line.call(statusMethod, {}, timeoutMs)).dbSize)).toBeGreaterThan(0);
    line.close(0);
  }
  const client = new Etcd3({
    hosts: [...endpoints],
    credentials: { rootCertificate: ca, privateKey: key, certChain: cert },
  });
  try {
    await expect(client.maintenance.status({ deadline: Date.now() + timeoutMs })).rejects.toThrow(
      /ServerName to an IP address is not permitted/,
    );
  } finally {
    client.close();
  }
});
