/** Entry points of worker processes and write threads. */
import { extname, join } from 'node:path';

/** Entry point of workers. */
export const workerProgram = programFile('worker-main');

/** Entry point of write threads. */
export const writeThreadProgram = programFile('write-thread-main');

/** Sources and built files have different extensions. */
function programFile(name: string): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
}
