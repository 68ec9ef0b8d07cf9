/** Several workers behind one port: what each does, what they share, and what happens when one of them ends. */
import { Agent } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { freeze } from '../../support/child-process.ts';
import { processesWith } from '../../support/processes.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { Service, startMs, type Answer } from '../../support/service.ts';
import { scrapeFigures, type Figures } from '../../support/service-figures.ts';

let temporary: TempFolder;
let folder: string;
let service: Service;
let agents: Agent[];
let healthCheckPort: number;
let shutdownDelay = '300ms';

beforeEach(async () => {
  temporary = await makeTempFolder('workers');
  folder = join(temporary.path, '.orch');
  agents = [];
  const delay = `--shutdown-delay-duration=${shutdownDelay}`;
  healthCheckPort = await freePort();
  const checks = `--health-check-port=${String(healthCheckPort)}`;
  service = await Service.start(folder, ['--workers=2', '--v=1', delay, checks]);
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await service.child.stop();
  await waitFor('every process to be gone', () => processesWith(folder).length === 0);
  await temporary.remove();
});

/** A client with one connection that it keeps; such connections go to the workers in turn. */
function connection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

/** The process ids of the workers. */
function workerPids(): number[] {
  return service.workerPids();
}

const scrape = (agent?: Agent): Promise<Figures> => scrapeFigures(service, agent);

