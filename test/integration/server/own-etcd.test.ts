/** The service with an etcd of its own: start, stop, restart, and every way in which one of both may die. */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { entryPoint, nodeBinary } from '../../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { processesWith } from '../../support/processes.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { launch, runToEnd, Service } from '../../support/service.ts';

let temporary: TempFolder;
let folder: string;
let services: Service[];

beforeEach(async () => {
  temporary = await makeTempFolder('own-etcd');
  folder = join(temporary.path, '.orch');
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.child.stop();
  await waitFor('etcd to be gone', () => etcdPids().length === 0);
  await temporary.remove();
});

async function start(words: readonly string[] = []): Promise<Service> {
  const service = await Service.start(folder, words);
  services.push(service);
  return service;
}

/** Processes of etcd on this test's data folder. */
function etcdPids(): number[] {
  return processesWith(`--data-dir=${folder}/etcd`)
    .filter(({ command }) => !command.includes('/bin/sh'))
    .map(({ pid }) => pid);
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { a: 'b' } };
const path = '/api/v1/namespaces/default/configmaps';

/** What the end-to-end tests of Kubernetes 1.21 require of `/readyz?verbose`. */
const checksOfClients = [
  'informer-sync',
  'autoregister-completion',
  ...[
    ...['start-kube-apiserver-admission-initializer', 'generic-apiserver-start-informers'],
    ...['start-apiextensions-informers', 'start-apiextensions-controllers', 'crd-informer-synced'],
    ...['bootstrap-controller', 'scheduling/bootstrap-system-priority-classes'],
    ...['start-cluster-authentication-info-controller', 'start-kube-aggregator-informers'],
    ...['apiservice-registration-controller', 'apiservice-status-available-controller'],
    ...['kube-apiserver-autoregistration', 'apiservice-openapi-controller'],
  ].map((hook) => `poststarthook/${hook}`),
];

test('it comes up ready, with the system namespaces, and says where it is, in the log alone', async () => {
  const service = await start();
  expect(await service.ask({ path: '/readyz', as: '' })).toEqual({ status: 200, body: 'ok' });
  const verbose = (await service.ask({ path: '/readyz?verbose', as: '' })).body;
  for (const check of ['ping', 'log', 'etcd', 'follower', 'shutdown', 'poststarthook/system-namespaces'])
    expect(verbose).toContain(`[+]${check} ok\n`);
  for (const check of checksOfClients) expect(verbose).toContain(`[+]${check} ok\n`);
  const alive = (await service.ask({ path: '/livez?verbose', as: '' })).body;
  expect(checksOfClients.filter((check) => !alive.includes(`[+]${check} ok\n`))).toEqual(['informer-sync']);
  const list = JSON.parse((await service.ask({ path: '/api/v1/namespaces' })).body) as {
    items: { metadata: { name: string } }[];
  };
  expect(list.items.map((item) => item.metadata.name)).toEqual([
    'default',
    'orch-node-lease',
    'orch-public',
    'orch-system',
  ]);
  // On a busy machine the log may have something to say as well.
  const records = service.child.output().trim().split('\n');
  const serving = records.map((line) => JSON.parse(line) as Record<string, string>).filter(({ url }) => url);
  expect(serving).toEqual([
    expect.objectContaining({
      level: 'info',
      url: service.url,
      kubeconfig: join(folder, 'kubeconfig'),
      msg: `Serving ${service.url} over its own etcd, names of profile orch.`,
    }),
  ]);
});

test('the files of the data folder are for their owner only', async () => {
  await start();
  for (const name of ['kubeconfig', 'pki/ca.key', 'pki/admin.key', 'etcd.log'])
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  expect(statSync(folder).mode & 0o077).toBe(0);
});

