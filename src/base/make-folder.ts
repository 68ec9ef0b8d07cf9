/** Creates folders. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates a folder and missing parents with mode 0700; existing ones are unchanged. The recursive mode of Node never
 * returns on file systems that report a missing parent for every new folder (/proc).
 * @throws the system error
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
