/** The errors that etcd answers with, by code and words of gRPC (`rpctypes/error.go`). */
import { GrpcError } from '../storage/etcd/grpc-status.ts';

const code = {
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  unavailable: 14,
} as const;

const errors = {
  emptyKey: [code.invalidArgument, 'etcdserver: key is not provided'],
  keyNotFound: [code.invalidArgument, 'etcdserver: key not found'],
  valueProvided: [code.invalidArgument, 'etcdserver: value is provided'],
  leaseProvided: [code.invalidArgument, 'etcdserver: lease is provided'],
  tooManyOps: [code.invalidArgument, 'etcdserver: too many operations in txn request'],
  duplicateKey: [code.invalidArgument, 'etcdserver: duplicate key given in txn request'],
  compacted: [code.outOfRange, 'etcdserver: mvcc: required revision has been compacted'],
  futureRevision: [code.outOfRange, 'etcdserver: mvcc: required revision is a future revision'],
  noSpace: [code.resourceExhausted, 'etcdserver: mvcc: database space exceeded'],
  leaseNotFound: [code.notFound, 'etcdserver: requested lease not found'],
  leaseExists: [code.failedPrecondition, 'etcdserver: lease already exists'],
  leaseTtlTooLarge: [code.outOfRange, 'etcdserver: too large lease TTL'],
  requestTooLarge: [code.invalidArgument, 'etcdserver: request is too large'],
  authNotEnabled: [code.failedPrecondition, 'etcdserver: authentication is not enabled'],
} as const;

/** An error by its name. */
export function serverError(name: keyof typeof errors): GrpcError {
  const [number, details] = errors[name];
  return new GrpcError(number, details);
}

/** A message that one side of the connection does not take, in the words of gRPC. */
export function largerThanMax(bytes: number, max: number, side: 'server' | 'client'): GrpcError {
  const who = side === 'server' ? 'grpc: ' : '';
  const details = `${who}received message larger than max (${String(bytes)} vs. ${String(max)})`;
  return new GrpcError(code.resourceExhausted, details);
}

export function unknownMethod(path: string): GrpcError {
  return new GrpcError(code.unimplemented, `unknown method ${path}`);
}

export function connectionLost(): GrpcError {
  return new GrpcError(code.unavailable, 'the connection to etcd was lost (closed)');
}
