/**
 * Codecs of the etcd API messages, from the `.proto` files of the etcd3 package. Its client is not used for calls;
 * see the README of this folder.
 */
import { createRequire } from 'node:module';

import protobuf from 'protobufjs';

import type {
  Int64,
  RangeRequest,
  RangeResponse,
  PutRequest,
  DeleteRangeRequest,
  DeleteRangeResponse,
  HeaderResponse,
  TxnRequest,
  TxnResponse,
  StatusResponse,
  LeaseGrantRequest,
  LeaseGrantResponse,
  LeaseKeepAliveResponse,
  LeaseRequest,
  AuthenticateRequest,
  AuthenticateResponse,
  WatchRequest,
  WatchResponse,
} from './message-types.ts';

const root = new protobuf.Root().loadSync(createRequire(import.meta.url).resolve('etcd3/proto/rpc.proto'), {
  keepCase: true,
});

/**
 * Absent bytes of a message are an empty Buffer, as other bytes are Buffers: protobufjs has an array there. Returns its
 * argument.
 */
export function withEmptyBuffers(type: protobuf.Type): protobuf.Type {
  const prototype = type.ctor.prototype as Record<string, unknown>;
  for (const { name, type: of, repeated, map } of type.fieldsArray)
    if (of === 'bytes' && !repeated && !map) prototype[name] = Buffer.alloc(0);
  return type;
}

withEmptyBuffers(root.lookupType('mvccpb.KeyValue'));

function encoder(name: string): (message: object) => Buffer {
  const type = root.lookupType(`etcdserverpb.${name}`);
  // In Node.js protobufjs writes into Buffers.
  return (message) => type.encode(message).finish() as Buffer;
}

function decoder(name: string): (bytes: Buffer) => unknown {
  const type = root.lookupType(`etcdserverpb.${name}`);
  return (bytes) => type.decode(bytes);
}

/** A unary method. */
export interface UnaryMethod<Request, Response> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Response;
  /** Sent at once, not batched with other calls of this turn of the event loop. */
  readonly isUrgent?: boolean;
}

/** A server streaming method. */
export type StreamMethod<Request, Response> = Omit<UnaryMethod<Request, Response>, 'isUrgent'>;

export const rangeMethod: UnaryMethod<RangeRequest, RangeResponse> = {
  path: '/etcdserverpb.KV/Range',
  encode: encoder('RangeRequest'),
  decode: decoder('RangeResponse') as (bytes: Buffer) => RangeResponse,
  isUrgent: true,
};
export const putMethod: UnaryMethod<PutRequest, HeaderResponse> = {
  path: '/etcdserverpb.KV/Put',
  encode: encoder('PutRequest'),
  decode: decoder('PutResponse') as (bytes: Buffer) => HeaderResponse,
};
export const deleteRangeMethod: UnaryMethod<DeleteRangeRequest, DeleteRangeResponse> = {
  path: '/etcdserverpb.KV/DeleteRange',
  encode: encoder('DeleteRangeRequest'),
  decode: decoder('DeleteRangeResponse') as (bytes: Buffer) => DeleteRangeResponse,
};
export const txnMethod: UnaryMethod<TxnRequest, TxnResponse> = {
  path: '/etcdserverpb.KV/Txn',
  encode: encoder('TxnRequest'),
  decode: decoder('TxnResponse') as (bytes: Buffer) => TxnResponse,
};
export const compactMethod: UnaryMethod<{ readonly revision: number }, HeaderResponse> = {
  path: '/etcdserverpb.KV/Compact',
  encode: encoder('CompactionRequest'),
  decode: decoder('CompactionResponse') as (bytes: Buffer) => HeaderResponse,
};
export const leaseGrantMethod: UnaryMethod<LeaseGrantRequest, LeaseGrantResponse> = {
  path: '/etcdserverpb.Lease/LeaseGrant',
  encode: encoder('LeaseGrantRequest'),
  decode: decoder('LeaseGrantResponse') as (bytes: Buffer) => LeaseGrantResponse,
};
/** A stream of which one message and its answer are used: etcd ends it when the request does. */
export const leaseKeepAliveMethod: UnaryMethod<LeaseRequest, LeaseKeepAliveResponse> = {
  path: '/etcdserverpb.Lease/LeaseKeepAlive',
  encode: encoder('LeaseKeepAliveRequest'),
  decode: decoder('LeaseKeepAliveResponse') as (bytes: Buffer) => LeaseKeepAliveResponse,
};
export const leaseRevokeMethod: UnaryMethod<LeaseRequest, HeaderResponse> = {
  path: '/etcdserverpb.Lease/LeaseRevoke',
  encode: encoder('LeaseRevokeRequest'),
  decode: decoder('LeaseRevokeResponse') as (bytes: Buffer) => HeaderResponse,
};
/** The answer has -1 for a lease that is over. */
export const leaseTimeToLiveMethod: UnaryMethod<LeaseRequest, { readonly TTL: Int64 }> = {
  path: '/etcdserverpb.Lease/LeaseTimeToLive',
  encode: encoder('LeaseTimeToLiveRequest'),
  decode: decoder('LeaseTimeToLiveResponse') as (bytes: Buffer) => { readonly TTL: Int64 },
};
export const statusMethod: UnaryMethod<object, StatusResponse> = {
  path: '/etcdserverpb.Maintenance/Status',
  encode: encoder('StatusRequest'),
  decode: decoder('StatusResponse') as (bytes: Buffer) => StatusResponse,
};
export const authenticateMethod: UnaryMethod<AuthenticateRequest, AuthenticateResponse> = {
  path: '/etcdserverpb.Auth/Authenticate',
  encode: encoder('AuthenticateRequest'),
  decode: decoder('AuthenticateResponse') as (bytes: Buffer) => AuthenticateResponse,
};
export const watchMethod: StreamMethod<WatchRequest, WatchResponse> = {
  path: '/etcdserverpb.Watch/Watch',
  encode: encoder('WatchRequest'),
  decode: decoder('WatchResponse') as (bytes: Buffer) => WatchResponse,
};

/** A 64-bit number as a number; revisions stay far below 2^53. */
export function numberOf(value: Int64): number {
  return typeof value === 'number' ? value : value.toNumber();
}
