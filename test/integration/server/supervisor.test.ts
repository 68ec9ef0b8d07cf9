/** What ends a serving process does not end the service: another takes its place, over the same etcd and PKI. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../../../src/base/errors.ts';
import { processesWith } from '../../support/processes.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { Service, startMs } from '../../support/service.ts';

let temporary: TempFolder;
let folder: string;
let service: Service;
let env: NodeJS.ProcessEnv = {};

beforeEach(async () => {
  temporary = await makeTempFolder('supervisor');
  folder = join(temporary.path, '.orch');
  service = await Service.start(folder, [], env);
});
afterEach(async () => {
  await service.child.stop();
  await waitFor('every process to be gone', () => processesWith(folder).length === 0);
  await temporary.remove();
});

const path = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { a: 'b' } };

/** The one process that serves. */
function worker(): number {
  const [pid = 0] = service.workerPids();
  return pid;
}

function etcdPids(): number[] {
  return processesWith(`--data-dir=${folder}/etcd`).map(({ pid }) => pid);
}

type Fields = Readonly<Record<string, unknown>>;

/** Everything that was printed; each line has to be a record. */
function records(): Fields[] {
  const lines = service.child.output().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Fields);
}

/** What was said about workers that ended. */
function ends(): Fields[] {
  return records().filter(({ msg }) => msg === 'a worker exited and is restarted');
}

/** Waits until requests are served by another process; gives the milliseconds that took. */
async function servedAgain(by: { after: number; timeout?: number }): Promise<number> {
  const since = performance.now();
  const asked = (): Promise<boolean> =>
    service.ask({ path: '/readyz', as: '' }).then(
      ({ status }) => status === 200 && ![0, by.after].includes(worker()),
      () => false,
    );
  const details = (): string => service.child.output();
  await waitFor('another worker to serve', asked, { timeout: by.timeout ?? startMs, interval: 10, details });
  return performance.now() - since;
}

async function restarts(reason: string): Promise<number> {
  const { body } = await service.ask({ path: '/metrics' });
  const line = `apiserver_worker_restarts_total{worker="1",reason="${reason}"} `;
  return Number(
    body
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.slice(line.length),
  );
}

