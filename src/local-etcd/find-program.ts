/** Finds programs that the service runs. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** The first program of that name in PATH and `<folder>/bin`; undefined if there is none. */
export async function findProgram(
  name: string,
  folder: string,
  path = process.env['PATH'] ?? '',
): Promise<string | undefined> {
  for (const place of [...path.split(delimiter).filter(Boolean), join(folder, 'bin')]) {
    const candidate = resolve(place, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
