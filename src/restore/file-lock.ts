/**
 * An advisory lock on a file or folder, the one that etcd takes on its database (flock(2)). Node has no call for it; a
 * child of ours, `flock` of util-linux, holds it until its standard input ends, which it does also when we are killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StartError } from '../base/start-error.ts';

/** Prints when it holds the lock, then waits for the end of its input. */
const holder = 'echo held; exec cat >/dev/null';

/** Takes the lock, or gives undefined when another process has it. @throws StartError where `flock` is missing */
export async function takeFileLock(path: string): Promise<AsyncDisposable | undefined> {
  const child = spawn('flock', ['--nonblock', path, '/bin/sh', '-c', holder], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const exited = new Promise<false>((resolve, reject) => {
    child.once('exit', () => resolve(false));
    child.once('error', (cause) => {
      const remedy = 'install util-linux';
      reject(StartError.of('FLOCK_MISSING', 'the program flock cannot be run', remedy, cause));
    });
  });
  child.stdin.on('error', () => undefined);
  const isHeld = await Promise.race([once(child.stdout, 'data').then(() => true), exited]);
  if (!isHeld) return undefined;
  return {
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
