/** A write and the condition under which it may take effect. */
import type { Compare, RequestOp, TxnRequest } from '../etcd/messages.ts';
import type { KeySpace } from '../keys.ts';
import { StorageError, type CollectionId, type Entry, type ObjectKey, type Revision } from '../types.ts';
import { withMark, type WriteMark } from './mark.ts';

/** A guarded write: what must hold, what is then done, and how to recognise it afterwards. */
export interface GuardedWrite {
  readonly kind: 'create' | 'update' | 'delete';
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  /** The revision that the object must have; 0 for a creation. */
  readonly expected: Revision;
  /** What is stored, without its mark; undefined for a removal. */
  readonly bytes: Buffer | undefined;
  readonly mark: WriteMark;
  /** The view's revision before the first sending. */
  readonly since: Revision;
}

/**
 * The transaction of one sending. A creation is void from the moment that the creation fence is written at a revision
 * newer than `sentAt`, one that was current when this sending was made.
 */
export function transactionOf(keys: KeySpace, write: GuardedWrite, sentAt: Revision): TxnRequest {
  const key = keys.object(write.collection, write.key);
  const compare = [guard(write, key)];
  if (write.kind === 'create') {
    compare.push({ result: 2, target: 2, key: keys.creationFence(), mod_revision: sentAt + 1 });
  }
  return { compare, success: changesOf(keys, write, key), failure: [{ request_range: { key } }] };
}

/** etcd takes revision 0 for "does not exist"; an update that expects it (or no number) must never match. */
function guard(write: GuardedWrite, key: Buffer): Compare {
  if (write.kind === 'create') return { result: 0, target: 1, key, create_revision: 0 };
  const isRevision = Number.isSafeInteger(write.expected) && write.expected > 0;
  return { result: 0, target: 2, key, mod_revision: isRevision ? write.expected : -1 };
}

function changesOf(keys: KeySpace, { bytes, mark }: GuardedWrite, key: Buffer): RequestOp[] {
  if (bytes !== undefined) return [{ request_put: { key, value: withMark(bytes, mark) } }];
  const trace = { key: keys.lastRemoval(), value: removalTrace(mark) };
  return [{ request_delete_range: { key } }, { request_put: trace }];
}

/** What a removal leaves beside it, for nothing remains of the object that could carry its mark. */
export function removalTrace(mark: WriteMark): Buffer {
  return Buffer.from(String(mark));
}

/** Why a guard did not hold, given the object as it is. */
export function refusal(write: GuardedWrite, current: Entry | undefined): StorageError {
  const { key } = write;
  if (write.kind === 'create') return new StorageError('exists', `${key} exists`, { key, current });
  if (current === undefined) return new StorageError('notFound', `${key} does not exist`, { key });
  const message = `${key} is at revision ${current.modRevision}, not ${write.expected}`;
  return new StorageError('conflict', message, { key, current, revision: current.modRevision });
}
