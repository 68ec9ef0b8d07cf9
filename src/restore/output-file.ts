/** The file that a command is to write. */
import { stat } from 'node:fs/promises';
import { StartError } from '../base/start-error.ts';

/**
 * A finished file is renamed to its name, which would put it in the place of anything but a folder: as root in that of
 * `/dev/null`, which every other program then lacks.
 * @throws StartError if there is something at `path` that is not a regular file, also behind a link
 */
export async function assertReplaceable(path: string): Promise<void> {
  if (await isReplaceable(path)) return;
  throw StartError.of('FILE_UNWRITABLE', `${path}: not a regular file`, 'correct --output');
}

/** What cannot be looked at is told by the write itself. */
async function isReplaceable(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return true;
  }
}
