/** A disk that takes its time: each fsync of a process is held up, by `strace`, which tampers with system calls. */
import { Child } from './child-process.ts';
import { findProgram } from './paths.ts';
import { waitFor } from './wait-for.ts';

export interface SlowSync extends AsyncDisposable {
  /** Number of synchronizations that began so far. */
  count(): number;
}

/**
 * Holds up each synchronization of a process by so many milliseconds until it is disposed of.
 * @returns why it cannot be done here, in words
 */
export async function slowSync(pid: number, delayMs: number): Promise<SlowSync | string> {
  const program = findProgram('strace');
  if (program === undefined) return 'there is no strace';
  const calls = 'fsync,fdatasync';
  const inject = `inject=${calls}:delay_enter=${String(delayMs * 1_000)}`;
  const args = ['-f', '-p', String(pid), '-e', `trace=${calls}`, '-e', inject];
  const strace = await Child.start({ name: 'strace', program, args });
  await waitFor('strace to be attached', () => strace.exit() ?? strace.output().includes('attached'));
  if (strace.exit()) return strace.output().trim();
  return {
    count: () => strace.output().match(/sync\(\d+/g)?.length ?? 0,
    [Symbol.asyncDispose]: async () => {
      // It lets the process go.
      await strace.stop();
    },
  };
}
