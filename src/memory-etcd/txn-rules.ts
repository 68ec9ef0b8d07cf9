/** What etcd refuses in a request before it runs it (`v3rpc/key.go`). */
import { keyText } from './key-range.ts';
import {
  emptyBytes,
  type DeleteRangeRequest,
  type PutRequest,
  type RequestOp,
  type TxnRequest,
} from './messages.ts';
import { serverError } from './server-error.ts';
import { leaseText } from './leases.ts';

/** @throws GrpcError if there is no key */
export function checkKey({ key = emptyBytes }: { readonly key?: Buffer }): void {
  if (key.length === 0) throw serverError('emptyKey');
}

/** @throws GrpcError if the request is contradictory */
export function checkPut(request: PutRequest): void {
  checkKey(request);
  if (request.ignore_value === true && (request.value?.length ?? 0) > 0) throw serverError('valueProvided');
  if (request.ignore_lease === true && leaseText(request.lease) !== undefined)
    throw serverError('leaseProvided');
}

/**
 * @param maxOps how many operations each list may have; nested transactions get what the outer one leaves
 * @throws GrpcError if there are more, one is malformed, or a key is written twice
 */
export function checkTxn(request: TxnRequest, maxOps: number): void {
  checkOps(request, maxOps);
  writesOf(request.success ?? []);
  writesOf(request.failure ?? []);
}

function checkOps({ compare = [], success = [], failure = [] }: TxnRequest, maxOps: number): void {
  const ops = Math.max(compare.length, success.length, failure.length);
  if (ops > maxOps) throw serverError('tooManyOps');
  for (const each of compare) checkKey(each);
  for (const op of success) checkOp(op, maxOps - ops);
  for (const op of failure) checkOp(op, maxOps - ops);
}

function checkOp(op: RequestOp, maxOps: number): void {
  if (op.request_range) checkKey(op.request_range);
  else if (op.request_put) checkPut(op.request_put);
  else if (op.request_delete_range) checkKey(op.request_delete_range);
  else if (op.request_txn) checkOps(op.request_txn, maxOps);
  else throw serverError('keyNotFound');
}

/** A range that is deleted, as etcd compares it: here an end of one zero byte is an ordinary end. */
interface Deletion {
  readonly start: string;
  /** undefined for one key. */
  readonly end: string | undefined;
}

class Writes {
  readonly puts = new Set<string>();
  readonly deletions: Deletion[] = [];

  /** @throws GrpcError if the key is deleted, too */
  checkDeletions(key: string): void {
    const isDeleted = this.deletions.some(({ start, end }) =>
      end === undefined ? key === start : key >= start && key < end,
    );
    if (isDeleted) throw serverError('duplicateKey');
  }
}

/**
 * The keys that a list of operations may write.
 * @throws GrpcError if one is put twice, or put and deleted. Of two nested transactions etcd compares the puts of the
 *   later one with the deletions of the earlier one, not the other way round.
 */
function writesOf(ops: readonly RequestOp[]): Writes {
  const writes = new Writes();
  for (const { request_delete_range: deletion } of ops)
    if (deletion) writes.deletions.push(deletionOf(deletion));
  for (const { request_txn: txn } of ops) if (txn) addNested(writes, txn);
  for (const { request_put: put } of ops) {
    if (!put) continue;
    const key = keyText(put.key ?? emptyBytes);
    if (writes.puts.has(key)) throw serverError('duplicateKey');
    writes.checkDeletions(key);
    writes.puts.add(key);
  }
  return writes;
}

/** Both branches of a nested transaction may put the same key, as only one of them runs. */
function addNested(writes: Writes, { success = [], failure = [] }: TxnRequest): void {
  const [then, otherwise] = [writesOf(success), writesOf(failure)];
  for (const key of then.puts) {
    if (writes.puts.has(key)) throw serverError('duplicateKey');
    writes.checkDeletions(key);
  }
  for (const key of then.puts) writes.puts.add(key);
  for (const key of otherwise.puts) {
    if (writes.puts.has(key) && !then.puts.has(key)) throw serverError('duplicateKey');
    writes.checkDeletions(key);
    writes.puts.add(key);
  }
  for (const deletion of then.deletions) writes.deletions.push(deletion);
  for (const deletion of otherwise.deletions) writes.deletions.push(deletion);
}

function deletionOf({ key = emptyBytes, range_end: end = emptyBytes }: DeleteRangeRequest): Deletion {
  return { start: keyText(key), end: end.length === 0 ? undefined : keyText(end) };
}
