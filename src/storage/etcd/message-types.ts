/** Types of the etcd API messages that are used (`rpc.proto`, `kv.proto`). */
/** A 64-bit number of protobufjs; `numberOf` converts it. */
export type Int64 = number | { toNumber(): number; toString(): string };

export interface ResponseHeader {
  readonly cluster_id: Int64;
  readonly revision: Int64;
}

/** `key` and `value` are views into the received message: copy what is kept. */
export interface KeyValue {
  readonly key: Buffer;
  readonly create_revision: Int64;
  readonly mod_revision: Int64;
  readonly version: Int64;
  readonly value: Buffer;
}

export interface EtcdEvent {
  /** 0 is put, 1 is delete. */
  readonly type: number;
  readonly kv: KeyValue;
  readonly prev_kv: KeyValue | null | undefined;
}

export interface RangeRequest {
  readonly key: Buffer;
  readonly range_end?: Buffer;
  readonly limit?: number;
  readonly revision?: number;
  readonly serializable?: boolean;
  readonly keys_only?: boolean;
  readonly count_only?: boolean;
  readonly min_mod_revision?: number;
}

export interface RangeResponse {
  readonly header: ResponseHeader;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  /** Number of keys of the whole range, regardless of the limit. */
  readonly count: Int64;
}

export interface PutRequest {
  readonly key: Buffer;
  readonly value?: Buffer;
  /** The key keeps its value, or its lease, and gets a new revision. Fails if the key does not exist. */
  readonly ignore_value?: boolean;
  readonly ignore_lease?: boolean;
  readonly lease?: Int64;
}

export interface DeleteRangeRequest {
  readonly key: Buffer;
}

export interface DeleteRangeResponse {
  readonly header: ResponseHeader;
  /** Number of keys that were removed; without any there is no new revision. */
  readonly deleted: Int64;
}

export interface HeaderResponse {
  readonly header: ResponseHeader;
}

/**
 * `result` 0 is "equal", 1 "greater", 2 "less"; `target` 0 version, 1 create revision, 2 mod revision, 3 value. A
 * missing key has 0 for all, and no value.
 */
export interface Compare {
  readonly result: 0 | 1 | 2;
  readonly target: 0 | 1 | 2 | 3;
  readonly key: Buffer;
  readonly version?: number;
  readonly create_revision?: number;
  readonly mod_revision?: number;
  readonly value?: Buffer;
}

export interface RequestOp {
  readonly request_range?: Pick<RangeRequest, 'key' | 'keys_only' | 'revision'>;
  readonly request_put?: { readonly key: Buffer; readonly value: Buffer; readonly lease?: Int64 };
  readonly request_delete_range?: { readonly key: Buffer };
  readonly request_txn?: TxnRequest;
}

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

export interface TxnResponse {
  readonly header: ResponseHeader;
  readonly succeeded: boolean;
  readonly responses: readonly { readonly response_range?: RangeResponse | null }[];
}

/** Status of a member. */
export interface StatusResponse {
  readonly header: ResponseHeader | null;
  /** The release of the member, such as `3.5.30`. */
  readonly version: string;
  /** Size of its database on disk in bytes. */
  readonly dbSize: Int64;
  /** Id of the leader that it follows; 0: it knows none. */
  readonly leader: Int64;
  /** It has no vote, and refuses calls. */
  readonly isLearner: boolean;
}

export interface LeaseGrantRequest {
  /** In seconds. */
  readonly TTL: number;
}

export interface LeaseGrantResponse extends HeaderResponse {
  readonly ID: Int64;
  /** In seconds; etcd extends what is shorter than its minimum. */
  readonly TTL: Int64;
}

/** By its ID; a lease that has ended is renewed with a TTL of 0. */
export interface LeaseRequest {
  readonly ID: Int64;
}

export interface LeaseKeepAliveResponse extends HeaderResponse {
  /** In seconds. */
  readonly TTL: Int64;
}

export interface AuthenticateRequest {
  readonly name: string;
  readonly password: string;
}

export interface AuthenticateResponse {
  readonly token: string;
}

export interface WatchRequest {
  readonly create_request: {
    readonly key: Buffer;
    readonly range_end: Buffer;
    readonly start_revision: number;
    readonly prev_kv?: boolean;
    /** Requests that large responses are sent in fragments. */
    readonly fragment?: boolean;
    /** An etcd in the same process may send another state whole. */
    readonly takes_states?: boolean;
  };
}

/** An etcd in the same process has replaced its keys by those of an earlier state. */
export interface Replacement {
  /** What whoever caused it has given; a `KnownState`, if all is right. */
  readonly state: object;
  /** What differs from it now. */
  readonly events: readonly EtcdEvent[];
}

export interface WatchResponse {
  readonly header: ResponseHeader;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compact_revision: Int64;
  readonly cancel_reason: string;
  /** The response continues in the next message. */
  readonly fragment: boolean;
  readonly events: readonly EtcdEvent[];
  /** Absent in answers of an etcd outside of this process. */
  readonly replacement?: Replacement;
}
