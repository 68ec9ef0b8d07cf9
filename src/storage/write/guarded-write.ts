/** A write and its preconditions. */
import type { Compare, Int64, RequestOp, TxnRequest, TxnResponse } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { KeySpace } from '../keys.ts';
import {
  StorageError,
  type Claims,
  type CollectionId,
  type Condition,
  type Entry,
  type ObjectKey,
  type Revision,
} from '../types.ts';
import { claimParts } from './claims.ts';
import type { PastOfView } from '../view/view.ts';
import { pastGuard, readPastName } from '../past-name.ts';
import type { WriteMark } from './mark.ts';

/** A guarded write: its preconditions, its operation, and the mark that identifies it. */
export interface GuardedWrite {
  readonly kind: 'create' | 'update' | 'delete';
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  /** The required revision of the object; 0 for a creation. */
  readonly expected: Revision;
  /** The value in etcd, with the mark; undefined for a deletion. */
  readonly value: Buffer | undefined;
  /** A precondition on another object. */
  readonly condition?: Condition | undefined;
  /** Keys to take and to release. */
  readonly claims?: Claims | undefined;
  readonly mark: WriteMark;
  /** The revision of the view before the first attempt. */
  readonly since: Revision;
  /** The past of etcd that it was decided on. */
  readonly past: PastOfView;
  /** A deletion that puts nothing, as a full etcd (alarm NOSPACE) takes no put: it leaves no trace. */
  readonly isTraceless?: boolean;
}

/** What differs between the attempts of a write. */
export interface Attempt {
  /** The revision at which it is sent. */
  readonly sentAt: Revision;
  /** The lease that the object is attached to; absent if it does not expire. */
  readonly lease?: Int64;
}

/**
 * The transaction of an attempt. A creation is void once the creation fence is written at a revision newer than
 * `sentAt`, which was current when the attempt was sent.
 */
export function transactionOf(keys: KeySpace, write: GuardedWrite, { sentAt, lease }: Attempt): TxnRequest {
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
  const success = changesOf(keys, write, { key, lease });
  const claims = write.claims && claimParts(keys, write.claims, write.mark);
  if (claims !== undefined) {
    compare.push(...claims.compare);
    success.push(...claims.success);
    failure.push(...claims.failure);
  }
  const isSamePast = pastGuard(keys, write.past.name);
  if (isSamePast === undefined) return { compare, success, failure };
  return { compare: [...compare, isSamePast], success, failure: [...failure, readPastName(keys)] };
}

/** Whether a failed transaction met another past of etcd than it was decided on. */
export function isOfOtherPast({ past }: GuardedWrite, { responses }: TxnResponse): boolean {
  if (past.name === undefined) return false;
  return responses.at(-1)?.response_range?.kvs[0]?.value.toString() !== past.name;
}

/** Whether the precondition on another object was met in a failed transaction. */
export function isConditionMet({ condition }: GuardedWrite, { responses }: TxnResponse): boolean {
  if (condition === undefined) return true;
  const about = responses[1]?.response_range?.kvs[0];
  return numberOf(about?.mod_revision ?? 0) === condition.revision;
}

/** In etcd revision 0 means that the key does not exist; an update that expects it (or NaN) must never match. */
function guard(write: GuardedWrite, key: Buffer): Compare {
  if (write.kind === 'create') return { result: 0, target: 1, key, create_revision: 0 };
  return { result: 0, target: 2, key, mod_revision: guardRevision(write.expected) };
}

function guardRevision(revision: Revision): Revision {
  return Number.isSafeInteger(revision) && revision > 0 ? revision : -1;
}

function changesOf(
  keys: KeySpace,
  { value, mark, isTraceless = false }: GuardedWrite,
  { key, lease }: { readonly key: Buffer; readonly lease: Int64 | undefined },
): RequestOp[] {
  if (value !== undefined) {
    const put = { key, value };
    return [{ request_put: lease === undefined ? put : { ...put, lease } }];
  }
  const removal: RequestOp = { request_delete_range: { key } };
  if (isTraceless) return [removal];
  return [removal, { request_put: { key: keys.lastRemoval(), value: removalTrace(mark) } }];
}

/** The trace of a deletion, as no object remains to carry the mark. */
export function removalTrace(mark: WriteMark): Buffer {
  return Buffer.from(String(mark));
}

/** The error if the precondition on another object failed. */
export function conditionFailure({ key, condition }: GuardedWrite): StorageError {
  const message = `${condition?.key ?? ''} is not as ${key} needs it`;
  return new StorageError('conditionFailed', message, { key });
}

/** The error if the guard failed, given the current object. */
export function refusal(write: GuardedWrite, current: Entry | undefined): StorageError {
  const { key } = write;
  if (write.kind === 'create') return new StorageError('exists', `${key} exists`, { key, current });
  if (current === undefined) return new StorageError('notFound', `${key} does not exist`, { key });
  const message = `${key} is at revision ${current.modRevision}, not ${write.expected}`;
  return new StorageError('conflict', message, { key, current, revision: current.modRevision });
}
