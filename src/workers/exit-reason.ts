/** Classifies the unexpected exit of a worker process. */

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why the process could not be started; '' if it was. */
  readonly problem: string;
}

/** Labels of `apiserver_worker_restarts_total`. */
export const exitReasons = ['out_of_memory', 'signal', 'exit'] as const;
export type ExitReason = (typeof exitReasons)[number];

/** Output of V8 and Node when memory is exhausted. */
const outOfMemory = /out of memory|OutOfMemory|Allocation failed/i;

/**
 * @param output last output of the process
 * @param oomKills number of OOM kills in its control group meanwhile
 */
export function exitReason({ code, signal }: ProcessExit, output: string, oomKills: number): ExitReason {
  // Reaching the heap limit aborts the process; shells report that as an exit code.
  const isAbort = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL' || code === 134;
  if (isAbort && outOfMemory.test(output)) return 'out_of_memory';
  if (signal === 'SIGKILL' && oomKills > 0) return 'out_of_memory';
  return signal === null ? 'exit' : 'signal';
}

/** A description: `SIGKILL`, `code 1`, or why it could not be started. */
export function describeExit({ code, signal, problem }: ProcessExit): string {
  return problem || (signal ?? `code ${String(code)}`);
}
