/** Syncs a new tree of files to disk, and sets its owner to that of etcd. */
import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from './sync-path.ts';

/** `like` is a folder whose owner the files get, if this process is root. */
export async function syncTree(root: string, like: string): Promise<void> {
  const { uid, gid } = await stat(like);
  const isForeign = process.getuid?.() === 0 && (uid !== 0 || gid !== 0);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (isForeign) await lchown(path, uid, gid);
    await syncPath(path);
  }
  if (isForeign) await lchown(root, uid, gid);
  await syncPath(root);
}
