/** Errors of calls to etcd, as callers distinguish them. */
import { StorageError, type StorageErrorCode } from '../types.ts';

/**
 * notSent: not sent, or rejected by etcd before execution for a transient reason. unknown: may or may not have been
 * executed (connection lost, deadline, no leader). noSpace: the database has reached its quota; what puts a
 * key is rejected until space is freed. corrupt: its members hold different data; all writes are rejected. leaseNotFound: the lease of a write has expired. otherPast: etcd has another past than was
 * known when the call was sent, or another cluster answered; what was sent may have been executed there. denied: etcd
 * knows no user of the connection, or the user may not do that. The others are definite responses of etcd.
 */
export type EtcdErrorKind =
  | 'notSent'
  | 'badToken'
  | 'unknown'
  | 'compacted'
  | 'futureRevision'
  | 'tooLarge'
  | 'noSpace'
  | 'corrupt'
  | 'leaseNotFound'
  | 'refused'
  | 'denied'
  | 'otherPast';

/** gRPC status codes that are distinguished here. */
const grpc = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

export class EtcdError extends Error {
  readonly kind: EtcdErrorKind;
  /** The call timed out: the connection may be dead. */
  readonly isLate: boolean;

  constructor(kind: EtcdErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EtcdError';
    this.kind = kind;
    this.isLate = (cause as { code?: unknown } | undefined)?.code === grpc.deadlineExceeded;
  }
}

/**
 * A signed token (JWT) carries the revision of etcd's users and roles as of its issue: each change of them voids it, and
 * etcd rejects the call without executing it. Early patch releases of etcd 3.4 do so with the code of unknown errors.
 */
const oldToken = /revision in header is old|revision of auth store is old/;

/** Classifies an error of the gRPC client. Where etcd uses one code for several errors, the message decides. */
export function toEtcdError(error: unknown, operation: string): EtcdError {
  if (error instanceof EtcdError) return error;
  const { code, details } = partsOf(error);
  const kind = oldToken.test(details) ? 'badToken' : kindOf(code, details);
  return new EtcdError(kind, `etcd ${operation}: ${details}`, error);
}

function partsOf(error: unknown): { code: number; details: string } {
  const { code, details, message } = error as { code?: unknown; details?: unknown; message?: unknown };
  const text = [details, message].find((part) => typeof part === 'string' && part !== '');
  return { code: typeof code === 'number' ? code : -1, details: typeof text === 'string' ? text : 'failed' };
}

function kindOf(code: number, details: string): EtcdErrorKind {
  switch (code) {
    case grpc.outOfRange:
      return details.includes('compacted') ? 'compacted' : 'futureRevision';
    case grpc.invalidArgument:
      return details.includes('too large') ? 'tooLarge' : refusedOrToken(details);
    case grpc.resourceExhausted:
      if (details.includes('larger than max')) return 'tooLarge';
      if (details.includes('database space exceeded')) return 'noSpace';
      return details.includes('too many requests') ? 'notSent' : 'refused';
    case grpc.unauthenticated:
      return 'badToken';
    case grpc.notFound:
      return details.includes('requested lease not found') ? 'leaseNotFound' : refusedOrToken(details);
    case grpc.permissionDenied:
      return 'denied';
    case grpc.failedPrecondition:
    case grpc.unimplemented:
      return refusedOrToken(details);
    default:
      return otherKind(details);
  }
}

/** Whether an alarm of etcd is raised, NOSPACE or CORRUPT: it takes no writes until an operator has disarmed it, and answers reads. */
export function refusesWrites(
  error: EtcdError,
): error is EtcdError & { readonly kind: 'noSpace' | 'corrupt' } {
  return error.kind === 'noSpace' || error.kind === 'corrupt';
}

/** While the alarm CORRUPT is raised, no write is executed (`ErrGRPCCorrupt`). */
function otherKind(details: string): EtcdErrorKind {
  if (details.includes('corrupt cluster')) return 'corrupt';
  return isLearnerRefusal(details) ? 'notSent' : 'unknown';
}

/** A learner executes nothing (etcd 3.4: `ErrGRPCNotSupportedForLearner`, code unavailable). */
export function isLearnerRefusal(details: string): boolean {
  return details.includes('not supported for learner');
}

/** After a restart etcd may report a token that it has forgotten as an empty user name. */
const lostToken = /auth token|user name is empty/;

/** The error of a client that sends no tokens, of which etcd can have forgotten none: it wants a user. */
export function withoutTokens(error: EtcdError): EtcdError {
  const isDenied = error.kind === 'badToken' && error.message.includes('user name is empty');
  return isDenied ? new EtcdError('denied', error.message, error) : error;
}

function refusedOrToken(details: string): EtcdErrorKind {
  if (isLearnerRefusal(details)) return 'notSent';
  return lostToken.test(details) ? 'badToken' : 'refused';
}

/** Kinds that callers distinguish, too. */
const passedOn = ['compacted', 'futureRevision', 'tooLarge', 'noSpace', 'corrupt'] as const;

/** The error as this room's callers know it. */
export function toStorageError(error: unknown, key = ''): StorageError {
  if (error instanceof StorageError) return error;
  const etcdError = toEtcdError(error, 'call');
  return new StorageError(codeOf(etcdError.kind), etcdError.message, { key, cause: etcdError });
}

function codeOf(kind: EtcdErrorKind): StorageErrorCode {
  return passedOn.find((code) => code === kind) ?? 'unavailable';
}
