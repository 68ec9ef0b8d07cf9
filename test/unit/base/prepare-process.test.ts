import { spawnSync } from 'node:child_process';
import { cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const program = ['src', 'base', 'prepare-process.ts'];

/** What a script prints in a Node of its own, after the preparation. */
function prepared(script: string, root = repositoryRoot): string {
  const url = pathToFileURL(join(root, ...program)).href;
  const { NODE_COMPILE_CACHE: _given, ...env } = process.env;
  const main = `import { prepareProcess } from '${url}'; prepareProcess(); ${script}`;
  const result = spawnSync(nodeBinary(), ['--input-type=module', '-e', main], { encoding: 'utf8', env });
  return result.stdout + result.stderr;
}

test('the compile cache is beside the program, not in a shared folder', () => {
  const where = prepared(`import m from 'node:module'; console.log(m.getCompileCacheDir());`);
  expect(where).toMatch(new RegExp(`^${join(repositoryRoot, '.orch', 'compile-cache')}/`));
});

test('the folder of the compile cache is created for this user alone', async () => {
  const folder = await makeTempFolder('compile-cache');
  try {
    cpSync(join(repositoryRoot, ...program), join(folder.path, ...program), { recursive: true });
    expect(prepared('', folder.path)).toBe('');
    expect(statSync(join(folder.path, '.orch')).mode & 0o777).toBe(0o700);
  } finally {
    await folder.remove();
  }
});

test('SIGUSR1 opens no inspector, also without --disable-sigusr1', () => {
  const script = `process.kill(process.pid, 'SIGUSR1'); setTimeout(() => console.log('alive'), 200);`;
  expect(prepared(script)).toBe('alive\n');
});

test('SIGUSR2, with which an operator reloads the balancer, ends no process', () => {
  const script = `process.kill(process.pid, 'SIGUSR2'); setTimeout(() => console.log('alive'), 200);`;
  expect(prepared(script)).toBe('alive\n');
});
