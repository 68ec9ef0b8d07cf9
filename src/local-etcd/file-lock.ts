/**
 * An advisory lock on a file or folder, as etcd takes on its database (flock(2)). Node lacks this call; the child
 * process `flock` of util-linux holds it until its standard input closes, also if this process is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StartError } from '../base/start-error.ts';

/** Prints once it holds the lock, then waits for the end of its input. */
const holder = 'echo held; exec cat >/dev/null';

/** How long another holder is waited for; default: not at all. */
export interface FileLockWait {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

const noWait: FileLockWait = { seconds: 0, signal: new AbortController().signal };

/**
 * Takes the lock; undefined if another process holds it, also when the wait is over or called off.
 * @throws StartError if `flock` is missing
 */
export async function takeFileLock(
  path: string,
  { seconds, signal }: FileLockWait = noWait,
): Promise<AsyncDisposable | undefined> {
  if (signal.aborted) return undefined;
  const patience = seconds === 0 ? ['--nonblock'] : ['--wait', String(seconds)];
  const child = spawn('flock', [...patience, path, '/bin/sh', '-c', holder], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  // The end of its input ends the holder, which a signal to `flock` does not reach.
  const end = (): void => {
    child.kill();
    child.stdin.end();
  };
  signal.addEventListener('abort', end, { once: true });
  child.once('exit', () => {
    signal.removeEventListener('abort', end);
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
