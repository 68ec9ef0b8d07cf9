/** The limits of a request's size: that of gRPC, and that of what goes to the members' log. */
import type { UnaryMethod } from '../storage/etcd/etcd-messages.ts';
import type { PutRequest, RequestOp, TxnRequest } from './messages.ts';
import { largerThanMax, serverError } from './server-error.ts';
import { isReadOnly } from './txn.ts';

/** What gRPC takes beyond the largest request of the log. */
const overheadBytes = 512 * 1024;
/** What the log adds to a request: its id, and the fields that hold it. */
const entryBytes = 20;
/** Of an operation with its keys, at most, beside the value. */
const opBytes = 64;

const putPath = '/etcdserverpb.KV/Put';
const txnPath = '/etcdserverpb.KV/Txn';

/**
 * Encodes only what may be too large.
 * @param maxMessage what gRPC takes
 * @throws GrpcError
 */
export function checkRequestSize<Request>(
  method: UnaryMethod<Request, unknown>,
  request: Request,
  maxMessage: number,
): void {
  const maxEntry = maxMessage - overheadBytes;
  if (atMost(method.path, request) < maxEntry - entryBytes) return;
  const { length } = method.encode(request);
  if (length > maxMessage) throw largerThanMax(length, maxMessage, 'server');
  const isLogged = method.path !== txnPath || !isReadOnly(request as TxnRequest);
  if (isLogged && length + entryBytes > maxEntry) throw serverError('requestTooLarge');
}

/** An upper bound of the encoded length of writes; other requests are small. */
function atMost(path: string, request: unknown): number {
  if (path === putPath) return putBytes(request as PutRequest);
  return path === txnPath ? txnBytes(request as TxnRequest) : 0;
}

function putBytes({ key, value }: PutRequest): number {
  return opBytes + (key?.length ?? 0) + (value?.length ?? 0);
}

function txnBytes({ compare = [], success = [], failure = [] }: TxnRequest): number {
  let bytes = opBytes;
  for (const { key, range_end, value } of compare)
    bytes += opBytes + (key?.length ?? 0) + (range_end?.length ?? 0) + (value?.length ?? 0);
  for (const op of success) bytes += bytesOfOp(op);
  for (const op of failure) bytes += bytesOfOp(op);
  return bytes;
}

function bytesOfOp(op: RequestOp): number {
  if (op.request_put) return opBytes + putBytes(op.request_put);
  if (op.request_txn) return opBytes + txnBytes(op.request_txn);
  const { key, range_end } = op.request_range ?? op.request_delete_range ?? {};
  return 2 * opBytes + (key?.length ?? 0) + (range_end?.length ?? 0);
}
