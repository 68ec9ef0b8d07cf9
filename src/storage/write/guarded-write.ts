/** A write and the condition under which it may take effect. */
import type { Compare, RequestOp, TxnRequest, TxnResponse } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/messages.ts';
import type { KeySpace } from '../keys.ts';
import {
  StorageError,
  type CollectionId,
  type Condition,
  type Entry,
  type ObjectKey,
  type Revision,
} from '../types.ts';
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
  /** What must hold of another object as well. */
  readonly condition?: Condition | undefined;
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
  const failure: RequestOp[] = [{ request_range: { key } }];
  if (write.condition !== undefined) {
    const { collection, key: other, revision } = write.condition;
    const about = keys.object(collection, other);
    compare.push({ result: 0, target: 2, key: about, mod_revision: guardRevision(revision) });
    failure.push({ request_range: { key: about, keys_only: true } });
  }
  return { compare, success: changesOf(keys, write, key), failure };
}

/** Whether a refused transaction met the condition on another object. */
export function isConditionMet({ condition }: GuardedWrite, { responses }: TxnResponse): boolean {
  if (condition === undefined) return true;
  const about = responses[1]?.response_range?.kvs[0];
  return numberOf(about?.mod_revision ?? 0) === condition.revision;
}

/** etcd takes revision 0 for "does not exist"; an update that expects it (or no number) must never match. */
function guard(write: GuardedWrite, key: Buffer): Compare {
  if (write.kind === 'create') return { result: 0, target: 1, key, create_revision: 0 };
  return { result: 0, target: 2, key, mod_revision: guardRevision(write.expected) };
}

function guardRevision(revision: Revision): Revision {
  return Number.isSafeInteger(revision) && revision > 0 ? revision : -1;
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

/** Why nothing was written although the guard held. */
export function conditionFailure({ key, condition }: GuardedWrite): StorageError {
  const message = `${condition?.key ?? ''} is not as ${key} needs it`;
  return new StorageError('conditionFailed', message, { key });
}

/** Why a guard did not hold, given the object as it is. */
export function refusal(write: GuardedWrite, current: Entry | undefined): StorageError {
  const { key } = write;
  if (write.kind === 'create') return new StorageError('exists', `${key} exists`, { key, current });
  if (current === undefined) return new StorageError('notFound', `${key} does not exist`, { key });
  const message = `${key} is at revision ${current.modRevision}, not ${write.expected}`;
  return new StorageError('conflict', message, { key, current, revision: current.modRevision });
}