test('a stop ends with code 0 and leaves no process and no lock; a new start has the data and the credentials', async () => {
  const first = await start();
  expect((await first.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
  const certificate = readFileSync(join(folder, 'pki', 'admin.crt'), 'utf8');
  expect(await first.stop()).toBe(0);
  expect(etcdPids()).toEqual([]);
  expect(existsSync(join(folder, 'instance.lock'))).toBe(false);
  const second = await start();
  expect((await second.ask({ path: `${path}/kept` })).status).toBe(200);
  expect(readFileSync(join(folder, 'pki', 'admin.crt'), 'utf8')).toBe(certificate);
});

test('a second service on the data, whose process ids the lock does not know, is refused and disturbs nothing', async () => {
  const first = await start();
  const address = readFileSync(join(folder, 'etcd-address'), 'utf8');
  // To a service in another container the process of the lock is gone.
  rmSync(join(folder, 'instance.lock'));
  const second = await runToEnd([`--data-dir=${folder}`, '--secure-port=0']);
  expect(second.code).toBe(1);
  expect(second.output).toMatch(/another etcd runs on the data folder .*\[DATA_FOLDER_IN_USE\]\n$/);
  expect(readFileSync(join(folder, 'etcd-address'), 'utf8')).toBe(address);
  expect(existsSync(join(folder, 'etcd-client:0'))).toBe(true);
  expect((await first.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
});

test('while it stops, readyz fails, requests are served and watches end cleanly', async () => {
  const service = await start(['--shutdown-delay-duration=5s']);
  const opened = Promise.withResolvers<IncomingMessage>();
  const watch = service.ask({ path: '/api/v1/namespaces?watch=true', onHead: opened.resolve });
  await within('the watch', 10_000, opened.promise);
  service.child.signal('SIGTERM');
  await waitFor(
    'readyz to fail',
    async () => (await service.ask({ path: '/readyz', as: '' })).status === 500,
  );
  expect((await service.ask({ path: '/livez', as: '' })).status).toBe(200);
  expect((await service.ask({ path: '/api/v1/namespaces/default' })).status).toBe(200);
  expect((await watch).body).toContain('"ADDED"');
  expect((await within('the end', 20_000, service.child.exited)).code).toBe(0);
});

test('in the second half of the shutdown delay connections close after their responses, and new ones are accepted', async () => {
  const service = await start(['--shutdown-delay-duration=8s']);
  const agent = new Agent({ keepAlive: true });
  const isLetGo = async (): Promise<boolean> => {
    let isClosing = false;
    const onHead = ({ headers }: IncomingMessage): void => void (isClosing = headers.connection === 'close');
    expect((await service.ask({ path, agent, onHead })).status).toBe(200);
    return isClosing;
  };
  expect(await isLetGo()).toBe(false);
  service.child.signal('SIGTERM');
  await waitFor('an answer that closes its connection', isLetGo);
  expect((await service.ask({ path })).status).toBe(200);
  agent.destroy();
});

test('an echo of the signal is ignored, a second one ends it at once, and etcd with it', async () => {
  const service = await start(['--shutdown-delay-duration=1m']);
  service.child.signal('SIGINT');
  await waitFor('the first signal', () => service.child.output().includes('Stopping gracefully (SIGINT)'));
  await waitFor('the second signal to count', () => {
    service.child.signal('SIGINT');
    return service.child.exit();
  });
  expect(service.child.exit()?.code).toBe(130);
});

test('a terminal that closes stops it in order', async () => {
  const words = [nodeBinary(), entryPoint(), `--data-dir=${folder}`, '--secure-port=0'];
  const terminal = await Child.start({
    name: 'terminal',
    program: 'script',
    args: ['-qfc', `exec ${words.join(' ')}`, '/dev/null'],
  });
  await waitFor('the service to serve', () => terminal.output().includes('Serving https://'), {
    timeout: 30_000,
  });
  await terminal.kill();
  // A service that ends at once leaves it.
  await waitFor('the lock to be given back', () => !existsSync(join(folder, 'instance.lock')));
});

test('a service that is killed takes its etcd along, and the next one takes over', async () => {
  const first = await start();
  await first.ask({ method: 'POST', path, body: configMap });
  await first.child.kill();
  await waitFor('etcd to be gone', () => etcdPids().length === 0);
  const second = await start();
  expect((await second.ask({ path: `${path}/kept` })).status).toBe(200);
});

test('a second instance on the same data folder is refused in one line', async () => {
  await start();
  const { code, output } = await runToEnd([`--data-dir=${folder}`, '--secure-port=0']);
  expect(code).toBe(1);
  expect(output).toMatch(
    /^orch-apiserver: process \d+ already runs on the data folder .+ \[DATA_FOLDER_IN_USE\]\n$/,
  );
});

test('an etcd that is killed is started again and the service goes on', async () => {
  const service = await start();
  const [pid] = etcdPids();
  process.kill(pid ?? 0, 'SIGKILL');
  await waitFor('another etcd', () => etcdPids().some((other) => other !== pid));
  const write = (): ReturnType<Service['ask']> => service.ask({ method: 'POST', path, body: configMap });
  await waitFor('writes', async () => [201, 409].includes((await write()).status), { timeout: 30_000 });
});

/** A server that accepts connections and is silent; undefined if it cannot have the port. */
function squat(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

test('an etcd whose port another process has taken starts on another one, and all workers and their write threads find it', async () => {
  const service = await start(['--workers=2']);
  const port = Number(new URL(readFileSync(join(folder, 'etcd-address'), 'utf8')).port);
  const squatter = await waitFor(
    'the port',
    async () => {
      for (const pid of etcdPids()) process.kill(pid, 'SIGKILL');
      return squat(port);
    },
    { interval: 1 },
  );
  try {
    let name = 0;
    const write = async (text: string): Promise<boolean> => {
      const body = { ...configMap, metadata: { name: `kept-${String((name += 1))}` }, data: { text } };
      return (await service.ask({ method: 'POST', path, body })).status === 201;
    };
    // Each worker has a connection of its own; requests without keepalive reach both.
    for (const text of ['small', 'x'.repeat(100_000)])
      for (let inARow = 0; inARow < 6;)
        await waitFor(
          'a write',
          async () => {
            inARow = (await write(text)) ? inARow + 1 : 0;
            return inARow > 0;
          },
          { timeout: 60_000, details: () => service.child.output() },
        );
    expect(service.child.output()).toContain('another process has taken the port of etcd');
    expect((await service.ask({ path: '/readyz', as: '' })).status).toBe(200);
  } finally {
    squatter.close();
  }
}, 120_000);

test('an etcd that ends again and again does not end the service, which goes on when the cause has gone', async () => {
  const service = await start();
  expect((await service.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
  await waitFor(
    'etcd to have ended eight times',
    () => {
      for (const pid of etcdPids()) process.kill(pid, 'SIGKILL');
      return service.child.output().split('etcd exited unexpectedly').length > 8;
    },
    { timeout: 90_000, details: () => service.child.output() },
  );
  expect(service.child.exit()).toBeUndefined();
  expect((await service.ask({ path: `${path}/kept?resourceVersion=0` })).status).toBe(200);
  const read = async (): Promise<number> => (await service.ask({ path: `${path}/kept` })).status;
  await waitFor('reads', async () => (await read()) === 200, { timeout: 60_000 });
}, 180_000);

/** Data of a service that was stopped. */
async function stoppedData(): Promise<string> {
  expect(await (await start()).stop()).toBe(0);
  return join(folder, 'etcd', 'member');
}

test('etcd whose log of writes lost its end is refused, and the error says what to do', async () => {
  const member = await stoppedData();
  const [wal = ''] = readdirSync(join(member, 'wal')).filter((name) => name.endsWith('.wal'));
  truncateSync(join(member, 'wal', wal), 3_000);
  const { code, output } = await runToEnd([`--data-dir=${folder}`, '--secure-port=0'], 60_000);
  expect(code).toBe(1);
  expect(output).toMatch(
    /serves no writes within 30 s.*restore a backup or choose another --data-dir \[ETCD_UNREACHABLE\]/,
  );
}, 90_000);

test('the error of an etcd that does not start is of this start, not of an earlier one', async () => {
  const member = await stoppedData();
  appendFileSync(join(folder, 'etcd.log'), '{"level":"fatal","msg":"of yesterday"}\n');
  truncateSync(join(member, 'snap', 'db'), 8_000);
  const { code, output } = await runToEnd([`--data-dir=${folder}`, '--secure-port=0']);
  expect(code).toBe(1);
  expect(output).toMatch(/ended with code 2: .*panic: failed to open database\); see .*\[ETCD_UNREACHABLE\]/);
});

test('a stop in the middle of a start is clean', async () => {
  const child = await launch([`--data-dir=${folder}`, '--secure-port=0']);
  await waitFor('the lock', () => existsSync(join(folder, 'instance.lock')));
  child.signal('SIGTERM');
  expect((await within('the end', 20_000, child.exited)).code).toBe(0);
  expect(existsSync(join(folder, 'instance.lock'))).toBe(false);
});
