/** Copies of what one service needs of a PKI folder, in a folder of its own: nobody has to read the keys of others. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { PkiShare } from './types.ts';

/** Who is in the group of the folder may read keys in it. */
const keyMode = 0o640;
const certificateMode = 0o644;

/** Writes what differs, each file in one step. @throws StartError when one is not there or cannot be written */
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
