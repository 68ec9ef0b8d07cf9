/** A write and the condition under which it may take effect. */
import type { Compare } from '../etcd/messages.ts';
import { StorageError, type CollectionId, type Entry, type ObjectKey, type Revision } from '../types.ts';
import type { WriteMark } from './mark.ts';

/** A guarded write: what must hold, what is then done, and how to recognise it afterwards. */
export interface GuardedWrite {
  readonly kind: 'create' | 'update' | 'delete';
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  /** The revision that the object must have; 0 for a creation. */
  readonly expected: Revision;
  readonly mark: WriteMark;
  /** The view's revision before the first sending. */
  readonly since: Revision;
}

/** etcd takes revision 0 for "does not exist"; an update that expects it (or no number) must never match. */
export function guard(write: GuardedWrite, key: Buffer): Compare {
  if (write.kind === 'create') return { result: 0, target: 1, key, create_revision: 0 };
  const isRevision = Number.isSafeInteger(write.expected) && write.expected > 0;
  return { result: 0, target: 2, key, mod_revision: isRevision ? write.expected : -1 };
}

/** Why a guard did not hold, given the object as it is. */
export function refusal(write: GuardedWrite, current: Entry | undefined): StorageError {
  const { key } = write;
  if (write.kind === 'create') return new StorageError('exists', `${key} exists`, { key, current });
  if (current === undefined) return new StorageError('notFound', `${key} does not exist`, { key });
  const message = `${key} is at revision ${current.modRevision}, not ${write.expected}`;
  return new StorageError('conflict', message, { key, current, revision: current.modRevision });
}
