/** Files of a PKI folder: a certificate and its key. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import type { PemPair } from './types.ts';

/**
 * The pair in the folder; its key is '' if only the certificate exists; undefined without a certificate.
 * @throws StartError `CERTIFICATE_INVALID` if it cannot be parsed, or the system error
 */
export async function readPair(folder: string, name: string): Promise<PemPair | undefined> {
  const certificate = await readIfThere(join(folder, `${name}.crt`));
  const key = await readIfThere(join(folder, `${name}.key`));
  if (certificate === undefined) return undefined;
  try {
    new X509Certificate(certificate);
    if (key !== undefined) createPrivateKey(key);
  } catch (error) {
    throw StartError.of(
      'CERTIFICATE_INVALID',
      `${join(folder, name)}.crt and .key are not a valid pair (${reasonOf(error)})`,
      'delete both to create new ones',
      error,
    );
  }
  return { certificate, key: key ?? '' };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The key first: a certificate without its key is worse than a key without certificate. */
export async function writePair(folder: string, name: string, pair: PemPair): Promise<void> {
  await writeWhole(join(folder, `${name}.key`), pair.key, 0o600);
  await writeWhole(join(folder, `${name}.crt`), pair.certificate, 0o644);
}

/** The id of a process (`writeWhole`) or a UUID (`ensureTokenKey`), and `.new`. */
const unfinished = /\.(\d+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})\.new$/;

/** Whether a file with this name was not finished when the process that wrote it was killed, or is being written. */
export function isUnfinished(name: string): boolean {
  return unfinished.test(name);
}

/** Writes a file atomically. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${String(process.pid)}.new`;
  await writeFile(temporary, text, { mode, flush: true });
  await rename(temporary, path);
}
