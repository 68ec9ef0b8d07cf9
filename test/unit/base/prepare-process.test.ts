import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';

/** What a script prints in a Node of its own, after the preparation. */
function prepared(script: string): string {
  const url = pathToFileURL(join(repositoryRoot, 'src', 'base', 'prepare-process.ts')).href;
  const { NODE_COMPILE_CACHE: _given, ...env } = process.env;
  const program = `import { prepareProcess } from '${url}'; prepareProcess(); ${script}`;
  const result = spawnSync(nodeBinary(), ['--input-type=module', '-e', program], { encoding: 'utf8', env });
  return result.stdout + result.stderr;
}

test('the compile cache is beside the program, not in a shared folder', () => {
  const where = prepared(`import m from 'node:module'; console.log(m.getCompileCacheDir());`);
  expect(where).toMatch(new RegExp(`^${join(repositoryRoot, '.orch', 'compile-cache')}/`));
});

test('SIGUSR1 opens no inspector, also without --disable-sigusr1', () => {
  const script = `process.kill(process.pid, 'SIGUSR1'); setTimeout(() => console.log('alive'), 200);`;
  expect(prepared(script)).toBe('alive\n');
});
