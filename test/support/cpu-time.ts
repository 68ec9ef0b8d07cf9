/** Time that this thread worked, which other work on the machine hardly changes, instead of time that went by. */

/** Milliseconds of processor time of this thread since it began. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Milliseconds of processor time that an action takes. */
export function cpuMsOf(action: () => void): number {
  const started = threadCpuMs();
  action();
  return threadCpuMs() - started;
}
