/** Reads files that users name: never waits for a writer, and never reads without bound. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

/** Policies and tables of 100,000 lines are below 16 MiB. */
const longestFile = 64 * 1024 * 1024;
/** Of keys and certificates, each of which takes a fraction of a millisecond: thousands of them. */
export const longestPem = 1024 * 1024;
/**
 * Of a configuration in YAML, which the supervisor reads in one step: at worst, of a list of single letters, in a second,
 * for which it neither takes a signal nor restarts a worker.
 */
export const longestConfiguration = 1024 * 1024;

/**
 * The content of a regular file. To open a named pipe without a writer would hold a thread of Node's pool for good, and
 * a device may have no end.
 * @param longest in bytes
 * @throws the system error, or an Error for what is no regular file or too large
 */
export async function readRegularFile(path: string, longest = longestFile): Promise<Buffer> {
  await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  const { size } = await regular(file);
  if (size > longest)
    throw new Error(`it has ${String(size)} bytes, more than the limit of ${String(longest)}`);
  return await file.readFile();
}

async function regular(file: FileHandle): Promise<{ readonly size: number }> {
  const found = await file.stat();
  // Node's own words for a folder come with the first read.
  if (!found.isFile() && !found.isDirectory()) throw new Error('not a regular file');
  return found;
}
