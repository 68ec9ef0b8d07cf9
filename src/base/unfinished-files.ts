/** What a process that was killed left: files that it had not given their names yet. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Nobody is about to finish a file that has not changed for so long. */
const abandonedMs = 60_000;

/**
 * Removes the files of a folder whose names are those of unfinished ones, unless somebody may still write them. What
 * cannot be removed stays: it takes room and harms nothing else.
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
