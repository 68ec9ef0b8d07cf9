/** Translates storage errors to Status; the only place that does. */
import { certificateTrouble } from './certificate-trouble.ts';
import type { GroupResource } from '../meta/gvk.ts';
import { ObjectAlreadyExists, ObjectNotFound } from '../meta/object-errors.ts';
import {
  expired,
  serviceUnavailable,
  staleConflict,
  StatusError,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../meta/status.ts';
import { StorageError, type StorageErrorCode } from '../storage/types.ts';

/** Long, as an operator must act first. */
const operatorRetrySeconds = 10;
/** A few reads of earlier states are over by then. */
const busyRetrySeconds = 5;

/** The requested object, for messages. */
export interface RequestedObject {
  readonly resource: GroupResource;
  /** '' if it has none. */
  readonly namespace?: string;
  readonly name: string;
  /** The resource version of the request, for messages about versions. */
  readonly resourceVersion?: string;
}

/** A write may have taken effect, and may yet: whoever tries it again could do it twice. */
export class OutcomeUnknown extends StatusError {
  constructor() {
    const message =
      'the store did not answer in time; whether the write took effect is unknown: read the object';
    super(504, 'Timeout', message, { details: { retryAfterSeconds: 1 } });
  }
}

/** Runs a storage operation and translates its errors. @throws StatusError */
export async function translated<T>(requested: RequestedObject, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toStatusError(error, requested);
  }
}

/** Converts a StorageError to a Status that advises the client; other errors are unchanged. */
export function toStatusError(error: unknown, requested: RequestedObject): unknown {
  return error instanceof StorageError ? statusErrors[error.code](error, requested) : error;
}

const unreachable = (error: StorageError): StatusError => {
  const trouble = certificateTrouble(error);
  if (trouble === undefined) return serviceUnavailable('the store cannot be reached; try again');
  return serviceUnavailable(`the store cannot be reached: ${trouble}`, operatorRetrySeconds);
};

/** Tells what is the matter with the object: only an operator can help. */
const internal = (error: StorageError): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${error.message}`, { cause: error });

const statusErrors: Record<StorageErrorCode, (error: StorageError, requested: RequestedObject) => unknown> = {
  exists: (_error, requested) => new ObjectAlreadyExists({ namespace: '', ...requested }),
  notFound: (_error, requested) => new ObjectNotFound({ namespace: '', ...requested }),
  conflict: (_error, { resource, name }) => staleConflict(resource, name),
  compacted: (error, requested) => expired(compactedMessage(error, requested)),
  futureRevision: ({ revision }, { resourceVersion = '' }) =>
    tooLargeResourceVersion(resourceVersion, String(revision)),
  tooLarge: tooLargeForStore,
  noSpace: () =>
    serviceUnavailable(
      'the database of the store is full: nothing but deletions can be written until an operator makes room',
      operatorRetrySeconds,
    ),
  corrupt: () =>
    serviceUnavailable(
      'the members of the store hold different data: nothing can be written until an operator has repaired it',
      operatorRetrySeconds,
    ),
  unreadable: internal,
  unsealable: internal,
  conditionFailed: () => serviceUnavailable('what the object depends on keeps changing; try again'),
  claimTaken: () => serviceUnavailable('other objects keep taking what the object needs; try again'),
  timeout: () => new OutcomeUnknown(),
  busy: ({ message }) =>
    tooManyRequests(`${message}: try again later, or read the newest state`, busyRetrySeconds),
  unavailable: unreachable,
  stopped: unreachable,
  watcherFailed: ({ cause }) => cause,
};

function compactedMessage(error: StorageError, requested: RequestedObject): string {
  return `too old resource version: ${requested.resourceVersion ?? ''} (${String(error.revision)}); list again and start from the version of that list`;
}

/** An object that etcd does not take. */
export function tooLargeForStore(): StatusError {
  return new StatusError(
    413,
    'RequestEntityTooLarge',
    'the object is too large for the store: make it smaller',
  );
}
