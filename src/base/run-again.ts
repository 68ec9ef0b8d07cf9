/** Runs this program again in a Node with other flags, and stands for it. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Input and output are those of this process, and signals go on to the other one. It has a channel to this process, by whose
 * end it learns that this one is gone.
 * @returns its exit code; 128 and the number of the signal that ended it
 */
export function runAgain(flags: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...flags, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const name of passedOn) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
