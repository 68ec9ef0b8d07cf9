/** Entry points of worker processes and of threads. */
import { extname, join } from 'node:path';

/** Entry point of workers. */
export const workerProgram = programFile('worker-main');

/** Entry point of serving threads. */
export const servingThreadProgram = programFile('serving-thread-main');

/** Entry point of write threads. */
export const writeThreadProgram = programFile('write-thread-main');

/** Entry point of threads that work on OpenAPI documents of other servers. */
export const openApiThreadProgram = programFile('openapi-thread-main');

/** Sources and built files have different extensions. */
function programFile(name: string): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
}