/** Waits until as many workers serve as there are. */
async function bothServe(): Promise<void> {
  await waitFor('both to serve', async () => (await scrape())('apiserver_worker_up') === 2, {
    timeout: startMs,
    details: () => service.child.output(),
  });
}

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, value: string): object => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
  data: { value },
});
const answered = ['"configmaps"', 'verb="GET"'].map((text) => text.replace(/^"/, 'resource="'));

test('each worker is a serving process with its own readiness, and one scrape has the metrics of all', async () => {
  expect(new Set(workerPids()).size).toBe(2);
  await service.ask({ method: 'POST', path, body: configMap('one', '1') });
  const before = await scrape();
  for (let i = 0; i < 20; i += 1) {
    expect((await service.ask({ path: `${path}/one` })).status).toBe(200);
    expect((await service.ask({ path: '/readyz', as: '' })).body).toBe('ok');
  }
  // A worker that does not tell its figures in time stands in a scrape with those of the last.
  const after = await waitFor('the figures of all', async () => {
    const figures = await scrape();
    return figures('apiserver_request_total', ...answered) >= 20 && figures;
  });
  const grew = (name: string, ...labels: string[]): number =>
    after(name, ...labels) - before(name, ...labels);
  expect(grew('apiserver_request_total', ...answered)).toBe(20);
  expect(grew('apiserver_request_duration_seconds_count', ...answered)).toBe(20);
  for (const worker of ['worker="1"', 'worker="2"']) {
    expect(grew('apiserver_worker_request_total', worker)).toBeGreaterThanOrEqual(15);
    expect(after('apiserver_worker_up', worker)).toBe(1);
  }
  // Gauges: both processes take memory, one holds the lease, the oldest start counts.
  expect(after('process_resident_memory_bytes')).toBeGreaterThan(150_000_000);
  expect(after('leader_election_master_status')).toBe(1);
  expect(after('process_start_time_seconds')).toBeGreaterThan(Date.now() / 1000 - 600);
  expect(after('process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
});

test('connections to the port of health checks go to all workers, too', async () => {
  const url = `https://127.0.0.1:${String(healthCheckPort)}`;
  const checks = new Service(service.child, url, join(folder, 'pki'));
  // By a kept connection all scrapes go to one worker: what the other one serves came to that port.
  const scraper = connection();
  const before = await scrape(scraper);
  await waitFor('requests at each worker', async () => {
    expect((await checks.ask({ path: '/version' })).status).toBe(200);
    const after = await scrape(scraper);
    const name = 'apiserver_worker_request_total';
    return ['worker="1"', 'worker="2"'].every((worker) => after(name, worker) - before(name, worker) >= 3);
  });
});

test('a write through one connection is read at once through another', async () => {
  const [writer, reader] = [connection(), connection()];
  await service.ask({ method: 'POST', path, body: configMap('fresh', 'none'), agent: writer });
  await service.ask({ path: `${path}/fresh`, agent: reader });
  const before = await scrape(writer);
  for (let i = 0; i < 100; i += 1) {
    const body = configMap('fresh', String(i));
    const written = await service.ask({ method: 'PUT', path: `${path}/fresh`, body, agent: writer });
    expect(written.status).toBe(200);
    expect((await service.ask({ path: `${path}/fresh`, agent: reader })).body).toContain(`"value":"${i}"`);
  }
  // The two connections were those of different workers, or the test would show nothing.
  await waitFor('a hundred requests at each worker', async () => {
    const after = await scrape(writer);
    const name = 'apiserver_worker_request_total';
    return ['worker="1"', 'worker="2"'].every((worker) => after(name, worker) - before(name, worker) >= 100);
  });
});

test('watches at every worker see the writes of every worker, and a stop ends them', async () => {
  const watches = Array.from({ length: 4 }, () =>
    service.ask({ path: `${path}?watch=true`, agent: connection() }),
  );
  await waitFor('the watches', async () => (await scrape())('apiserver_registered_watchers') >= 4);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names)
    expect((await service.ask({ method: 'POST', path, body: configMap(name, '') })).status).toBe(201);
  expect(await service.stop()).toBe(0);
  for (const { status, body } of await Promise.all(watches)) {
    const events = body.trim().split('\n');
    const seen = events.map((line) => JSON.parse(line) as { object: { metadata: { name: string } } });
    expect(status).toBe(200);
    expect(seen.map(({ object }) => object.metadata.name).filter((name) => names.includes(name))).toEqual(
      names,
    );
  }
});

test('a worker that is killed under load is replaced; the others go on and nothing that was counted is lost', async () => {
  await service.ask({ method: 'POST', path, body: configMap('one', '1') });
  const clients = Array.from({ length: 8 }, () => connection());
  const ask = (agent: Agent): Promise<Answer> => service.ask({ path: `${path}/one`, agent });
  for (const agent of clients) expect((await ask(agent)).status).toBe(200);
  const before = await scrape();
  const [victim = 0, survivor] = workerPids();
  let done = false;
  // Each client asks again when its connection is cut, and says how often it was.
  const load = clients.map(async (agent) => {
    const outcome = { answers: 0, cuts: 0 };
    while (!done) {
      await ask(agent).then(
        ({ status }) => (outcome.answers += status === 200 ? 1 : 0),
        () => (outcome.cuts += 1),
      );
    }
    return outcome;
  });
  process.kill(victim, 'SIGKILL');
  const pids = await waitFor('another worker', () => {
    const now = workerPids();
    return now.length === 2 && !now.includes(victim) && now;
  });
  await bothServe();
  done = true;
  const outcomes = await within('the load to end', 20_000, Promise.all(load));
  expect(pids).toContain(survivor);
  for (const { answers, cuts } of outcomes) {
    expect(answers).toBeGreaterThan(0);
    expect(cuts).toBeLessThanOrEqual(1);
  }
  expect(outcomes.filter(({ cuts }) => cuts === 0).length).toBeGreaterThanOrEqual(4);
  const after = await scrape();
  expect(after('apiserver_worker_restarts_total')).toBe(1);
  expect(after('apiserver_request_total', ...answered)).toBeGreaterThan(
    before('apiserver_request_total', ...answered),
  );
  expect(service.child.output()).toContain('a worker exited and is restarted');
});

test('a connection that a worker was handed but has not taken goes to another when that one is killed', async () => {
  const [victim = 0] = workerPids();
  await freeze(victim);
  // The first that is handed to it stays with it; the others are answered.
  const asked = Array.from({ length: 4 }, () => service.ask({ path: '/readyz', agent: connection() }));
  const done = new Set<Promise<Answer>>();
  for (const asking of asked) void asking.then(() => done.add(asking));
  await waitFor('those of the other worker', () => done.size === 3);
  process.kill(victim, 'SIGKILL');
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
});

test('all workers killed come back on the same port', async () => {
  const killed = workerPids();
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  await waitFor('other workers', () => {
    const now = workerPids();
    return now.length === 2 && now.every((pid) => !killed.includes(pid));
  });
  await bothServe();
});

test('a scrape does not wait for a blocked worker, and keeps its last metrics', async () => {
  const labels = ['worker="1"', 'worker="2"'];
  let clients: Agent[] = [];
  // One of the workers may still be starting.
  const before = await waitFor('a request at each worker', async () => {
    clients = [connection(), connection()];
    for (const agent of clients) await service.ask({ path: '/readyz', agent });
    const figures = await scrape(clients[0]);
    return labels.every((label) => figures('apiserver_worker_request_total', label) > 0) && figures;
  });
  const [frozen = 0] = workerPids();
  await freeze(frozen);
  try {
    const after = await within('a scrape', 4_000, Promise.any(clients.map((agent) => scrape(agent))));
    const missed = 'apiserver_worker_missed_scrapes_total';
    expect(after(missed)).toBeGreaterThan(before(missed));
    expect(after('apiserver_request_total')).toBeGreaterThanOrEqual(before('apiserver_request_total'));
    for (const label of labels) expect(after('apiserver_worker_request_total', label)).toBeGreaterThan(0);
  } finally {
    process.kill(frozen, 'SIGCONT');
  }
});

describe('with time to be looked at while it stops', () => {
  beforeAll(() => {
    shutdownDelay = '5s';
  });
  afterAll(() => {
    shutdownDelay = '300ms';
  });

  test('a stop ends with code 0 and leaves no process: readyz fails first, requests are served meanwhile', async () => {
    const client = connection();
    expect((await service.ask({ path: '/readyz', as: '', agent: client })).status).toBe(200);
    const pids = workerPids();
    // A terminal sends Ctrl-C to every process of its group.
    for (const pid of [service.child.pid, ...pids]) process.kill(pid, 'SIGINT');
    await waitFor(
      'readyz to fail',
      async () => (await service.ask({ path: '/readyz', as: '', agent: client })).status === 500,
      { interval: 5 },
    );
    expect((await service.ask({ path: '/livez', as: '', agent: client })).status).toBe(200);
    expect((await within('the end', 20_000, service.child.exited)).code).toBe(0);
    expect(processesWith(folder)).toEqual([]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
    await within('its output', 10_000, service.child.closed);
    expect(service.child.output().match(/Stopping/g)).toHaveLength(1);
  });
});

test('a second Ctrl-C ends every process at once', async () => {
  const pids = workerPids();
  // Workers that stand still hold the stop up, so that it is the second signal that ends it.
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  service.child.signal('SIGINT');
  await waitFor('the first signal', () => service.child.output().includes('Stopping gracefully (SIGINT)'));
  const exit = await waitFor('the second signal to count', () => {
    service.child.signal('SIGINT');
    return service.child.exit();
  });
  expect(exit.code).toBe(130);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  await waitFor('the workers to end', () => !left().some((pid) => pids.includes(pid)));
});

/** Every worker that runs, whosever. */
function left(): number[] {
  return processesWith('worker-main').map(({ pid }) => pid);
}

test('when the first process is killed its workers end, and their etcd', async () => {
  const pids = workerPids();
  expect(pids).toHaveLength(2);
  await service.child.kill();
  await waitFor('etcd to end', () => processesWith(folder).length === 0);
  await waitFor('the workers to end', () => !left().some((pid) => pids.includes(pid)));
});
