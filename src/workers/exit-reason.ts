/** Why a worker's process ended by itself. */

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why there was no process at all; '' where there was one. */
  readonly problem: string;
}

/** Labels of `apiserver_worker_restarts_total`. */
export const exitReasons = ['out_of_memory', 'signal', 'exit'] as const;
export type ExitReason = (typeof exitReasons)[number];

/** What V8 and Node print when memory cannot be had. */
const outOfMemory = /out of memory|OutOfMemory|Allocation failed/i;

/**
 * @param output the last that the process printed
 * @param oomKills how many processes of its control group the kernel ended meanwhile for want of memory
 */
export function exitReason({ code, signal }: ProcessExit, output: string, oomKills: number): ExitReason {
  // A limit of the heap ends in an abort, which shells turn into a code.
  const isAbort = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL' || code === 134;
  if (isAbort && outOfMemory.test(output)) return 'out_of_memory';
  if (signal === 'SIGKILL' && oomKills > 0) return 'out_of_memory';
  return signal === null ? 'exit' : 'signal';
}

/** In words: `SIGKILL`, `code 1`, or why it could not be started. */
export function describeExit({ code, signal, problem }: ProcessExit): string {
  return problem || (signal ?? `code ${String(code)}`);
}
