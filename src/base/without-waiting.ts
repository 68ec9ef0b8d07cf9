/** Non-blocking writes to an inherited pipe. */
import { constants, fstatSync, openSync } from 'node:fs';

/**
 * A non-blocking descriptor of the same pipe. O_NONBLOCK belongs to the open file description: setting it on the
 * inherited one would affect all programs that share it. Regular files do not block; what cannot be reopened is used
 * unchanged.
 */
export function withoutWaiting(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${String(fd)}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
