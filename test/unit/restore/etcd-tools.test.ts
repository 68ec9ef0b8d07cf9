/** Programs of etcd that restore and backup run: they end with who runs them. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runTool, ToolError } from '../../../src/restore/etcd-tools.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { processesWith } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';

function isRunning(command: string): boolean {
  return processesWith(command).some((one) => one.command === command);
}

test('the output of a program, and its error', async () => {
  const { signal } = new AbortController();
  expect(await runTool('echo', ['a', 'b c'], { signal })).toBe('a b c\n');
  const failed = runTool('sh', ['-c', 'echo Error: no >&2; exit 3'], { signal });
  await expect(failed).rejects.toThrow('Error: no');
});

test('a cancelled program is gone when its error is there', async () => {
  const command = 'sleep 86397';
  const stop = new AbortController();
  const failed = runTool('sleep', ['86397'], { signal: stop.signal }).catch((error: unknown) => error);
  await waitFor('the program', () => isRunning(command));
  stop.abort();
  expect(await failed).toEqual(new ToolError('sleep was cancelled'));
  expect(isRunning(command)).toBe(false);
  const late = runTool('sleep', ['86397'], { signal: stop.signal });
  await expect(late).rejects.toThrow(ToolError);
});

test('a program ends with a process that is killed', async () => {
  const command = 'sleep 86398';
  const file = join(repositoryRoot, 'src/restore/etcd-tools.ts');
  const script = `import(${JSON.stringify(file)}).then(({ runTool }) =>
    runTool('sleep', ['86398'], { signal: new AbortController().signal }))`;
  const child = spawn(nodeBinary(), ['-e', script], { stdio: 'ignore' });
  await waitFor('the program', () => isRunning(command));
  child.kill('SIGKILL');
  await waitFor('its end', () => !isRunning(command));
});
