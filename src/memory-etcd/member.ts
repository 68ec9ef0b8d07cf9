/** The one member of the cluster: it answers calls from the store, and keeps watches, leases and space. */
import { LeaseService } from './lease-service.ts';
import { leaseText, type Lease, type Leases } from './leases.ts';
import { keyText, type KeyRange } from './key-range.ts';
import { MaintenanceService } from './maintenance.ts';
import {
  int,
  type Int64,
  type CompactionRequest,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type HeaderResponse,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type ResponseHeader,
  type TxnRequest,
  type TxnResponse,
  type WatchCreateRequest,
  type WatchResponse,
} from './messages.ts';
import type { MemoryEtcdOptions } from './options.ts';
import { leaseCost, putCost, txnCost } from './quota.ts';
import { readRange } from './range.ts';
import { rulesOf } from './release.ts';
import { serverError } from './server-error.ts';
import { rewind, type KeptKey, type Rewound } from './rewind.ts';
import { Store } from './store.ts';
import { Takeover, type OtherKeys } from './takeover.ts';
import { checkPutTarget, isReadOnly, runTxn } from './txn.ts';
import { checkKey, checkPut, checkTxn } from './txn-rules.ts';
import { WatchService } from './watch-service.ts';
import type { Watcher } from './watcher.ts';
import { WriteTxn } from './write-txn.ts';
import type { AnswerListener } from '../storage/etcd/etcd-line.ts';

/** What gRPC takes beyond the largest request. */
const overheadBytes = 512 * 1024;

/** What a member keeps on its disk. */
export interface MemberState {
  readonly store: Store;
  readonly leases: Leases;
}

export class Member {
  readonly #options: Required<MemoryEtcdOptions>;
  readonly #clusterId: () => Int64;
  #state: MemberState;
  readonly #watches: WatchService;
  readonly leases: LeaseService;
  readonly maintenance: MaintenanceService;