test('a killed worker is replaced: the same address, etcd, PKI and data; the log and a metric say why', async () => {
  expect((await service.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
  const [etcd, ca] = [etcdPids(), readFileSync(join(folder, 'pki', 'ca.crt'), 'utf8')];
  const killed = worker();
  process.kill(killed, 'SIGKILL');
  // What a start itself takes depends on the data and the machine.
  await waitFor('another worker to be started', () => ![0, killed].includes(worker()), {
    timeout: 1_000,
    interval: 10,
  });
  console.log(`served again after ${Math.round(await servedAgain({ after: killed }))} ms`);
  expect((await service.ask({ path: `${path}/kept` })).status).toBe(200);
  expect((await service.ask({ method: 'DELETE', path: `${path}/kept` })).status).toBe(200);
  expect(etcdPids()).toEqual(etcd);
  expect(readFileSync(join(folder, 'pki', 'ca.crt'), 'utf8')).toBe(ca);
  const [end, ...more] = ends();
  expect(more).toEqual([]);
  expect(end).toMatchObject({ level: 'error', worker: 1, pid: killed, reason: 'signal', signal: 'SIGKILL' });
  expect(end?.['pauseMs']).toBeLessThanOrEqual(100);
  expect(await restarts('signal')).toBe(1);
  expect(await service.stop()).toBe(0);
  // From the first line to the last.
  expect(records().map(({ msg }) => msg)).toContain(
    'Stopping gracefully (SIGTERM); repeat the signal to exit at once.',
  );
});

test('pauses grow while workers end again and again', async () => {
  for (let times = 0, last = 0; times < 4; times += 1) {
    last = await waitFor('another worker', () => ![0, last].includes(worker()) && worker(), {
      timeout: startMs,
    });
    process.kill(last, 'SIGKILL');
    await waitFor('its end in the log', () => ends().length === times + 1);
  }
  const pauses = ends().map(({ pauseMs }) => Number(pauseMs));
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(400);
  await servedAgain({ after: 0 });
});

test('a killed supervisor leaves no process behind', async () => {
  const pid = worker();
  await service.child.kill();
  await waitFor('the worker to end', () => processesWith('worker-main').every((one) => one.pid !== pid), {
    timeout: 10_000,
  });
  await waitFor('etcd to end', () => etcdPids().length === 0);
});

const ofOthers = ['SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGXCPU', 'SIGPIPE', 'SIGIO', 'SIGPWR'] as const;
test.each(ofOthers)('%s ends no process', async (name) => {
  const pids = [service.child.pid, worker(), ...etcdPids()];
  for (const pid of pids) process.kill(pid, name);
  for (let i = 0; i < 2; i += 1) expect((await service.ask({ path })).status).toBe(200);
  expect([service.child.pid, worker(), ...etcdPids()]).toEqual(pids);
});

test('SIGUSR1 opens no inspector, and every process lives on', async () => {
  const pids = [service.child.pid, worker(), ...etcdPids()];
  expect(pids.length).toBeGreaterThanOrEqual(4);
  for (const pid of pids) process.kill(pid, 'SIGUSR1');
  // Node opens its inspector within milliseconds; two more requests are time enough, and both are served.
  for (let i = 0; i < 2; i += 1) expect((await service.ask({ path })).status).toBe(200);
  await expect(isListening(9229)).resolves.toBe(false);
  expect([service.child.pid, worker(), ...etcdPids()]).toEqual(pids);
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

/** What another local user gets to read; only root can ask in the name of one. */
function readByNobody(file: string): string {
  const nobody = 65_534;
  const { stdout, stderr, error } = spawnSync('head', ['-c', '4096', file], {
    ...{ uid: nobody, gid: nobody, encoding: 'utf8', cwd: '/' },
  });
  expect({ error, refused: /Permission denied/.test(stderr) }).toEqual({ error: undefined, refused: true });
  return stdout;
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('another local user reads neither the environment nor the memory of a process, nor a key', () => {
  const keys = readdirSync(join(folder, 'pki')).filter((name) => name.endsWith('.key'));
  expect(keys.length).toBeGreaterThan(3);
  const of = [service.child.pid, worker(), ...etcdPids()].flatMap((pid) =>
    ['environ', 'mem', 'maps', 'auxv'].map((name) => `/proc/${String(pid)}/${name}`),
  );
  for (const file of [...of, ...keys.map((name) => join(folder, 'pki', name))])
    expect([file, readByNobody(file)]).toEqual([file, '']);
  // The folders themselves are closed: whoever comes later finds nothing by its name.
  for (const name of ['', 'etcd', 'pki']) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});

test('nothing of it is for other users: files, arguments, core dumps', async () => {
  expect((await service.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const open = names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
  expect(open.filter((name) => !name.endsWith('.crt'))).toEqual([]);
  const secrets = names.filter((name) => name.endsWith('.key'));
  expect(secrets.length).toBeGreaterThan(3);
  const pids = [service.child.pid, worker(), ...etcdPids()];
  for (const pid of pids) {
    const about = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join();
    expect(about).not.toContain('PRIVATE KEY');
    expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +0 /m);
    // Temporary files that others could have put there, or could read.
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return '';
      }
    });
    expect(files.filter((file) => file.startsWith('/tmp/') && !file.startsWith(folder))).toEqual([]);
  }
});

describe('with bugs', () => {
  beforeAll(() => {
    const bugs = pathToFileURL(join(import.meta.dirname, 'misbehave.mjs')).href;
    env = { NODE_OPTIONS: `--max-old-space-size=96 --import=${bugs}` };
  });
  afterAll(() => {
    env = {};
  });

  test('memory that runs out is recognised', async () => {
    const pid = worker();
    process.kill(pid, 'SIGUSR2');
    await servedAgain({ after: pid, timeout: 60_000 });
    const [end] = ends();
    expect(end).toMatchObject({ pid, reason: 'out_of_memory', signal: 'SIGABRT' });
    expect(await restarts('out_of_memory')).toBe(1);
    const said = records().filter(({ msg }) => msg === 'output of a worker');
    expect(said.map(({ output }) => output).join('\n')).toContain('heap out of memory');
  });

  test('an uncaught error ends the process, and its stack is in the log', async () => {
    const pid = worker();
    process.kill(pid, 'SIGURG');
    await servedAgain({ after: pid });
    expect(ends()).toMatchObject([{ pid, reason: 'exit', exitCode: 1 }]);
    const said = records().filter(({ msg }) => msg === 'output of a worker');
    expect(said).toMatchObject([{ level: 'warn', pid, worker: 1 }]);
    expect(said[0]?.['output']).toMatch(/Error: a bug of the test\n {4}at /);
    expect(await restarts('exit')).toBe(1);
  });
});

test('a connection to a service between two workers is refused or served, never left waiting', async () => {
  const pid = worker();
  process.kill(pid, 'SIGKILL');
  const answers = Array.from({ length: 5 }, () =>
    service.ask({ path: '/readyz', as: '' }).then(
      ({ status }) => status,
      (error: unknown) => codeOf(error),
    ),
  );
  for (const answer of await within('the answers', 5_000, Promise.all(answers)))
    expect([200, 500, 'ECONNREFUSED', 'ECONNRESET']).toContain(answer);
  await servedAgain({ after: pid });
});

test('a worker that cannot be started now is started later', async () => {
  const supervisor = service.child.pid;
  const limit = (soft: number): void => {
    execFileSync('prlimit', [`--pid=${String(supervisor)}`, `--nofile=${String(soft)}:`]);
  };
  const pid = worker();
  // Below the first free number, the supervisor can open nothing: no channel to another process either.
  limit(firstFreeDescriptor(supervisor));
  process.kill(pid, 'SIGKILL');
  await waitFor('a failed attempt in the log', () => ends().some(({ end }) => /EMFILE/.test(String(end))));
  expect(etcdPids().length).toBeGreaterThan(0);
  limit(1024);
  await servedAgain({ after: pid });
  expect((await service.ask({ method: 'POST', path, body: configMap })).status).toBe(201);
});

function firstFreeDescriptor(pid: number): number {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let free = 0;
  while (used.has(free)) free += 1;
  return free;
}

test('where open files are few, silent connections leave some to others', async () => {
  const pid = worker();
  execFileSync('prlimit', [`--pid=${String(service.child.pid)}`, '--nofile=200:200']);
  process.kill(pid, 'SIGKILL');
  await servedAgain({ after: pid });
  const { hostname: host, port } = new URL(service.url);
  const silent = Array.from({ length: 300 }, () =>
    connect({ host, port: Number(port) }).on('error', () => undefined),
  );
  try {
    await waitFor('the flood to be taken', () => silent.every(({ connecting }) => !connecting));
    for (let i = 0; i < 5; i++) expect((await service.ask({ path: '/livez', as: '' })).status).toBe(200);
  } finally {
    for (const socket of silent) socket.destroy();
  }
});
