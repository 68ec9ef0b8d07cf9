/**
 * What ends the serving process does not end a service that was started as users start it, by `npm start` or by the
 * entry point of the image: another one serves within a second, the pauses grow, etcd runs on, and the log says why.
 */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Child } from '../../support/child-process.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { childrenOf, processesWith } from '../../support/processes.ts';
import { Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

type Start = (folder: string, words: readonly string[], env: NodeJS.ProcessEnv) => Promise<Child>;

const startMs = 60_000;
const path = '/api/v1/namespaces/default/configmaps';
const bugs = pathToFileURL(join(import.meta.dirname, 'misbehave.mjs')).href;
const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=96 --import=${bugs}` };

/** As the guide says it; npm and its shell stand before the service. */
const byNpm: Start = (_folder, words, environment) =>
  Child.start({
    name: 'npm start',
    program: 'npm',
    args: ['start', '--', ...words],
    cwd: repositoryRoot,
    env: environment,
  });

/** The words of the Dockerfile, over a folder that is laid out as /app in the image. */
const byEntryPoint: Start = (folder, words, environment) => {
  const app = join(folder, 'app');
  mkdirSync(app);
  for (const name of ['package.json', 'dist', 'node_modules'])
    symlinkSync(join(repositoryRoot, name), join(app, name));
  const file = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');
  const [, json = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(file) ?? [];
  const [program = '', ...args] = JSON.parse(json) as string[];
  const PATH = `${dirname(nodeBinary())}:${environment['PATH'] ?? ''}`;
  const all = [...args, 'serve', ...words];
  return Child.start({ name: 'entry point', program, args: all, cwd: app, env: { ...environment, PATH } });
};

/** A service that runs, and what it consists of. */
class Running {
  readonly service: Service;
  readonly #folder: string;

  private constructor(service: Service, folder: string) {
    this.service = service;
    this.#folder = folder;
  }

  static async start(start: Start, folder: string): Promise<Running> {
    const data = join(folder, '.orch');
    const child = await start(folder, [`--data-dir=${data}`, '--secure-port=0'], env);
    const served = (): string | undefined =>
      /"url":"(https:[^"]+)".*"msg":"Serving /.exec(child.output())?.[1];
    const url = await waitFor('the service to serve', served, {
      timeout: startMs,
      details: () => child.output(),
    });
    return new Running(new Service(child, url, join(data, 'pki')), data);
  }

  /** The process that serves, wherever below the first one it is. */
  worker(): number {
    const ours = familyOf(this.service.child.pid);
    return processesWith('worker-main').find(({ pid }) => ours.has(pid))?.pid ?? 0;
  }

  etcd(): number[] {
    return processesWith(`--data-dir=${this.#folder}/etcd`).map(({ pid }) => pid);
  }

  ends(): Record<string, unknown>[] {
    const lines = this.service.child.output().split('\n');
    const said = lines.filter((line) => line.includes('"msg":"a worker exited and is restarted"'));
    return said.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  isServing(): Promise<boolean> {
    return this.service.ask({ path: '/readyz', as: '' }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

function familyOf(pid: number): Set<number> {
  const family = new Set([pid]);
  for (const one of family) for (const child of childrenOf(one)) family.add(child);
  return family;
}

/** Milliseconds of processor time that the main thread of a process has used so far: others work beside it. */
function processorMs(pid: number): number {
  const text = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // In ticks of a hundredth of a second (proc(5): utime and stime).
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const kills = [
  { how: 'SIGKILL', signal: 'SIGKILL', end: { reason: 'signal', signal: 'SIGKILL' } },
  { how: 'abort', signal: 'SIGABRT', end: { reason: 'signal', signal: 'SIGABRT' } },
  { how: 'memory that runs out', signal: 'SIGUSR2', end: { reason: 'out_of_memory', signal: 'SIGABRT' } },
  { how: 'an uncaught error', signal: 'SIGURG', end: { reason: 'exit', exitCode: 1 } },
] as const;

/** Of the first pause and the work of a start, on a machine at rest. */
const servedWithinMs = 1_000;

describe.each([
  ['npm start', byNpm],
  ['the entry point of the image', byEntryPoint],
] as const)('%s', (_name, start) => {
  let folder: TempFolder;
  let running: Running;

  beforeAll(async () => {
    folder = await makeTempFolder('killed');
    running = await Running.start(start, folder.path);
    expect((await running.service.ask({ method: 'POST', path, body: kept })).status).toBe(201);
  }, startMs);
  afterAll(async () => {
    const child = running.service.child;
    child.signal('SIGTERM');
    await within('the end', 30_000, child.exited);
    await waitFor('every process to be gone', () => processesWith(folder.path).length === 0);
    await folder.remove();
  });

  const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };

  test('a serving process that is killed in any way is replaced within a second, over the same etcd', async () => {
    const etcd = running.etcd();
    const supervisors = familyOf(running.service.child.pid);
    supervisors.delete(running.worker());
    const works: number[] = [];
    expect(etcd.length).toBeGreaterThan(0);
    for (const [i, { how, signal, end }] of kills.entries()) {
      const killed = await waitFor('a worker', () => running.worker());
      const begun = performance.now();
      process.kill(killed, signal);
      await waitFor('its end in the log', () => running.ends().length === i + 1, { timeout: startMs });
      const next = await waitFor(
        'another',
        () => ![0, killed].includes(running.worker()) && running.worker(),
      );
      await waitFor('it to serve', () => running.isServing(), { timeout: startMs, interval: 10 });
      const [spent, passed] = [processorMs(next), Math.round(performance.now() - begun)];
      const said = running.ends()[i];
      console.log(
        `${how}: pause ${String(said?.['pauseMs'])} ms, ${String(spent)} ms of processor time, ${String(passed)} ms in all`,
      );
      expect(said).toMatchObject({ level: 'error', worker: 1, pid: killed, ...end });
      works.push(spent);
      expect((await running.service.ask({ path: `${path}/kept` })).status).toBe(200);
    }
    const pauses = running.ends().map(({ pauseMs }) => Number(pauseMs));
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThan(3 * (pauses[0] ?? Infinity));
    // The least of them: a collection of garbage, or a cache that another program took, is no work of a start.
    expect((pauses[0] ?? 0) + Math.min(...works)).toBeLessThan(cpuBudget(servedWithinMs));
    expect(running.etcd()).toEqual(etcd);
    const after = familyOf(running.service.child.pid);
    for (const pid of supervisors) expect(after).toContain(pid);
  }, 180_000);
});
