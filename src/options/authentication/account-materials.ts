/** What service account tokens are made and checked with, from the flags' files or what stands in for them. */
import { readSigningKey } from '../../authn/service-account/service-account-keys.ts';
import { FileFaults } from '../../base/file-faults.ts';
import type { AuthenticationFiles } from './authentication-files.ts';

/** Texts in PEM form. */
export interface AccountMaterials {
  readonly verificationKeys: readonly string[];
  /** undefined: tokens are checked here, but made elsewhere. */
  readonly signingKey: string | undefined;
  /** The authority that accounts and namespaces are told of. */
  readonly rootCa: string;
}

/** What counts where no flag names a file. */
export interface FallbackMaterials {
  readonly keys: readonly string[];
  readonly rootCa: string;
}

export function accountMaterials(
  files: Pick<AuthenticationFiles, 'serviceAccountKeys' | 'signingKey' | 'rootCa'>,
  fallback: FallbackMaterials,
): AccountMaterials {
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
    if (error instanceof FileFaults) return false;
    throw error;
  }
}
