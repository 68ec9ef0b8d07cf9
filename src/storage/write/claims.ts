/**
 * Keys that a write takes and releases in its own transaction. A key is taken if it does not exist, and released only
 * if the holder's text is its value, so that a stale writer cannot free what another object holds by now.
 */
import type { EtcdClient } from '../etcd/client.ts';
import type { Compare, RequestOp, TxnResponse } from '../etcd/message-types.ts';
import type { KeySpace } from '../keys.ts';
import { StorageError, type ClaimKey, type Claims, type ObjectKey } from '../types.ts';
import { withMark, type WriteMark } from './mark.ts';

/** Behind every mark. */
const afterMarks = Buffer.of(0xff);

/** Operations of one transaction: etcd takes 128 (`--max-txn-ops`), some of which the object itself needs. */
const mostFlat = 100;
/**
 * Operations of a nested transaction. A nested one may have 128 less those of the transaction around it, which needs one
 * for each of them.
 */
const mostNested = 64;

/** The parts of a transaction for its claims. */
export interface ClaimParts {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

/** Whether there are too many for one transaction, so that they are in nested ones. */
export function isNested({ take, release }: Claims): boolean {
  return take.length + release.length > mostFlat;
}

export function claimParts(keys: KeySpace, claims: Claims, mark: WriteMark): ClaimParts {
  const text = Buffer.from(claims.holder);
  const taken = claims.take.map(({ collection, key }) => keys.object(collection, key));
  const released = claims.release.map(({ collection, key }) => keys.object(collection, key));
  const value = withMark(text, mark);
  const puts = taken.map((key) => ({ request_put: { key, value } }));
  const releases = released.map((key) => ({ request_txn: releaseOf(key, text) }));
  if (isNested(claims)) return nestedParts({ taken, puts, releases });
  return {
    compare: taken.map(isMissing),
    success: [...puts, ...releases],
    failure: taken.map((key) => ({ request_range: { key, keys_only: true } })),
  };
}

/**
 * Conditions of a nested transaction do not decide about those beside it. So where a key is not free, it reads a revision
 * that does not exist: etcd looks at all reads and writes before the first of them, and refuses the whole transaction with
 * the error `futureRevision`. The read must be in the nested transaction: of the one around it, members of etcd before 3.7
 * that were not asked leave out all reads, so that they would carry out what the asked one refuses (etcd's issue 18667).
 */
function nestedParts({
  taken,
  puts,
  releases,
}: {
  readonly taken: readonly Buffer[];
  readonly puts: readonly RequestOp[];
  readonly releases: readonly RequestOp[];
}): ClaimParts {
  const success: RequestOp[] = [];
  for (let i = 0; i < taken.length; i += mostNested) {
    const some = taken.slice(i, i + mostNested);
    const failure = some.slice(0, 1).map((key) => ({ request_range: { key, revision: noRevision } }));
    const compare = some.map(isMissing);
    success.push({ request_txn: { compare, success: puts.slice(i, i + mostNested), failure } });
  }
  for (let i = 0; i < releases.length; i += mostNested)
    success.push({
      request_txn: { compare: [], success: releases.slice(i, i + mostNested), failure: [] },
    });
  return { compare: [], success, failure: [] };
}

const noRevision = Number.MAX_SAFE_INTEGER;

function isMissing(key: Buffer): Compare {
  return { result: 0, target: 1, key, create_revision: 0 };
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

/**
 * The keys that were not free in a failed transaction. @param own responses about the object itself, which come first
 */
export function takenIn(
  claims: Claims | undefined,
  { responses }: TxnResponse,
  own: number,
): readonly ClaimKey[] {
  return (claims?.take ?? []).filter((_, i) => (responses[own + i]?.response_range?.kvs.length ?? 0) > 0);
}

/** The keys of claims that exist now, in transactions of their own. @throws EtcdError */
export async function takenNow(
  client: Pick<EtcdClient, 'txn'>,
  keys: KeySpace,
  { take }: Claims,
): Promise<ClaimKey[]> {
  const found: ClaimKey[] = [];
  for (let i = 0; i < take.length; i += mostFlat) {
    const some = take.slice(i, i + mostFlat);
    const success = some.map(({ collection, key }) => ({
      request_range: { key: keys.object(collection, key), keys_only: true },
    }));
    const { responses } = await client.txn({ compare: [], success, failure: [] });
    found.push(...some.filter((_, at) => (responses[at]?.response_range?.kvs.length ?? 0) > 0));
  }
  return found;
}

/** The error if keys were not free. */
export function claimFailure(key: ObjectKey, taken: readonly ClaimKey[]): StorageError {
  const names = taken.map((claim) => claim.key).join(', ');
  return new StorageError('claimTaken', `${key} wants ${names}, which another object holds`, { key, taken });
}
