/** Time that this thread worked: that of other threads, and of others on the machine, must not decide. */

/** Microseconds of processor time. Node before 22.19 knows only those of all threads, which are more. */
export function workedMicroseconds(): number {
  const known = process as Partial<NodeJS.Process> & Pick<NodeJS.Process, 'cpuUsage'>;
  const { user, system } = known.threadCpuUsage?.() ?? known.cpuUsage();
  return user + system;
}
