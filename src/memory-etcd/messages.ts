/**
 * The messages of etcd's API in full (`rpc.proto`, `kv.proto`): requests as callers may leave fields out, answers with
 * every field. The storage's `message-types.ts` has the part of them that it uses.
 */
import type { Int64 } from '../storage/etcd/message-types.ts';

export type { Int64 } from '../storage/etcd/message-types.ts';

export interface ResponseHeader {
  readonly cluster_id: Int64;
  readonly member_id: Int64;
  readonly revision: number;
  readonly raft_term: Int64;
}

/** A version of a key; of a removed key only `key` and `mod_revision` are set. Its bytes are read-only. */
export interface StoredKeyValue {
  readonly key: Buffer;
  readonly create_revision: number;
  readonly mod_revision: number;
  readonly version: number;
  readonly value: Buffer;
  readonly lease: Int64;
}

export interface RangeRequest {
  readonly key?: Buffer;
  readonly range_end?: Buffer;
  readonly limit?: Int64;
  readonly revision?: Int64;
  /** 0 none, 1 ascending, 2 descending. */
  readonly sort_order?: number;
  /** 0 key, 1 version, 2 create revision, 3 mod revision, 4 value. */
  readonly sort_target?: number;
  readonly serializable?: boolean;
  readonly keys_only?: boolean;
  readonly count_only?: boolean;
  readonly min_mod_revision?: Int64;
  readonly max_mod_revision?: Int64;
  readonly min_create_revision?: Int64;
  readonly max_create_revision?: Int64;
}

export interface RangeResponse {
  readonly header: Partial<ResponseHeader>;
  readonly kvs: readonly StoredKeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export interface PutRequest {
  readonly key?: Buffer;
  readonly value?: Buffer;
  readonly lease?: Int64;
  readonly prev_kv?: boolean;
  readonly ignore_value?: boolean;
  readonly ignore_lease?: boolean;
}

export interface PutResponse {
  readonly header: Partial<ResponseHeader>;
  readonly prev_kv: StoredKeyValue | null;
}

export interface DeleteRangeRequest {
  readonly key?: Buffer;
  readonly range_end?: Buffer;
  readonly prev_kv?: boolean;
}

export interface DeleteRangeResponse {
  readonly header: Partial<ResponseHeader>;
  readonly deleted: number;
  readonly prev_kvs: readonly StoredKeyValue[];
}

export interface Compare {
  /** 0 equal, 1 greater, 2 less, 3 not equal. */
  readonly result?: number;
  /** 0 version, 1 create revision, 2 mod revision, 3 value, 4 lease. */
  readonly target?: number;
  readonly key?: Buffer;
  readonly range_end?: Buffer;
  readonly version?: Int64;
  readonly create_revision?: Int64;
  readonly mod_revision?: Int64;
  readonly value?: Buffer;
  readonly lease?: Int64;
}

/** One of its fields. */
export interface RequestOp {
  readonly request_range?: RangeRequest | null;
  readonly request_put?: PutRequest | null;
  readonly request_delete_range?: DeleteRangeRequest | null;
  readonly request_txn?: TxnRequest | null;
}

export interface TxnRequest {
  readonly compare?: readonly Compare[];
  readonly success?: readonly RequestOp[];
  readonly failure?: readonly RequestOp[];
}

/** One of its fields. */
export interface ResponseOp {
  readonly response_range?: RangeResponse;
  readonly response_put?: PutResponse;
  readonly response_delete_range?: DeleteRangeResponse;
  readonly response_txn?: TxnResponse;
}

export interface TxnResponse {
  readonly header: Partial<ResponseHeader>;
  readonly succeeded: boolean;
  readonly responses: readonly ResponseOp[];
}

export interface CompactionRequest {
  readonly revision?: Int64;
}

export interface HeaderResponse {
  readonly header: ResponseHeader;
}

/** Type 0 is put, 1 is delete. */
export interface WatchEvent {
  readonly type: 0 | 1;
  readonly kv: StoredKeyValue;
  readonly prev_kv: StoredKeyValue | null;
}

export interface WatchCreateRequest {
  readonly key?: Buffer;
  readonly range_end?: Buffer;
  readonly start_revision?: Int64;
  readonly progress_notify?: boolean;
  /** 0 leaves puts out, 1 deletions. */
  readonly filters?: readonly number[];
  readonly prev_kv?: boolean;
  readonly watch_id?: Int64;
  readonly fragment?: boolean;
  /** Of a watch of all keys in this process: it can take another state whole (`takeover.ts`). Nothing of the real etcd. */
  readonly takes_states?: boolean;
}

/** Keys were replaced by those of an earlier state. */
export interface Replacement {
  /** What whoever caused it has given for watches in this process. */
  readonly state: object;
  /** What differs from it now, with the revisions of the keys. */
  readonly events: readonly WatchEvent[];
}

export interface WatchResponse {
  readonly header: ResponseHeader;
  readonly watch_id: Int64;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compact_revision: number;
  readonly cancel_reason: string;
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
  readonly replacement?: Replacement;
}

export interface LeaseGrantRequest {
  readonly TTL?: Int64;
  readonly ID?: Int64;
}

export interface LeaseGrantResponse extends HeaderResponse {
  readonly ID: Int64;
  readonly TTL: number;
  readonly error: string;
}

export interface LeaseTimeToLiveResponse extends HeaderResponse {
  readonly ID: Int64;
  readonly TTL: number;
  readonly grantedTTL: number;
  readonly keys: readonly Buffer[];
}

export interface LeaseKeepAliveResponse extends HeaderResponse {
  readonly ID: Int64;
  readonly TTL: number;
}

export interface AlarmRequest {
  /** 0 get, 1 activate, 2 deactivate. */
  readonly action?: number;
  readonly memberID?: Int64;
  /** 0 none, 1 no space, 2 corrupt. */
  readonly alarm?: number;
}

export interface AlarmMember {
  readonly memberID: Int64;
  readonly alarm: number;
}

export const emptyBytes = Buffer.alloc(0);

/** A 64-bit number of a request as a number; revisions, limits and times to live stay far below 2^53. */
export function int(value: Int64 | null | undefined): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' ? value : value.toNumber();
}
