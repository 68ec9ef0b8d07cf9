/** Several serving threads of one process: what each does, what they share, and what happens when one of them ends. */
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { endableThreads, endServingThread } from '../../support/ended-threads.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { processesWith } from '../../support/processes.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { runToEnd, Service } from '../../support/service.ts';
import { scrapeFigures, type Figures } from '../../support/service-figures.ts';

let temporary: TempFolder;
let folder: string;
let service: Service;
let agents: Agent[];
let healthCheckPort: number;
/** Of one address. */
const mostConnections = 120;

beforeEach(async () => {
  temporary = await makeTempFolder('serving-threads');
  folder = join(temporary.path, '.orch');
  agents = [];
  healthCheckPort = await freePort();
  const flags = ['--serving-threads=2', '--v=1', '--shutdown-delay-duration=2s'];
  flags.push(`--max-connections-per-address=${String(mostConnections)}`);
  service = await Service.start(
    folder,
    [...flags, `--health-check-port=${String(healthCheckPort)}`],
    endableThreads,
  );
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await service.child.stop();
  await waitFor('every process to be gone', () => processesWith(folder).length === 0);
  await temporary.remove();
});

/** A client with one connection that it keeps. */
function connection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

const scrape = (agent?: Agent): Promise<Figures> => scrapeFigures(service, agent);

const threads = ['worker="thread-1"', 'worker="thread-2"'];
const served = 'apiserver_worker_request_total';

/** Connections of which some are those of each thread: the kernel chooses. */
async function connectionsToBoth(): Promise<Agent[]> {
  return waitFor('connections to both threads', async () => {
    const before = await scrape();
    const clients = Array.from({ length: 12 }, () => connection());
    for (const agent of clients)
      for (let i = 0; i < 10; i += 1) await service.ask({ path: '/version', agent });
    const after = await scrape();
    if (threads.every((thread) => after(served, thread) - before(served, thread) >= 20)) return clients;
    for (const agent of clients) agent.destroy();
    return false;
  });
}

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, value: string): object => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
  data: { value },
});

test('one process serves; a scrape at any thread has the figures of all, and those of the process once', async () => {
  const workers = service.workerPids();
  expect(workers).toHaveLength(1);
  const clients = await connectionsToBoth();
  const before = await scrape();
  const labels = ['resource="configmaps"', 'verb="LIST"'];
  for (const agent of clients) expect((await service.ask({ path, agent })).status).toBe(200);
  const after = await waitFor('the figures of all', async () => {
    const figures = await scrape();
    const count =
      figures('apiserver_request_total', ...labels) - before('apiserver_request_total', ...labels);
    return count >= clients.length && figures;
  });
  expect(after('apiserver_request_total', ...labels) - before('apiserver_request_total', ...labels)).toBe(
    clients.length,
  );
  expect(after('leader_election_master_status')).toBe(1);
  for (const thread of threads) expect(after('apiserver_worker_up', thread)).toBe(1);
  // Of the supervisor and of one process, however many threads it has.
  const resident = after('process_resident_memory_bytes');
  expect(resident).toBeGreaterThan(150_000_000);
  expect(resident).toBeLessThan(1_000_000_000);
});

test('a write through one connection is read at once through all others, of every thread', async () => {
  const clients = await connectionsToBoth();
  await service.ask({ method: 'POST', path, body: configMap('fresh', 'none') });
  for (let i = 0; i < 20; i += 1) {
    const body = configMap('fresh', `value-${String(i)}`);
    const agent = clients[i % clients.length];
    const written = await service.ask({
      ...{ method: 'PUT', path: `${path}/fresh`, body },
      ...(agent && { agent }),
    });
    expect(written.status).toBe(200);
    const read = clients.map((other) => service.ask({ path: `${path}/fresh`, agent: other }));
    for (const { body: text } of await Promise.all(read)) expect(text).toContain(`"value-${String(i)}"`);
  }
});

