/** The one place where faults of storage become Status answers. */
import type { GroupResource } from '../meta/gvk.ts';
import { ObjectExists, ObjectMissing } from '../meta/object-errors.ts';
import {
  expired,
  serviceUnavailable,
  staleConflict,
  StatusError,
  timedOut,
  tooLargeResourceVersion,
} from '../meta/status.ts';
import { StorageError } from '../storage/types.ts';

/** What was asked for, as messages name it. */
export interface AskedFor {
  readonly resource: GroupResource;
  /** '' where absent. */
  readonly namespace?: string;
  readonly name: string;
  /** The resource version of the request, for messages about versions. */
  readonly resourceVersion?: string;
}

/** Runs a storage operation and translates its faults. @throws StatusError */
export async function translated<T>(asked: AskedFor, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toStatusError(error, asked);
  }
}

/** A StorageError as the Status that tells the client what to do; anything else unchanged. */
export function toStatusError(error: unknown, asked: AskedFor): unknown {
  if (!(error instanceof StorageError)) return error;
  switch (error.code) {
    case 'exists':
      return new ObjectExists({ namespace: '', ...asked });
    case 'notFound':
      return new ObjectMissing({ namespace: '', ...asked });
    case 'conflict':
      return staleConflict(asked.resource, asked.name);
    case 'compacted':
      return expired(compactedMessage(error, asked));
    case 'futureRevision':
      return tooLargeResourceVersion(asked.resourceVersion ?? '', String(error.revision));
    case 'tooLarge':
      return new StatusError(
        413,
        'RequestEntityTooLarge',
        'the object is too large for the store: make it smaller',
      );
    case 'conditionFailed':
      return serviceUnavailable('what the object depends on keeps changing; try again');
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

function compactedMessage(error: StorageError, asked: AskedFor): string {
  return `too old resource version: ${asked.resourceVersion ?? ''} (${String(error.revision)}); list again and start from the version of that list`;
}
