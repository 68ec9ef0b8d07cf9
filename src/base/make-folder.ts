/** Makes folders, step by step. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Makes a folder and those above it that are missing, for their owner only; one that is there stays as it is.
 * Node's own recursive form never returns where a file system says of every new folder that it has no parent (/proc).
 * @throws the system's error
 */
export async function makeFolder(path: string): Promise<void> {
  if ((await tryMake(path)) !== 'no parent') return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 });
}

async function tryMake(path: string): Promise<'there' | 'no parent'> {
  try {
    await mkdir(path, { mode: 0o700 });
    return 'there';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'no parent';
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return 'there';
    throw error;
  }
}
