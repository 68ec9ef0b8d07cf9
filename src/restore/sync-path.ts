/** Syncs files to disk. */
import { open } from 'node:fs/promises';

/** Calls fsync on a file or folder. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
