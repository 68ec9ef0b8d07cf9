/**
 * Keys that a write takes and releases in its own transaction. A key is taken if it does not exist, and released only
 * if the holder's text is its value, so that a stale writer cannot free what another object holds by now.
 */
import type { Compare, RequestOp, TxnResponse } from '../etcd/message-types.ts';
import type { KeySpace } from '../keys.ts';
import { StorageError, type ClaimKey, type Claims, type ObjectKey } from '../types.ts';
import { withMark, type WriteMark } from './mark.ts';

/** Behind every mark. */
const afterMarks = Buffer.of(0xff);

/** The parts of a transaction for its claims. */
export interface ClaimParts {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

export function claimParts(keys: KeySpace, { holder, take, release }: Claims, mark: WriteMark): ClaimParts {
  const text = Buffer.from(holder);
  const taken = take.map(({ collection, key }) => keys.object(collection, key));
  const released = release.map(({ collection, key }) => keys.object(collection, key));
  return {
    compare: taken.map((key) => ({ result: 0, target: 1, key, create_revision: 0 })),
    success: [
      ...taken.map((key) => ({ request_put: { key, value: withMark(text, mark) } })),
      ...released.map((key) => ({ request_txn: releaseOf(key, text) })),
    ],
    failure: taken.map((key) => ({ request_range: { key, keys_only: true } })),
  };
}

/** The value is the text and a mark, so it lies between the text and the text with a byte that no mark has. */
function releaseOf(key: Buffer, text: Buffer): ClaimParts {
  return {
    compare: [
      { result: 1, target: 3, key, value: text },
      { result: 2, target: 3, key, value: Buffer.concat([text, afterMarks]) },
    ],
    success: [{ request_delete_range: { key } }],
    failure: [],
  };
}

/** The keys that were not free in a failed transaction, whose responses end in those of the claims. */
export function takenIn(claims: Claims | undefined, { responses }: TxnResponse): readonly ClaimKey[] {
  if (claims === undefined) return [];
  const answers = responses.slice(responses.length - claims.take.length);
  return claims.take.filter((_, i) => (answers[i]?.response_range?.kvs.length ?? 0) > 0);
}

/** The error if keys were not free. */
export function claimFailure(key: ObjectKey, taken: readonly ClaimKey[]): StorageError {
  const names = taken.map((claim) => claim.key).join(', ');
  return new StorageError('claimTaken', `${key} wants ${names}, which another object holds`, { key, taken });
}
