/**
 * Webhooks and policies that cannot be read (damaged in etcd, or encrypted by a key that is gone) might refuse a write: none passes,
 * as kube-apiserver lets none pass before it has read them all.
 */
import { StatusError } from '../meta/status.ts';
import type { CollectionSnapshot } from '../storage/types.ts';

/** What writes are refused with while an object of this state cannot be read; undefined: all can. */
export function unreadableProblem(snapshot: CollectionSnapshot): StatusError | undefined {
  const error = snapshot.unreadableIn?.('');
  if (error === undefined) return undefined;
  return new StatusError(500, 'InternalError', `Internal error occurred: ${error.message}`, { cause: error });
}
