/**
 * Webhooks and policies that cannot be read (damaged in etcd, or encrypted by a key that is gone) might refuse a write: none passes,
 * as kube-apiserver lets none pass before it has read them all.
 */
import { StatusError } from '../meta/status.ts';
import { StorageError, type CollectionSnapshot, type Entry } from '../storage/types.ts';

/** What writes are refused with while an object of this state cannot be read; undefined: all can. */
export function unreadableProblem(snapshot: CollectionSnapshot): StatusError | undefined {
  const error = snapshot.unreadableIn?.('');
  return error && problemOf(error);
}

/** The same of one that another program wrote with members of other types; it can be deleted like any other. */
export function misshapenProblem({ collection, key }: Entry, cause: unknown): StatusError {
  const message = `the stored value of ${collection}/${key} cannot be read: its members are not of their types`;
  return problemOf(new StorageError('unreadable', message, { cause }));
}

function problemOf(error: StorageError): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${error.message}`, { cause: error });
}
