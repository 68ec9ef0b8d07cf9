/** Translates storage errors to Status; the only place that does. */
import type { GroupResource } from '../meta/gvk.ts';
import { ObjectAlreadyExists, ObjectNotFound } from '../meta/object-errors.ts';
import {
  expired,
  serviceUnavailable,
  staleConflict,
  StatusError,
  timedOut,
  tooLargeResourceVersion,
} from '../meta/status.ts';
import { StorageError, type StorageErrorCode } from '../storage/types.ts';

/** Long, as an operator must act first. */
const noSpaceRetrySeconds = 10;

/** The requested object, for messages. */
export interface RequestedObject {
  readonly resource: GroupResource;
  /** '' if it has none. */
  readonly namespace?: string;
  readonly name: string;
  /** The resource version of the request, for messages about versions. */
  readonly resourceVersion?: string;
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

const unreachable = (): StatusError => serviceUnavailable('the store cannot be reached; try again');

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
  tooLarge: () =>
    new StatusError(413, 'RequestEntityTooLarge', 'the object is too large for the store: make it smaller'),
  noSpace: () =>
    serviceUnavailable(
      'the database of the store is full: nothing can be written until an operator makes room',
      noSpaceRetrySeconds,
    ),
  unreadable: internal,
  unsealable: internal,
  conditionFailed: () => serviceUnavailable('what the object depends on keeps changing; try again'),
  claimTaken: () => serviceUnavailable('other objects keep taking what the object needs; try again'),
  timeout: () =>
    timedOut(
      'the store did not answer in time; whether the write took effect is unknown: read the object',
      1,
    ),
  unavailable: unreachable,
  stopped: unreachable,
  watcherFailed: ({ cause }) => cause,
};

function compactedMessage(error: StorageError, requested: RequestedObject): string {
  return `too old resource version: ${requested.resourceVersion ?? ''} (${String(error.revision)}); list again and start from the version of that list`;
}
