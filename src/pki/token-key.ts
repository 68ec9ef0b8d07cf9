/** The key that signs service account tokens. Created once, as a new key would invalidate all tokens. */
import { createPrivateKey, generateKeyPair, randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../base/errors.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { tokenKeyName } from './plan.ts';

/**
 * Creates the key (ECDSA P-256) if it is missing.
 * @returns whether it was created
 * @throws StartError if the existing file is not a key
 */
export async function ensureTokenKey(folder: string): Promise<boolean> {
  const path = join(folder, `${tokenKeyName}.key`);
  try {
    createPrivateKey(await readRegularFile(path));
    return false;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unusable(path, error);
    return writeFirst(path, await newTokenKey());
  }
}

/** A new key (ECDSA P-256), PEM. */
export async function newTokenKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

/** If several processes start on one folder, the first key is used by all. */
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
    'restore the key, or delete the file to create a new one, which invalidates all tokens',
    error,
  );
}
