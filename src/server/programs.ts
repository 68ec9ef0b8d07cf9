/** The files that other processes and threads of the service run. */
import { extname, join } from 'node:path';

/** Of the processes of workers. */
export const workerProgram = programFile('worker-main');

/** Of write threads. */
export const writeThreadProgram = programFile('write-thread-main');

/** Sources and built files end differently. */
function programFile(name: string): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
}
