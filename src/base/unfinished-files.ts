/** What a process that was killed left: files that it had not given their names yet. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that has not changed for so long is abandoned. */
const abandonedMs = 60_000;

/**
 * Removes unfinished files from a folder, except those that a running process may still write. A file that cannot be removed
 * stays: it only takes up space.
 * @param isOne whether an unfinished file can have this name
 * @param now the time by the clock that dates files
 * @throws the system error if the folder cannot be read
 */
export async function removeUnfinished(
  folder: string,
  isOne: (name: string) => boolean,
  now: number,
): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!isOne(name)) continue;
    const path = join(folder, name);
    if (await isAbandoned(path, now)) await rm(path).catch(() => undefined);
  }
}

async function isAbandoned(path: string, now: number): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile() && now - found.mtimeMs > abandonedMs,
    () => false,
  );
}
