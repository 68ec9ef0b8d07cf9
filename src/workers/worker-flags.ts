/** Flags of Node for processes that serve. */

/** Node would open its inspector at a signal. */
const noInspector = '--disable-sigusr1';

/**
 * Megabytes of each half of the young generation, of each thread. Node 26 lets it have 32, which a start fills once and keeps:
 * some 25 MB of resident memory for each thread, and collections of twice as much. With 16 work like that of requests takes no more
 * processor time, with 8 a quarter more.
 */
const youngGeneration = '--max-semi-space-size=16';

/** Node 20 and 22 do not know it; the handler of `prepareProcess` serves there. */
const inspectorFlags = process.allowedNodeEnvironmentFlags.has(noInspector) ? [noInspector] : [];

/** The flags of a worker of a process with these. What an operator has chosen stays. @param nodeOptions the variable NODE_OPTIONS */
export function workerFlags(execArgv: readonly string[], nodeOptions = ''): string[] {
  const own = execArgv.filter((flag) => flag !== noInspector);
  const isChosen = [nodeOptions, ...own].some((flag) => /--max[-_]semi[-_]space/.test(flag));
  return [...(isChosen ? [] : [youngGeneration]), ...own, ...inspectorFlags];
}
