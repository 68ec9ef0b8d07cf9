/** Methods of etcd with all fields of their messages, also those that the service does not use. */
import { createRequire } from 'node:module';

import protobuf from 'protobufjs';

import type { UnaryMethod } from '../../../../src/storage/etcd/etcd-messages.ts';

const root = new protobuf.Root().loadSync(createRequire(__filename).resolve('etcd3/proto/rpc.proto'), {
  keepCase: true,
});

export interface Method extends UnaryMethod<object, object> {
  /** An answer in a form to compare: what would be on the wire. */
  readonly plainOf: (answer: object) => unknown;
}

function method(path: string, requestType: string, responseType: string): Method {
  const [request, response] = [requestType, responseType].map((name) =>
    root.lookupType(`etcdserverpb.${name}`),
  );
  if (request === undefined || response === undefined) throw new Error(`no types of ${path}`);
  return {
    path: `/etcdserverpb.${path}`,
    encode: (message) => request.encode(message).finish() as Buffer,
    decode: (bytes) => response.decode(bytes),
    plainOf: (answer) => {
      const onTheWire = response.decode(response.encode(answer).finish());
      return response.toObject(onTheWire, { longs: String, bytes: String, oneofs: true });
    },
  };
}

export const methods = {
  range: method('KV/Range', 'RangeRequest', 'RangeResponse'),
  put: method('KV/Put', 'PutRequest', 'PutResponse'),
  deleteRange: method('KV/DeleteRange', 'DeleteRangeRequest', 'DeleteRangeResponse'),
  txn: method('KV/Txn', 'TxnRequest', 'TxnResponse'),
  compact: method('KV/Compact', 'CompactionRequest', 'CompactionResponse'),
  grant: method('Lease/LeaseGrant', 'LeaseGrantRequest', 'LeaseGrantResponse'),
  revoke: method('Lease/LeaseRevoke', 'LeaseRevokeRequest', 'LeaseRevokeResponse'),
  keepAlive: method('Lease/LeaseKeepAlive', 'LeaseKeepAliveRequest', 'LeaseKeepAliveResponse'),
  timeToLive: method('Lease/LeaseTimeToLive', 'LeaseTimeToLiveRequest', 'LeaseTimeToLiveResponse'),
  leases: method('Lease/LeaseLeases', 'LeaseLeasesRequest', 'LeaseLeasesResponse'),
  status: method('Maintenance/Status', 'StatusRequest', 'StatusResponse'),
  alarm: method('Maintenance/Alarm', 'AlarmRequest', 'AlarmResponse'),
  defragment: method('Maintenance/Defragment', 'DefragmentRequest', 'DefragmentResponse'),
  authenticate: method('Auth/Authenticate', 'AuthenticateRequest', 'AuthenticateResponse'),
  watch: method('Watch/Watch', 'WatchRequest', 'WatchResponse'),
} as const;

export type MethodName = keyof typeof methods;
