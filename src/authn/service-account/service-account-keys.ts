/**
 * Keys of service account tokens (`--service-account-key-file`, `--service-account-signing-key-file`): RSA or ECDSA in
 * PEM form. A key's algorithm follows from its type, so that no token chooses how it is checked; its id is a digest of
 * its public part, the same at every replica.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { FileError } from '../../base/file-error.ts';
import { isWholePem } from '../../base/whole-pem.ts';
import type { SigningAlgorithm } from '../jwt.ts';

export interface VerificationKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

const minRsaBits = 2048;
const ecAlgorithms: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};
const block = /-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----/g;

/** The text that was read last, and its keys: a start reads the same one several times, and so does the next one. */
let last: { readonly pem: string; readonly keys: readonly VerificationKey[] } | undefined;
let lastSigning: { readonly pem: string; readonly key: SigningKey } | undefined;

/**
 * The keys of a file, in its order: private ones (of which the public part counts), public ones, certificates.
 * @throws FileError with all errors in the file
 */
export function readVerificationKeys(pem: string): readonly VerificationKey[] {
  if (last?.pem === pem) return last.keys;
  const keys = readBlocks(pem, publicPart);
  last = { pem, keys };
  return keys;
}

/** The private key that a file begins with. @throws FileError when it has none, or one that cannot be used */
export function readSigningKey(pem: string): SigningKey {
  if (lastSigning?.pem !== pem) lastSigning = { pem, key: signingKeyOf(pem) };
  return lastSigning.key;
}

function signingKeyOf(pem: string): SigningKey {
  const keys = readBlocks(pem, (text) => createPrivateKey(text));
  const [first] = keys;
  if (first === undefined) throw new FileError(['line 1: there is no private key in PEM form']);
  return { ...first, privateKey: createPrivateKey(pem) };
}

function publicPart(pem: string): KeyObject {
  return createPublicKey(pem);
}

function readBlocks(pem: string, parse: (block: string) => KeyObject): VerificationKey[] {
  const keys: VerificationKey[] = [];
  const errors: string[] = [];
  let [line, counted] = [1, 0];
  for (const match of pem.matchAll(block)) {
    line += pem.slice(counted, match.index).split('\n').length - 1;
    counted = match.index;
    if (match[1] === 'EC PARAMETERS') continue;
    const key = keyOf(match[0], parse);
    if (typeof key !== 'string') keys.push(key);
    else errors.push(`line ${String(line)}: ${key}`);
  }
  if (keys.length + errors.length === 0) errors.push('line 1: there is no key in PEM form');
  else if (!isWholePem(pem)) errors.push('the last key is cut off');
  if (errors.length > 0) throw new FileError(errors);
  return keys;
}

/** The key, or what is wrong with it. */
function keyOf(pem: string, parse: (block: string) => KeyObject): VerificationKey | string {
  try {
    const key = parse(pem);
    const algorithm = algorithmOf(key);
    if (!algorithm) return 'the key is neither RSA of at least 2048 bits nor ECDSA of a NIST curve';
    const publicKey = key.type === 'private' ? createPublicKey(pem) : key;
    return { id: idOf(publicKey), algorithm, publicKey };
  } catch {
    return 'the block is no key that can be used without a passphrase';
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | undefined {
  if (asymmetricKeyType === 'rsa')
    return (asymmetricKeyDetails?.modulusLength ?? 0) >= minRsaBits ? 'RS256' : undefined;
  return asymmetricKeyType === 'ec' ? ecAlgorithms[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
}

function idOf(publicKey: KeyObject): string {
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64url');
}
