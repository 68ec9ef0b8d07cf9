/** Start errors: each has a code of this table, a cause and a remedy, and is printed on one line. */

import { codeOf, messageOf } from './errors.ts';
import { shortText } from './short-text.ts';

/** Code → meaning; codes are stable. A test compares the table in src/cli/README.md. */
export const startErrorCodes = {
  FLAG_UNKNOWN: 'an unknown flag',
  FLAG_VALUE: 'an invalid value of a flag',
  FLAG_COMBINATION: 'conflicting or incomplete flags',
  ARGUMENT_UNEXPECTED: 'an argument that is neither a command nor a flag',
  FILE_UNREADABLE: 'a file of a flag that cannot be read',
  FILE_UNWRITABLE: 'a file of a flag that cannot be written',
  CERTIFICATE_INVALID: 'a malformed or expired certificate',
  KEY_INVALID: 'a malformed private key',
  KEY_MISMATCH: 'a private key that does not match its certificate',
  CA_INVALID: 'a CA bundle without a valid certificate',
  TOKEN_FILE_INVALID: 'a malformed static token file',
  TOKEN_KEY_INVALID: 'an unusable key for service account tokens',
  PASSWORD_FILE_INVALID: 'a malformed password file',
  AUTHENTICATION_INVALID: 'an invalid authentication configuration',
  AUTHORIZATION_INVALID: 'an invalid authorization configuration',
  TRACING_INVALID: 'an invalid tracing configuration',
  AUDIT_POLICY_INVALID: 'an invalid audit policy',
  POLICY_FILE_INVALID: 'an invalid authorization policy file',
  PLUGIN_FILE_INVALID: 'an invalid admission configuration',
  ENCRYPTION_INVALID: 'an invalid encryption configuration',
  KUBECONFIG_INVALID: 'an unusable kubeconfig',
  MANIFEST_INVALID: 'a manifest that cannot be read or converted',
  PORT_IN_USE: 'the address and port are in use',
  ADDRESS_UNAVAILABLE: 'the address does not belong to this machine or may not be used',
  ETCD_UNREACHABLE: 'etcd does not respond',
  ETCD_DENIED: 'etcd requires a user, or its user lacks permission',
  ETCD_MISSING: 'no etcd binary to start',
  ETCDCTL_MISSING: 'no etcdctl (or etcdutl, from etcd 3.6 on) for backup and restore',
  FLOCK_MISSING: 'no flock program, which checks whether an etcd uses the data',
  DATA_FOLDER_UNUSABLE: 'the data folder is not writable',
  DATA_FOLDER_IN_USE: 'another instance uses the data folder',
  SNAPSHOT_INVALID: 'a damaged or invalid snapshot of etcd',
  RESTORE_FAILED: 'a failed restore; the old data is kept',
  MEMORY_EXHAUSTED: 'too little memory for the start',
  LIMIT_TOO_LOW: 'a limit of the system below what a start needs',
  ENVIRONMENT_INVALID: 'a variable of the environment that no start survives',
  INTERNAL: 'an internal error of the service',
} as const;

export type StartErrorCode = keyof typeof startErrorCodes;

export interface StartErrorDetail {
  readonly code: StartErrorCode;
  readonly cause: string;
  readonly remedy: string;
}

/** Ends a start; contains all errors. */
export class StartError extends Error {
  readonly errors: readonly StartErrorDetail[];

  constructor(errors: readonly StartErrorDetail[], cause?: unknown) {
    super(errors.map(describeStartError).join('\n'), cause === undefined ? {} : { cause });
    this.name = 'StartError';
    this.errors = errors;
  }

  /** A StartError with one error. */
  static of(code: StartErrorCode, causeText: string, remedy: string, cause?: unknown): StartError {
    return new StartError([{ code, cause: causeText, remedy }], cause);
  }
}

/** The errors of a failed start; anything but a StartError is an internal error. */
export function startErrorDetails(error: unknown): readonly StartErrorDetail[] {
  if (error instanceof StartError) return error.errors;
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [{ code: 'INTERNAL', cause, remedy: 'this is an internal error, please report it' }];
}

/** Longer than the problems of any file are. */
const maxCause = 16_000;

/** The line that describes an error; flags, and names in files, may have megabytes. */
export function describeStartError({ cause, remedy, code }: StartErrorDetail): string {
  return `${shortText(cause, maxCause)}; ${remedy} [${code}]`.replaceAll(/\s*\n\s*/g, ' ');
}

/** The system's description of an error without its path, otherwise its message. */
export function reasonOf(error: unknown): string {
  return systemReasons[codeOf(error)] ?? messageOf(error);
}

/** The system's description of an error in a folder, with the path of what is wrong there. */
export function reasonIn(folder: string, error: unknown): string {
  const { path } = error as { readonly path?: unknown };
  const isInside = typeof path === 'string' && path !== folder;
  return isInside ? `${path}: ${reasonOf(error)}` : reasonOf(error);
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a folder',
  ENOTDIR: 'a component of the path is not a folder',
  ENXIO: 'a named pipe that no process reads',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  EIO: 'input/output error',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'no answer from the servers of names',
  ECONNRESET: 'connection closed by the other side',
  EHOSTUNREACH: 'host unreachable',
  ETIMEDOUT: 'timed out',
};
