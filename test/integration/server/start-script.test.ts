/** The service as `npm start` starts it: what it prints, what it lets others see, how it ends. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { repositoryRoot } from '../../support/paths.ts';
import { processesWith, workersOf } from '../../support/processes.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const script = join(repositoryRoot, 'deploy', 'bootstrap.mjs');

test('--version is a question, which starts nothing', () => {
  const { status, stdout } = spawnSync(process.execPath, [script, 'start', '--version'], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^orch-apiserver v1\.21\.0\S* \(Node v.+\)\n$/),
  ]);
});

test('no inspector for SIGUSR1 at any process, no core dumps of any, a log of records alone, an end in order', async () => {
  const folder = await makeTempFolder('start-script');
  const child = await Child.start({
    name: 'start script',
    program: process.execPath,
    args: [script, 'start', `--data-dir=${folder.path}`, '--secure-port=0', '--v=1'],
  });
  try {
    const isServing = (): boolean => child.output().includes('"msg":"Serving https://');
    await waitFor('the service to serve', isServing, { timeout: 60_000, details: () => child.output() });
    const supervisor = processesWith('dist/main.js').find(({ parent }) => parent === child.pid)?.pid ?? 0;
    const etcd = processesWith(`--data-dir=${folder.path}/etcd`).map(({ pid }) => pid);
    const ours = [supervisor, ...workersOf(supervisor), ...etcd];
    expect(ours.length).toBeGreaterThanOrEqual(4);
    for (const pid of ours)
      expect(readFileSync(`/proc/${String(pid)}/limits`, 'utf8')).toMatch(/^Max core file size +0 +0 /m);
    for (const pid of [child.pid, ...ours]) process.kill(pid, 'SIGUSR1');
    child.signal('SIGTERM');
    expect((await within('the end', 30_000, child.exited)).code).toBe(0);
    await within('its output', 10_000, child.closed);
    expect(child.output()).not.toContain('Debugger');
    const lines = child.output().trim().split('\n');
    // Setting up, which is for people, comes first, and only where something is set up.
    const records = lines.filter((line) => !line.startsWith('orch-apiserver: '));
    expect(records.map((line) => Object.keys(JSON.parse(line) as object).slice(0, 2))).toEqual(
      records.map(() => ['level', 'time']),
    );
    expect(records.filter((line) => line.includes('"msg":"stopping"'))).not.toEqual([]);
  } finally {
    await child.stop();
    await folder.remove();
  }
});

test('a start script that is killed leaves no process behind', async () => {
  const folder = await makeTempFolder('start-script');
  const child = await Child.start({
    name: 'start script',
    program: process.execPath,
    args: [script, 'start', `--data-dir=${folder.path}`, '--secure-port=0'],
  });
  try {
    const isServing = (): boolean => child.output().includes('"msg":"Serving https://');
    await waitFor('the service to serve', isServing, { timeout: 60_000, details: () => child.output() });
    process.kill(child.pid, 'SIGKILL');
    const left = () => processesWith(folder.path);
    await waitFor('all to end', () => left().length === 0, {
      timeout: 20_000,
      details: () => JSON.stringify(left()),
    });
  } finally {
    for (const { pid } of processesWith(folder.path)) process.kill(pid, 'SIGKILL');
    await child.stop();
    await folder.remove();
  }
});