test('a thread that ends is replaced while the other serves, and nothing that was counted is lost', async () => {
  const clients = await connectionsToBoth();
  const before = await scrape();
  const [pid = 0] = service.workerPids();
  await endServingThread({ pid, output: () => service.child.output() });
  let answers = 0;
  for (const agent of clients)
    answers += await service.ask({ path: '/version', agent }).then(
      () => 1,
      () => 0,
    );
  // Those of the other thread noticed nothing.
  expect(answers).toBeGreaterThan(0);
  // The new one answers nothing before it has the state.
  const statuses = new Set<number>();
  await waitFor('both threads', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => service.ask({ path })));
    for (const each of asked) if (each.status === 'fulfilled') statuses.add(each.value.status);
    const figures = await scrape();
    return threads.every((thread) => figures('apiserver_worker_up', thread) === 1);
  });
  expect([...statuses]).toEqual([200]);
  await connectionsToBoth();
  expect(service.workerPids()).toEqual([pid]);
  expect((await scrape())('apiserver_worker_restarts_total', 'worker="thread')).toBe(1);
  expect((await scrape())('apiserver_request_total')).toBeGreaterThan(before('apiserver_request_total'));
});

test('a limit of connections holds for all threads together, and what a thread had is free when it ends', async () => {
  /** Opens connections until one is refused; all stay open. */
  const fill = async (): Promise<number> => {
    for (let opened = 0; opened <= 2 * mostConnections; opened += 1) {
      const { status } = await service
        .ask({ path: '/version', agent: connection() })
        .catch(() => ({ status: 0 }));
      if (status === 0) return opened;
    }
    return Infinity;
  };
  const opened = await fill();
  // Those of the start may not be closed yet.
  expect(opened).toBeLessThanOrEqual(mostConnections);
  expect(opened).toBeGreaterThan(mostConnections - 20);
  const [pid = 0] = service.workerPids();
  await endServingThread({ pid, output: () => service.child.output() });
  const again = await waitFor('room for others', async () => (await fill()) || undefined);
  expect(again).toBeLessThan(mostConnections);
});

test('the port of health checks is served by the threads, too', async () => {
  const url = `https://127.0.0.1:${String(healthCheckPort)}`;
  const checks = new Service(service.child, url, join(folder, 'pki'));
  expect((await checks.ask({ path: '/readyz', as: '' })).body).toBe('ok');
});

test('a stop: readyz fails first, requests are served meanwhile, watches end, the code is 0', async () => {
  const clients = await connectionsToBoth();
  const watches = clients.map(() => service.ask({ path: `${path}?watch=true`, agent: connection() }));
  await waitFor(
    'the watches',
    async () => (await scrape())('apiserver_registered_watchers') >= clients.length,
  );
  service.child.signal('SIGTERM');
  const [agent] = clients;
  const ready = (): Promise<number> =>
    service.ask({ path: '/readyz', as: '', ...(agent && { agent }) }).then(({ status }) => status);
  await waitFor('readyz to fail', async () => (await ready()) === 500, { interval: 5 });
  expect((await service.ask({ path: '/livez', as: '', ...(agent && { agent }) })).status).toBe(200);
  expect((await within('the end', 20_000, service.child.exited)).code).toBe(0);
  for (const { status } of await Promise.all(watches)) expect(status).toBe(200);
});

test('a port that another program has, and flags that do not fit, are errors of the start', async () => {
  const other = createServer();
  const taken = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const start = (...words: string[]): ReturnType<typeof runToEnd> =>
    runToEnd([`--data-dir=${join(temporary.path, 'other')}`, '--serving-threads=2', ...words]);
  const inUse = await start(`--secure-port=${String(taken)}`);
  expect([inUse.code, inUse.output]).toEqual([1, expect.stringContaining('PORT_IN_USE')]);
  other.close();
  const together = await start('--secure-port=0', '--workers=2');
  expect([together.code, together.output]).toEqual([1, expect.stringContaining('FLAG_COMBINATION')]);
});
