/** Outputs whose reader has gone, or that have no room: a command ends without a stack, and a service goes on. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { entryPoint, nodeBinary, repositoryRoot } from '../../support/paths.ts';

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the words of a shell: `"$@"` is the program with its arguments, and descriptor 9 a pipe that nobody reads. */
function inShell(words: string, program: readonly string[]): Ended {
  const script = `exec 9> >(exec true); wait $!; ${words}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', nodeBinary(), ...program], {
    cwd: repositoryRoot,
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

const manifest = join('test', 'integration', 'server', 'support', 'one.yaml');

test.each([[['--help']], [['version']], [['pki', '--help']], [['convert', '-f', manifest]]])(
  '%j into a closed pipe ends quietly, with the code of other tools',
  (words) => {
    const ended = inShell('"$@" >&9', [entryPoint(), ...words]);
    expect(ended).toEqual({ status: 141, stdout: '', stderr: '' });
  },
);

test('what finds no room says so in a line', () => {
  const ended = inShell('"$@" >/dev/full', [entryPoint(), '--help']);
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(/^orch-apiserver: standard output cannot be written: ENOSPC.*\n$/);
});

test('a start error keeps its exit code where nobody reads it', () => {
  expect(inShell('"$@" 2>&9', [entryPoint(), '--no-such-flag']).status).toBe(1);
});

/** Its thread has something to say, which Node writes to the standard error of the process. */
const service = `
const { Worker } = await import('node:worker_threads');
await import(${JSON.stringify(join(repositoryRoot, 'src/cli/io.ts'))});
for (let round = 0; round < 3; round += 1)
  await new Promise((resolve) => new Worker('console.error(1); console.log(2)', { eval: true }).on('exit', resolve));
require('node:fs').writeSync(8, 'goes on');
`;

test('what a thread writes ends no process whose outputs are closed', () => {
  const ended = inShell('"$@" 8>&1 >&9 2>&9', ['-e', `(async () => {${service}})()`]);
  expect(ended).toMatchObject({ status: 0, stdout: 'goes on' });
});