  constructor(options: Required<MemoryEtcdOptions>, clusterId: () => Int64, state: MemberState) {
    this.#options = options;
    this.#clusterId = clusterId;
    this.#state = state;
    const { clock, random, progressNotifyMs, minLeaseTtl: minTtl } = options;
    this.#watches = new WatchService({
      clock,
      random,
      progressNotifyMs,
      store: () => this.#state.store,
      header: (revision) => this.header(revision),
      maxBytes: this.maxMessageBytes,
      rules: rulesOf(options.emulates),
    });
    this.leases = new LeaseService({
      clock,
      random,
      minTtl,
      leases: () => this.#state.leases,
      header: () => this.header(),
      revoke: (lease) => {
        this.#revoke(lease);
      },
    });
    this.maintenance = new MaintenanceService({
      options,
      store: () => this.#state.store,
      header: () => this.header(),
    });
    this.leases.schedule();
  }

  get state(): MemberState {
    return this.#state;
  }

  /** The largest message that gRPC takes, and the largest answer of a watch in fragments. */
  get maxMessageBytes(): number {
    return this.#options.maxRequestBytes + overheadBytes;
  }

  header(revision = this.#state.store.revision): ResponseHeader {
    const { memberId: member_id, raftTerm: raft_term } = this.#options;
    return { cluster_id: this.#clusterId(), member_id, revision, raft_term };
  }

  /** @throws GrpcError, as all methods here */
  range(request: RangeRequest): RangeResponse {
    checkKey(request);
    const { store } = this.#state;
    return { header: this.header(), ...readRange(store, request, store.revision) };
  }

  put(request: PutRequest): PutResponse {
    this.maintenance.claimSpace(putCost(request));
    checkPut(request);
    this.maintenance.checkAlarm(putCost(request));
    checkLeaseFirst(request, this.#state);
    checkPutTarget(request, this.#state);
    return this.#write((txn) => txn.put(request));
  }

  deleteRange(request: DeleteRangeRequest): DeleteRangeResponse {
    checkKey(request);
    return this.#write((txn) => txn.deleteRange(request));
  }

  txn(request: TxnRequest): TxnResponse {
    const cost = txnCost(request);
    this.maintenance.claimSpace(cost);
    checkTxn(request, this.#options.maxTxnOps);
    if (!isReadOnly(request)) this.maintenance.checkAlarm(cost);
    return this.#write((txn) => runTxn(txn, request, this.#state));
  }

  compact({ revision }: CompactionRequest): HeaderResponse {
    this.#state.store.compact(int(revision));
    return { header: this.header() };
  }

  grantLease(request: LeaseGrantRequest): LeaseGrantResponse {
    this.maintenance.claimSpace(leaseCost);
    this.maintenance.checkAlarm(leaseCost);
    return this.leases.grant(request);
  }

  watch(request: WatchCreateRequest, listener: AnswerListener<WatchResponse>): Watcher {
    return this.#watches.open(request, listener);
  }

  /** Brings keys back to what they were in `then`, in one revision. @returns how many keys changed */
  rewind(then: Store, about: Pick<Rewound, 'equalAt' | 'includes'>): number {
    const { store: now, leases } = this.#state;
    const txn = new WriteTxn(now, leases);
    const changed = rewind(txn, { now, then, leases, ...about });
    this.#commit(txn);
    return changed;
  }

  /**
   * Does so by taking over the earlier state whole (`takeover.ts`).
   * @param state for watches in this process that can take it, too; all others end, as after a compaction
   * @returns how many keys changed
   */
  takeOver(then: MemberState, others: OtherKeys, state: object): number {
    const takeover = new Takeover(this.#state, then, others);
    if (takeover.changed > 0) this.#watches.notifyReplacement({ state, events: takeover.run() });
    return takeover.changed;
  }

  /** Brings keys to what is given, in one revision; those with time left get leases. @returns how many keys changed */
  replaceKeys(keys: Iterable<KeptKey>, includes: (key: string) => boolean): number {
    const { store, leases } = this.#state;
    const given = new Map<string, KeptKey>();
    for (const kept of keys) given.set(keyText(kept.key), kept);
    const txn = new WriteTxn(store, leases);
    const leaseOf = this.#newLeases();
    let changed = 0;
    for (const [name, { key, value, leftMs }] of given) {
      if (!includes(name)) continue;
      const lease = leaseOf(leftMs);
      const is = store.get(name, store.revision);
      if (is?.lease === lease && is.value.equals(value)) continue;
      txn.put({ key, value, lease });
      changed += 1;
    }
    const gone: string[] = [];
    store.each({ start: '', end: null }, store.revision, (_kv, name) => {
      if (!given.has(name) && includes(name)) gone.push(name);
    });
    txn.deleteKeys(gone);
    this.#commit(txn);
    return changed + gone.length;
  }

  /** A lease for what has so many milliseconds left, the same for the same number of seconds; 0 for what has no lease. */
  #newLeases(): (leftMs: number | undefined) => Int64 {
    const granted = new Map<number, Int64>();
    return (leftMs) => {
      if (leftMs === undefined) return 0;
      const ttl = Math.max(1, Math.ceil(leftMs / 1_000));
      const lease = granted.get(ttl) ?? this.leases.grant({ ID: 0, TTL: ttl }).ID;
      granted.set(ttl, lease);
      return lease;
    };
  }

  /** Removes those of the keys of a range, in one revision. */
  removeKeys(range: KeyRange, includes: (key: string) => boolean): void {
    const { store, leases } = this.#state;
    const removed: string[] = [];
    store.each(range, store.revision, (_kv, key) => {
      if (includes(key)) removed.push(key);
    });
    const txn = new WriteTxn(store, leases);
    txn.deleteKeys(removed);
    this.#commit(txn);
  }

  /** Replaces the database by that of another past; all connections must be closed before. */
  replace(state: MemberState): void {
    this.#state = state;
    this.maintenance.forget();
    this.leases.schedule();
  }

  stop(): void {
    this.leases.stop();
    this.#watches.stop();
  }

  #revoke(lease: Lease): void {
    const txn = new WriteTxn(this.#state.store, this.#state.leases);
    txn.deleteKeys([...lease.keys.keys()]);
    this.#state.leases.remove(lease);
    this.#commit(txn);
  }

  /** Runs a transaction; the header of its answer is completed. */
  #write<Response extends { readonly header: Partial<ResponseHeader> }>(
    run: (txn: WriteTxn) => Response,
  ): Response {
    const txn = new WriteTxn(this.#state.store, this.#state.leases);
    const response = run(txn);
    this.#commit(txn);
    return { ...response, header: this.header() };
  }

  #commit(txn: WriteTxn): void {
    const changes = txn.commit();
    if (changes.length > 0) this.#watches.notify(changes);
  }
}

/** A put alone looks for its lease before its key; in a transaction it is the other way round. @throws GrpcError */
function checkLeaseFirst({ lease }: PutRequest, { leases }: MemberState): void {
  if (leaseText(lease) !== undefined && leases.get(lease) === undefined) throw serverError('leaseNotFound');
}
