/**
 * Copies the files of the PKI folder that a service needs to a separate folder, so that no service can read other
 * keys.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { PkiShare } from './types.ts';

/** Keys are readable by the group of the folder. */
const keyMode = 0o640;
const certificateMode = 0o644;

/**
 * Writes changed files atomically.
 * @throws StartError if a file is missing or cannot be written
 */
export async function sharePki(pkiFolder: string, { folder, files }: PkiShare): Promise<void> {
  for (const file of files) {
    const bytes = await contentOf(join(pkiFolder, file));
    if (bytes === undefined) {
      const cause = `${pkiFolder} has no ${file} to share`;
      throw StartError.of('FLAG_VALUE', cause, 'correct --share');
    }
    try {
      await makeFolder(folder);
      await put(join(folder, file), bytes);
    } catch (error) {
      const cause = `${join(folder, file)} cannot be written (${reasonOf(error)})`;
      throw StartError.of('FILE_UNWRITABLE', cause, 'correct --share or the folder', error);
    }
  }
}

async function put(path: string, bytes: Buffer): Promise<void> {
  if ((await contentOf(path))?.equals(bytes) === true) return;
  const partial = `${path}.partial`;
  await writeFile(partial, bytes, { mode: path.endsWith('.crt') ? certificateMode : keyMode });
  await rename(partial, path);
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
