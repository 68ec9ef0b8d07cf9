/** The key that signs service account tokens. Made once: a new one would void every token there is. */
import { createPrivateKey, generateKeyPair, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../base/errors.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { tokenKeyName } from './plan.ts';

/** Makes the key (ECDSA P-256) that a folder lacks. @returns whether it did @throws StartError when what lies there is none */
export async function ensureTokenKey(folder: string): Promise<boolean> {
  const path = join(folder, `${tokenKeyName}.key`);
  try {
    createPrivateKey(await readFile(path));
    return false;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unusable(path, error);
    return writeFirst(path, await newKey());
  }
}

async function newKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

/** Of several that start on one folder at once, the first one's key counts for all. */
async function writeFirst(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}.new`;
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(temporary);
  }
}

function unusable(path: string, error: unknown): StartError {
  return StartError.of(
    'KEY_INVALID',
    `${path} is no private key that can be used (${reasonOf(error)})`,
    'put the key back, or delete the file to have a new one made, which voids all tokens',
    error,
  );
}
