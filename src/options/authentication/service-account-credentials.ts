/** The keys that sign and verify service account tokens: from the files of the flags, or the defaults. */
import { readSigningKey } from '../../authn/service-account/service-account-keys.ts';
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
  const verificationKeys = given.length > 0 ? given : fallback.keys;
  return {
    verificationKeys,
    signingKey: files.signingKey ?? verificationKeys.find(canSign),
    rootCa: files.rootCa ?? fallback.rootCa,
  };
}

function canSign(pem: string): boolean {
  try {
    readSigningKey(pem);
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
