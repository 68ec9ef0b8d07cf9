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
import { StorageError } from '../storage/types.ts';

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
  if (!(error instanceof StorageError)) return error;
  switch (error.code) {
    case 'exists':
      return new ObjectAlreadyExists({ namespace: '', ...requested });
    case 'notFound':
      return new ObjectNotFound({ namespace: '', ...requested });
    case 'conflict':
      return staleConflict(requested.resource, requested.name);
    case 'compacted':
      return expired(compactedMessage(error, requested));
    case 'futureRevision':
      return tooLargeResourceVersion(requested.resourceVersion ?? '', String(error.revision));
    case 'tooLarge':
      return new StatusError(
        413,
        'RequestEntityTooLarge',
        'the object is too large for the store: make it smaller',
      );
    case 'noSpace':
      return serviceUnavailable(
        'the database of the store is full: nothing can be written until an operator makes room',
        noSpaceRetrySeconds,
      );
    case 'conditionFailed':
      return serviceUnavailable('what the object depends on keeps changing; try again');
    case 'claimTaken':
      return serviceUnavailable('other objects keep taking what the object needs; try again');
    case 'timeout':
      return timedOut(
        'the store did not answer in time; whether the write took effect is unknown: read the object',
        1,
      );
    case 'unavailable':
    case 'stopped':
      return serviceUnavailable('the store cannot be reached; try again');
    case 'watcherFailed':
      return error.cause;
  }
}

function compactedMessage(error: StorageError, requested: RequestedObject): string {
  return `too old resource version: ${requested.resourceVersion ?? ''} (${String(error.revision)}); list again and start from the version of that list`;
}
