/** What can be wrong at start: every error has a code of this table, a cause and a remedy, and is told in one line. */

import { codeOf, messageOf } from './errors.ts';

/** Code → what it stands for; codes never change their meaning. src/cli/README.md lists the same; a test compares. */
export const startErrorCodes = {
  FLAG_UNKNOWN: 'a flag that does not exist',
  FLAG_VALUE: 'a flag whose value cannot be used',
  FLAG_COMBINATION: 'flags that do not fit together',
  ARGUMENT_UNEXPECTED: 'a word that is neither a command nor a flag',
  FILE_UNREADABLE: 'a file that a flag names and that cannot be read',
  FILE_UNWRITABLE: 'a file that a flag names and that cannot be written',
  CERTIFICATE_INVALID: 'a certificate that cannot be parsed, or is expired',
  KEY_INVALID: 'a private key that cannot be parsed',
  KEY_MISMATCH: 'a private key that does not belong to its certificate',
  CA_INVALID: 'an authority file without a usable certificate',
  TOKEN_FILE_INVALID: 'a token file with invalid lines',
  TOKEN_KEY_INVALID: 'a key of service account tokens that cannot be used',
  PASSWORD_FILE_INVALID: 'a password file with invalid lines',
  AUDIT_POLICY_INVALID: 'an audit policy with errors',
  PLUGIN_FILE_INVALID: 'a configuration of admission plugins with errors',
  KUBECONFIG_INVALID: 'a client configuration that cannot be used',
  MANIFEST_INVALID: 'a manifest that cannot be read or converted',
  PORT_IN_USE: 'another program listens on the address and port',
  ADDRESS_UNAVAILABLE: 'an address that this machine does not have or may not use',
  ETCD_UNREACHABLE: 'etcd does not answer',
  ETCD_MISSING: 'no etcd binary for the etcd that the service starts itself',
  ETCDCTL_MISSING: 'no etcdctl (or etcdutl, from etcd 3.6 on) to restore or back up with',
  FLOCK_MISSING: 'no flock program to see with whether an etcd runs on the data',
  DATA_FOLDER_UNUSABLE: 'the data folder cannot be written',
  DATA_FOLDER_IN_USE: 'another instance runs on the same data folder',
  SNAPSHOT_INVALID: 'a snapshot of etcd that is damaged, or is none',
  RESTORE_FAILED: 'a restore that could not be finished; the data is as it was',
  INTERNAL: 'an internal error of the service',
} as const;

export type StartErrorCode = keyof typeof startErrorCodes;

export interface StartErrorDetail {
  readonly code: StartErrorCode;
  readonly cause: string;
  readonly remedy: string;
}

/** Ends a start; carries every error that was found. */
export class StartError extends Error {
  readonly errors: readonly StartErrorDetail[];

  constructor(errors: readonly StartErrorDetail[], cause?: unknown) {
    super(errors.map(describeStartError).join('\n'), cause === undefined ? {} : { cause });
    this.name = 'StartError';
    this.errors = errors;
  }

  /** A StartError with one detail. */
  static of(code: StartErrorCode, causeText: string, remedy: string, cause?: unknown): StartError {
    return new StartError([{ code, cause: causeText, remedy }], cause);
  }
}

/** The errors behind a start that failed; what is no StartError is an internal error of the service. */
export function startErrorDetails(error: unknown): readonly StartErrorDetail[] {
  if (error instanceof StartError) return error.errors;
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [{ code: 'INTERNAL', cause, remedy: 'this is an internal error, please report it' }];
}

/** The one line that tells an error. */
export function describeStartError({ cause, remedy, code }: StartErrorDetail): string {
  return `${cause}; ${remedy} [${code}]`.replaceAll(/\s*\n\s*/g, ' ');
}

/** The system's short reason of an error: `ENOENT: no such file` without its path, else the message. */
export function reasonOf(error: unknown): string {
  return systemReasons[codeOf(error)] ?? messageOf(error);
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host name',
  ECONNRESET: 'connection closed by the other side',
  EHOSTUNREACH: 'host unreachable',
  ETIMEDOUT: 'timed out',
};
