/** Writing to a pipe that somebody else made, without waiting for its reader. */
import { constants, fstatSync, openSync } from 'node:fs';

/**
 * A descriptor of the same pipe with which no write waits. The mode belongs to what was opened and not to the descriptor:
 * changed there, it would be changed for every program that writes to the pipe. Files never wait; whatever cannot
 * be opened a second time stays as it is.
 */
export function withoutWaiting(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${String(fd)}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
