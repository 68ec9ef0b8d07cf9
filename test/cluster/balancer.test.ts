/** The balancer of the deployment, with its own configuration, in front of replicas that stop, freeze and lose etcd. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../support/child-process.ts';
import { ApiClient } from '../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { freePort } from '../support/free-port.ts';
import { findProgram, repositoryRoot } from '../support/paths.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';

const program = findProgram('haproxy', ['/usr/sbin']);
if (program === undefined) console.log('haproxy is not installed: the balancer is not tested');
const withBalancer = program === undefined ? describe.skip : describe;

withBalancer('behind the balancer', () => {
  let etcd: EtcdCluster;
  let pki: ServicePki;
  let replicas: Replica[];
  let balancer: Child;
  let client: ApiClient;
  let newClient: () => ApiClient;

  beforeAll(async () => {
    etcd = await startEtcdCluster({ how: 'process' });
    pki = await makeServicePki();
    const options = { etcd, pki, args: ['--shutdown-delay-duration=5s'] };
    replicas = [await startReplica(options), await startReplica(options)];
    const port = await freePort();
    balancer = await startBalancer(port);
    const url = `https://127.0.0.1:${String(port)}`;
    newClient = () => new ApiClient({ url, ca: pki.authority.ca, ...pki.admin });
    client = newClient();
    await waitFor('the balancer', async () => (await client.get('/readyz')).status === 200);
    await client.ok('POST', '/api/v1/namespaces', { metadata: { name: 'b' } });
  });

  afterAll(async () => {
    client.close();
    await balancer.kill();
    await Promise.all(replicas.map((replica) => replica.close()));
    await pki.close();
    await etcd.close();
  });

  /** The deployed configuration, but for where the balancer listens and where the two replicas are. */
  async function startBalancer(port: number): Promise<Child> {
    const config = readFileSync(join(repositoryRoot, 'deploy', 'haproxy', 'haproxy.cfg'), 'utf8')
      .replaceAll(/^ *server replica-(\d) .*$/gm, (_line, number: string) => {
        const replica = replicas[Number(number) - 1];
        return replica ? `    server replica-${number} 127.0.0.1:${String(replica.port)}` : '';
      })
      .replaceAll('/pki/ca.crt', pki.authority.caFile)
      .replaceAll(/(bind ):6443/g, `$1127.0.0.1:${String(port)}`);
    const file = join(pki.folder, 'haproxy.cfg');
    writeFileSync(file, config);
    return Child.start({ name: 'haproxy', program: program ?? '', args: ['-db', '-f', file] });
  }

  /** Creates objects one after the other over kept connections until told to stop; every answer must be good. */
  function keepCreating(prefix: string): () => Promise<number> {
    let isDone = false;
    const work = async (worker: number): Promise<number> => {
      let count = 0;
      for (; !isDone; count++) {
        const metadata = { name: `${prefix}-${String(worker)}-${String(count)}` };
        await client.ok('POST', '/api/v1/namespaces/b/configmaps', { metadata });
      }
      return count;
    };
    const all = Promise.all([0, 1, 2, 3].map(work));
    all.catch(() => undefined);
    return async () => {
      isDone = true;
      return (await all).reduce((sum, count) => sum + count);
    };
  }

  test('a replica that is replaced costs no client an answer', async () => {
    for (const replica of replicas) {
      const finish = keepCreating(`replaced-${String(replica.port)}`);
      expect(await replica.stop()).toBe(0);
      await replica.start();
      await waitFor('the balancer to use it again', () => isUsed(replica));
      expect(await finish()).toBeGreaterThan(0);
    }
  });

  test('a replica that freezes loses its connections, and clients find another', async () => {
    const watcher = newClient();
    const watches = await Promise.all(
      Array.from({ length: 12 }, () => watcher.open('GET', '/api/v1/namespaces/b/configmaps?watch=true')),
    );
    const cut = new Promise<void>((resolve) => {
      for (const watch of watches)
        watch
          .on('error', () => undefined)
          .on('close', resolve)
          .resume();
    });
    replicas[0]?.signal('SIGSTOP');
    await within('a watch to be cut', 30_000, cut);
    await waitFor('an answer', async () => (await client.get('/readyz')).status === 200);
    replicas[0]?.signal('SIGCONT');
    watcher.close();
    for (const watch of watches) watch.destroy();
    await waitFor('the balancer to use it again', () => isUsed(replicas[0]));
  });

  test('without etcd replicas speak for themselves', async () => {
    await Promise.all(etcd.members.map((member) => member.pause()));
    await waitFor('both to get nothing new', () => /stopping.* 0 active/.test(lastOf('replicas/')), {
      timeout: 40_000,
    });
    const visitor = newClient();
    expect((await visitor.get('/readyz')).text).toContain('[-]etcd');
    expect((await visitor.get('/api/v1/namespaces?resourceVersion=0')).status).toBe(200);
    visitor.close();
    await Promise.all(etcd.members.map((member) => member.resume()));
    await waitFor('etcd to be back', async () => (await client.get('/readyz')).status === 200);
  });

  const isUsed = (replica: Replica | undefined): boolean =>
    replica !== undefined && lastOf(nameOf(replica)).includes(' is UP');

  /** The last that the balancer told of a server. */
  function lastOf(server: string): string {
    const lines = balancer.output().split('\n');
    return lines.findLast((line) => line.includes(`Server ${server}`)) ?? '';
  }

  function nameOf(replica: Replica): string {
    return `replicas/replica-${String(replicas.indexOf(replica) + 1)}`;
  }
});
