/** The balancer of the deployment, with its own configuration, in front of replicas that stop, freeze, vanish and lose etcd. */
import { ApiClient } from '../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { freePort } from '../support/free-port.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { Balancer, haproxy } from '../support/balancer.ts';
import { refusesConnections } from '../support/refuses-connections.ts';
import { fillBacklog } from './support/full-backlog.ts';
import { longestMs, Visitors, type Visit } from './support/visitors.ts';

if (haproxy === undefined) console.log('haproxy is not installed: the balancer is not tested');
const withBalancer = haproxy === undefined ? describe.skip : describe;

withBalancer('behind the balancer', () => {
  let etcd: EtcdCluster;
  let pki: ServicePki;
  let replicas: Replica[];
  /** Between each replica and etcd. */
  const ways = new Map<Replica, TcpProxy>();
  let balancer: Balancer;
  let client: ApiClient;
  let names = 0;

  beforeAll(async () => {
    etcd = await startEtcdCluster({ how: 'process' });
    pki = await makeServicePki();
    replicas = [await addReplica(), await addReplica()];
    balancer = await Balancer.start(pki, replicas);
    client = newClient();
    await waitFor('the balancer', async () => (await client.get('/readyz')).status === 200);
    await client.ok('POST', '/api/v1/namespaces', { metadata: { name: 'b' } });
  });

  afterAll(async () => {
    client.close();
    await balancer[Symbol.asyncDispose]();
    await Promise.all(replicas.map((replica) => replica.close()));
    for (const way of ways.values()) await way[Symbol.asyncDispose]();
    await pki.close();
    await etcd.close();
  });

  const configMaps = '/api/v1/namespaces/b/configmaps';
  const newClient = (): ApiClient => new ApiClient({ url: balancer.url, ca: pki.authority.ca, ...pki.admin });
  const addReplica = async (): Promise<Replica> => {
    const way = await TcpProxy.start(etcd.endpoints[0] ?? '');
    const replica = await startReplica({
      etcd: { endpoints: [way.endpoint], tls: etcd.tls },
      pki,
      healthCheckPort: await freePort(),
      args: ['--shutdown-delay-duration=5s'],
    });
    ways.set(replica, way);
    return replica;
  };
  const isUsedAgain = (replica: Replica): Promise<true> =>
    waitFor('the balancer to use it again', () => balancer.isUsed(replica));

  /** Readers and writers with new connections and with kept ones. */
  function visit(): Visitors {
    const read = { client: newClient, path: '/api/v1/namespaces/b' };
    const body = (): object => ({ metadata: { name: `visit-${String(names++)}` } });
    const write = { client: newClient, path: configMaps, body };
    return new Visitors(
      [read, write].flatMap((what) => [
        { ...what, eachAnew: true },
        { ...what, eachAnew: true },
        { ...what, eachAnew: false },
      ]),
    );
  }

  const more = (visitors: Visitors, count: number): Promise<true> => {
    const goal = visitors.visits.length + count;
    return waitFor('more visits', () => visitors.visits.length >= goal, { timeout: 30_000 });
  };
  /** For longer than the balancer's average looks back: where checks are slow, it gives late replicas more time. */
  const checksAreQuick = async (): Promise<void> => {
    let quick = 0;
    const look = async (): Promise<boolean> => {
      const all = await balancer.checkMs();
      quick = all.every((ms) => ms < 50) ? quick + 1 : 0;
      return quick > 30;
    };
    await waitFor('checks to be quick', look, { interval: 100, timeout: 60_000 });
  };
  const failed = (visits: readonly Visit[]): string[] => visits.flatMap(({ error }) => error ?? []);
  const lost = (visits: readonly Visit[]): string[] => visits.flatMap(({ retryError }) => retryError ?? []);

  test('a third replica joins by a reload, and no request fails', async () => {
    await using visitors = visit();
    replicas.push(await addReplica());
    await more(visitors, 50);
    await balancer.reload(replicas);
    await waitFor('the third to be visited', async () => ((await balancer.sessions())[2] ?? 0) > 10);
    const visits = await visitors.stop();
    expect(failed(visits)).toEqual([]);
    // Those that wrote over kept connections did so through the old worker.
    expect(visits.length).toBeGreaterThan(100);
  });

  test('a replica that is replaced costs no client an answer', async () => {
    for (const replica of replicas) {
      await using visitors = visit();
      expect(await replica.stop()).toBe(0);
      await replica.start();
      await isUsedAgain(replica);
      expect(failed(await visitors.stop())).toEqual([]);
    }
  });

  describe('a replica that vanishes', () => {
    /** Every way gives how the replica comes back. */
    const vanishing: Record<string, (replica: Replica) => Promise<() => Promise<void>>> = {
      'is killed': async (replica) => {
        await replica.kill();
        // The last of its processes has ended when nobody listens any more.
        await waitFor('connections to be refused', () => refusesConnections(replica.port));
        return () => replica.start();
      },
      'does not answer any more': (replica) => {
        replica.signal('SIGSTOP');
        return Promise.resolve(() => {
          replica.signal('SIGCONT');
          return Promise.resolve();
        });
      },
      'lets nobody connect any more': async (replica) => {
        replica.signal('SIGSTOP');
        const backlog = await fillBacklog(replica.port);
        return async () => {
          backlog[Symbol.dispose]();
          replica.signal('SIGCONT');
          // Thousands wait to be accepted, which it takes one by one: this one is the last.
          const last = replica.client(pki.admin);
          await waitFor('the answer', async () => (await last.request('GET', '/livez')).status === 200);
          last.close();
        };
      },
      'does not reach etcd any more': (replica) => {
        ways.get(replica)?.suspend();
        return Promise.resolve(() => {
          ways.get(replica)?.resume();
          return Promise.resolve();
        });
      },
    };

    test.each(Object.entries(vanishing))(
      '%s: its clients wait for less than a second',
      async (way, vanish) => {
        const [, replica] = replicas;
        if (replica === undefined) throw new Error('no replica');
        await using visitors = visit();
        await more(visitors, 100);
        await checksAreQuick();
        const usual = longestMs(visitors.visits);
        const comeBack = await vanish(replica);
        const goneAt = performance.now();
        await waitFor('the balancer to notice', () => balancer.lastAbout(replica).includes(' is DOWN'));
        await more(visitors, 100);
        const visits = await visitors.stop();
        await comeBack();
        await isUsedAgain(replica);
        const longest = longestMs(visits);
        process.stderr.write(
          `${way}: at most ${longest.toFixed()} ms, before that ${usual.toFixed()} ms; ` +
            `${String(failed(visits).length)} of ${String(visits.length)} requests sent again\n`,
        );
        expect(lost(visits)).toEqual([]);
        // What the machine itself makes requests wait is not the balancer's.
        expect(longest).toBeLessThan(1000 + usual);
        // Where no connection can be made, the balancer itself tries another replica.
        if (way.startsWith('does not')) return;
        // (Of a kept connection a client may learn a moment too late that it is closed.)
        expect(failed(visits.filter(({ startedAt, isAnew }) => isAnew && startedAt > goneAt))).toEqual([]);
      },
    );
  });

  test('a pause of etcd costs no connection: replicas are not given up because one is back before them', async () => {
    const [first, ...others] = replicas;
    if (first === undefined) throw new Error('no replica');
    const outages = (): number => balancer.log().split('has no server available').length;
    const before = outages();
    await using visitors = visit();
    await more(visitors, 50);
    for (const way of ways.values()) way.suspend();
    await waitFor('none to be up', () => outages() > before);
    ways.get(first)?.resume();
    await isUsedAgain(first);
    // Longer than a replica gets that is lost alone.
    const upAt = performance.now();
    await waitFor('the others to be late', () => performance.now() > upAt + 400);
    for (const other of others) ways.get(other)?.resume();
    for (const other of others) await isUsedAgain(other);
    expect(failed(await visitors.stop())).toEqual([]);
  });

  test('a replica that comes back is not flooded, and gets its share', async () => {
    const [replica] = replicas;
    if (replica === undefined) throw new Error('no replica');
    await replica.kill();
    await using visitors = visit();
    await replica.start();
    await isUsedAgain(replica);
    const share = async (): Promise<number> => {
      const before = await balancer.sessions();
      await more(visitors, 90);
      const [own = 0, ...others] = (await balancer.sessions()).map((count, i) => count - (before[i] ?? 0));
      return own / (own + others.reduce((sum, count) => sum + count));
    };
    const even = 1 / replicas.length;
    expect(await share()).toBeLessThan(even + 0.1);
    await waitFor('its share', async () => (await share()) > 0.75 * even, { timeout: 30_000 });
    expect(lost(await visitors.stop())).toEqual([]);
  });

  test('watches at a replica that freezes are cut, also those from before a reload, and their clients find another', async () => {
    const watcher = newClient();
    /** Opens watches; resolves when one of them is cut. */
    const watched = async (): Promise<{ readonly cut: Promise<void>; readonly end: () => void }> => {
      const watches = await Promise.all(
        Array.from({ length: 12 }, () => watcher.open('GET', `${configMaps}?watch=true`)),
      );
      const cut = new Promise<void>((resolve) => {
        for (const watch of watches)
          watch
            .on('error', () => undefined)
            .on('close', resolve)
            .resume();
      });
      return { cut, end: () => watches.forEach((watch) => watch.destroy()) };
    };
    const before = await watched();
    await balancer.reload(replicas);
    const after = await watched();
    replicas[2]?.signal('SIGSTOP');
    await within('a watch to be cut', 10_000, after.cut);
    await within('a watch from before the reload to be cut', 10_000, before.cut);
    replicas[2]?.signal('SIGCONT');
    watcher.close();
    before.end();
    after.end();
    await waitFor('the balancer to use it again', () => replicas.every((replica) => !isDown(replica)));
  });

  test('without etcd replicas speak for themselves', async () => {
    await Promise.all(etcd.members.map((member) => member.pause()));
    await waitFor(
      'all to get nothing new',
      () => /stopping.* 0 active/.test(balancer.lastAbout('replicas/')),
      {
        timeout: 40_000,
      },
    );
    const visitor = newClient();
    expect((await visitor.get('/readyz')).text).toContain('[-]etcd');
    expect((await visitor.get('/api/v1/namespaces?resourceVersion=0')).status).toBe(200);
    visitor.close();
    await Promise.all(etcd.members.map((member) => member.resume()));
    await waitFor('etcd to be back', async () => (await client.get('/readyz')).status === 200);
  });

  const isDown = (replica: Replica): boolean => balancer.lastAbout(replica).includes(' is DOWN');
});
