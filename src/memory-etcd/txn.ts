/** Transactions: comparisons choose the operations, also of nested transactions, before any of them runs. */
import { compares } from './compare.ts';
import { keyText } from './key-range.ts';
import { leaseText, type Leases } from './leases.ts';
import {
  emptyBytes,
  int,
  type PutRequest,
  type RangeRequest,
  type RequestOp,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from './messages.ts';
import { serverError } from './server-error.ts';
import type { Store } from './store.ts';
import type { WriteTxn } from './write-txn.ts';

/** A transaction whose comparisons are done. */
interface ChosenTxn {
  readonly succeeded: boolean;
  readonly ops: readonly ChosenOp[];
}

interface ChosenOp {
  readonly op: RequestOp;
  /** For a nested transaction. */
  readonly nested: ChosenTxn | undefined;
}

/**
 * Runs a transaction that `checkTxn` has passed.
 * @throws GrpcError before anything is written, if a key, lease or revision that it needs is not there
 */
export function runTxn(txn: WriteTxn, request: TxnRequest, { store, leases }: TxnState): TxnResponse {
  const chosen = choose(store, request);
  const checkPut = ({ request_put: put }: RequestOp): void => {
    if (put) checkPutTarget(put, { store, leases });
  };
  const checkRange = ({ request_range: range }: RequestOp): void => {
    if (range) checkRevision(store, range);
  };
  if (!store.rules.checksInOrder) eachOp(chosen, checkPut);
  eachOp(chosen, (op) => {
    if (store.rules.checksInOrder) checkPut(op);
    checkRange(op);
  });
  return { ...run(txn, chosen), header: { revision: txn.revision } };
}

export interface TxnState {
  readonly store: Store;
  readonly leases: Leases;
}

/** A put that keeps something of a key needs the key, and one with a lease needs the lease. @throws GrpcError */
export function checkPutTarget(request: PutRequest, { store, leases }: TxnState): void {
  if (request.ignore_value === true || request.ignore_lease === true) {
    const key = keyText(request.key ?? emptyBytes);
    if (store.get(key, store.revision) === undefined) throw serverError('keyNotFound');
  }
  if (leaseText(request.lease) !== undefined && leases.get(request.lease) === undefined)
    throw serverError('leaseNotFound');
}

/** Whether nothing is written whatever the comparisons choose; a nested transaction counts as a write. */
export function isReadOnly({ success = [], failure = [] }: TxnRequest): boolean {
  return [...success, ...failure].every(({ request_range: range }) => Boolean(range));
}

/** Comparisons of nested transactions see the state before the outer one. */
function choose(store: Store, { compare = [], success = [], failure = [] }: TxnRequest): ChosenTxn {
  const succeeded = compare.every((each) => compares(store, each));
  const ops = (succeeded ? success : failure).map((op) => {
    return { op, nested: op.request_txn ? choose(store, op.request_txn) : undefined };
  });
  return { succeeded, ops };
}

function eachOp({ ops }: ChosenTxn, visit: (op: RequestOp) => void): void {
  for (const { op, nested } of ops) {
    if (nested === undefined) visit(op);
    else eachOp(nested, visit);
  }
}

/** Unlike a range of its own, one in a transaction refuses negative revisions. */
function checkRevision(store: Store, request: RangeRequest): void {
  const revision = int(request.revision);
  if (revision === 0) return;
  if (revision > store.revision) throw serverError('futureRevision');
  if (revision < store.compactRevision) throw serverError('compacted');
}

function run(txn: WriteTxn, { succeeded, ops }: ChosenTxn): TxnResponse {
  return { header: {}, succeeded, responses: ops.map((op) => runOp(txn, op)) };
}

function runOp(txn: WriteTxn, { op, nested }: ChosenOp): ResponseOp {
  if (op.request_range) return { response_range: txn.range(op.request_range) };
  if (op.request_put) return { response_put: txn.put(op.request_put) };
  if (op.request_delete_range) return { response_delete_range: txn.deleteRange(op.request_delete_range) };
  return nested === undefined ? {} : { response_txn: run(txn, nested) };
}
