/** Floods of handshakes, of bad tokens, of silent connections and of large documents from one address: others are served meanwhile. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';

let cluster: EtcdCluster;
let replica: Replica;
const [attacker, other] = ['127.0.0.2', '127.0.0.3'];
const host = '127.0.0.1';

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  replica = await startReplica({ etcd: cluster, args: ['--controllers=', '--enable-bootstrap-token-auth'] });
});
afterAll(async () => {
  await replica.close();
  await cluster.close();
});

/** A get over a new connection; gives the status code, and fails when it breaks. */
function get(localAddress: string, path: string, token = ''): Promise<number | undefined> {
  const { cert, key } = replica.pki.admin;
  const credential = token === '' ? { cert, key } : { headers: { authorization: `Bearer ${token}` } };
  const target = { host, port: replica.port, path, localAddress, agent: false as const };
  return new Promise((resolve, reject) => {
    const req = request({ ...target, ...credential, ca: replica.pki.authority.ca }, (res) => {
      res.resume().once('end', () => {
        resolve(res.statusCode);
      });
    });
    req.once('error', reject);
    req.end();
  });
}

function handshake(): Promise<void> {
  const raw = connectTcp({ host, port: replica.port, localAddress: attacker });
  const socket = connectTls({ socket: raw, host, ca: replica.pki.authority.ca });
  return new Promise((resolve) => {
    const end = (): void => {
      socket.destroy();
      resolve();
    };
    socket.once('secureConnect', end).once('error', end).once('close', end);
  });
}

/** Resident memory of a process at its peak. */
function mostMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
}

let tried = 0;

const floods: Record<string, () => Promise<unknown>> = {
  handshakes: handshake,
  'service account tokens that nobody has signed': () =>
    get(attacker, '/api/v1/nodes', `ey${String(tried++)}.ey.x`),
  'bootstrap tokens that do not exist': () =>
    get(attacker, '/api/v1/nodes', `${String(tried++).padStart(6, '0').slice(-6)}.0123456789abcdef`),
};

test.each(Object.entries(floods))('%s', async (_, once) => {
  let isOver = false;
  const flood = Array.from({ length: 16 }, async () => {
    while (!isOver) await once().catch(() => undefined);
  });
  const times: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    for (const path of ['/livez', '/api/v1/namespaces/default']) {
      const begun = performance.now();
      expect(await get(other, path)).toBe(200);
      times.push(performance.now() - begun);
    }
  }
  isOver = true;
  await Promise.all(flood);
  times.sort((a, b) => a - b);
  // The client's own half of each handshake, and of those of the flood, is in it.
  expect(times[times.length / 2]).toBeLessThan(100);
});

/** A definition of as many versions as one may have; each of them makes the documents of the API longer. */
function definitionOf(group: string): object {
  const names = { plural: 'widgets', kind: 'Widget' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const all = Array.from({ length: 100 }, (_, i) => ({
    name: `v${String(i + 1)}`,
    served: true,
    storage: i === 0,
    schema,
  }));
  return {
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: all },
  };
}

test('large documents that many ask for at once', async () => {
  const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
  for (const group of ['a.com', 'b.com', 'c.com', 'd.com']) {
    await replica.admin.ok('POST', definitions, definitionOf(group));
    await waitFor('the last version', async () => (await get(other, `/apis/${group}/v100`)) === 200);
  }
  expect(await get(other, '/openapi/v2')).toBe(200);
  const before = mostMegabytes(replica.pid);
  const answers = await Promise.all(Array.from({ length: 40 }, () => get(attacker, '/openapi/v2')));
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(mostMegabytes(replica.pid) - before).toBeLessThan(150);
});

test('bad tokens are refused before they are looked at', async () => {
  const refused = async (): Promise<boolean> =>
    (await get(attacker, '/api/v1/nodes', 'ey.bad.token')) === 429;
  await waitFor('a refusal', refused);
  // A certificate of the same address is not.
  expect(await get(attacker, '/api/v1/namespaces/default')).toBe(200);
});

test('connections that stay silent', async () => {
  const sockets = Array.from({ length: 1_000 }, () =>
    connectTcp({ host, port: replica.port, localAddress: attacker })
      .on('error', () => undefined)
      .resume(),
  );
  await waitFor('their connections', () => sockets.every(({ connecting }) => !connecting));
  expect(await get(other, '/livez')).toBe(200);
  expect(await get(attacker, '/livez')).toBe(200);
  for (const socket of sockets) socket.destroy();
});
