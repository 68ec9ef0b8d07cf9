/** The keys that sign and verify service account tokens: from the files of the flags, or the defaults. */
import { readSigningKey, readVerificationKeys } from '../../authn/service-account/service-account-keys.ts';
import { FileError } from '../../base/file-error.ts';
import type { AuthenticationFiles } from './authentication-files.ts';

/** Keys and certificates in PEM form. */
export interface ServiceAccountCredentials {
  readonly verificationKeys: readonly string[];
  /** undefined if this process only verifies tokens. */
  readonly signingKey: string | undefined;
  /** The CA bundle that is published to service accounts and namespaces. */
  readonly rootCa: string;
}

/** Defaults for flags that are not given. */
export interface FallbackCredentials {
  readonly keys: readonly string[];
  readonly rootCa: string;
}

export function serviceAccountCredentials(
  files: Pick<AuthenticationFiles, 'serviceAccountKeys' | 'signingKey' | 'rootCa'>,
  fallback: FallbackCredentials,
): ServiceAccountCredentials {
  const given = files.serviceAccountKeys;
  // A serving key may be of a kind that signs no tokens, such as Ed25519: then there are none, as in kube-apiserver.
  const verificationKeys = given.length > 0 ? given : fallback.keys.filter(canVerify);
  return {
    verificationKeys,
    signingKey: files.signingKey ?? verificationKeys.find(canSign),
    rootCa: files.rootCa ?? fallback.rootCa,
  };
}

function canVerify(pem: string): boolean {
  return isRead(() => readVerificationKeys(pem));
}

function canSign(pem: string): boolean {
  return isRead(() => readSigningKey(pem));
}

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
