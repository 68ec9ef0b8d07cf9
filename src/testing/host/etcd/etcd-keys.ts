/** Reads and writes the keys of a control plane in a real etcd. */
import type { Clock } from '../../../base/clock.ts';
import { GrpcLine } from '../../../storage/etcd/grpc-line.ts';
import type { EtcdLine } from '../../../storage/etcd/etcd-line.ts';
import {
  leaseGrantMethod,
  leaseTimeToLiveMethod,
  numberOf,
  rangeMethod,
  txnMethod,
  type UnaryMethod,
} from '../../../storage/etcd/etcd-messages.ts';
import type { Int64, KeyValue, RangeResponse, RequestOp } from '../../../storage/etcd/message-types.ts';
import type { EtcdTls } from '../../../storage/options.ts';

export interface StoredKey {
  readonly value: Buffer;
  /** 0 if it has none. */
  readonly lease: Int64;
}

/** By their whole text, one character for each byte. */
export type StoredKeys = ReadonlyMap<string, StoredKey>;

/** undefined: the key is removed. */
export type KeyChanges = ReadonlyMap<string, StoredKey | undefined>;

const callMs = 10_000;
const pageKeys = 200;
/** Less than etcd takes in a transaction: 128 operations, 1.5 MiB. */
const batchKeys = 100;
const batchBytes = 512 * 1024;

export class EtcdKeys {
  readonly #servers: readonly string[];
  readonly #tls: EtcdTls | undefined;
  readonly #clock: Clock;
  #line: EtcdLine | undefined;

  constructor(servers: readonly string[], tls: EtcdTls | undefined, clock: Clock) {
    this.#servers = servers;
    this.#tls = tls;
    this.#clock = clock;
  }

  /** Connects to a member. @throws EtcdError */
  readonly connect = (url: string, timeoutMs: number): Promise<EtcdLine> =>
    GrpcLine.connect(url, { clock: this.#clock, tls: this.#tls }, timeoutMs);

  /** The keys below a prefix, all at one revision. */
  async read(prefix: string): Promise<StoredKeys> {
    const found = new Map<string, StoredKey>();
    const range_end = Buffer.from(endOf(prefix), 'latin1');
    let revision = 0;
    for (let key: Buffer | undefined = Buffer.from(prefix, 'latin1'); key !== undefined;) {
      const page: RangeResponse = await this.#call(rangeMethod, {
        key,
        range_end,
        limit: pageKeys,
        revision,
      });
      revision = numberOf(page.header.revision);
      for (const kv of page.kvs) found.set(kv.key.toString('latin1'), storedOf(kv));
      const last = page.kvs.at(-1)?.key;
      key = page.more && last ? Buffer.concat([last, Buffer.of(0)]) : undefined;
    }
    return found;
  }

  /**
   * Few changes are one revision, many are one for every hundred. A key whose lease is over is not put.
   * @returns the keys that were written
   */
  async write(changes: KeyChanges): Promise<readonly string[]> {
    const isAlive = await this.#liveLeases(changes);
    const written: string[] = [];
    let batch: RequestOp[] = [];
    let bytes = 0;
    for (const [key, stored] of changes) {
      if (stored !== undefined && !isAlive(stored.lease)) continue;
      const size = key.length + (stored?.value.length ?? 0);
      if (batch.length === batchKeys || (batch.length > 0 && bytes + size > batchBytes)) {
        await this.#commit(batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(operationOf(Buffer.from(key, 'latin1'), stored));
      bytes += size;
      written.push(key);
    }
    if (batch.length > 0) await this.#commit(batch);
    return written;
  }

  /** How long a key with this lease stays, in milliseconds; undefined without one. */
  async leftMs(lease: Int64): Promise<number | undefined> {
    if (String(lease) === '0') return undefined;
    const { TTL } = await this.#call(leaseTimeToLiveMethod, { ID: lease });
    return Math.max(0, numberOf(TTL) * 1_000);
  }

  /** A lease of its own, in whole seconds. */
  async grant(ms: number): Promise<Int64> {
    return (await this.#call(leaseGrantMethod, { TTL: Math.max(1, Math.ceil(ms / 1_000)) })).ID;
  }

  close(): void {
    this.#line?.close(0);
    this.#line = undefined;
  }

  async #commit(success: readonly RequestOp[]): Promise<void> {
    await this.#call(txnMethod, { compare: [], success, failure: [] });
  }

  async #liveLeases(changes: KeyChanges): Promise<(lease: Int64) => boolean> {
    const leases = new Map<string, Int64>();
    for (const stored of changes.values()) if (stored) leases.set(String(stored.lease), stored.lease);
    leases.delete('0');
    const over = new Set<string>();
    for (const [text, ID] of leases) {
      const { TTL } = await this.#call(leaseTimeToLiveMethod, { ID });
      if (numberOf(TTL) <= 0) over.add(text);
    }
    return (lease) => !over.has(String(lease));
  }

  async #call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const line = this.#line?.isUp === true ? this.#line : await this.#anyLine();
    this.#line = line;
    return line.call(method, request, callMs);
  }

  async #anyLine(): Promise<EtcdLine> {
    let why: unknown;
    for (const url of this.#servers) {
      try {
        return await this.connect(url, callMs);
      } catch (error) {
        why = error;
      }
    }
    throw why;
  }
}

function storedOf(kv: KeyValue): StoredKey {
  const { lease } = kv as KeyValue & { readonly lease: Int64 };
  // A view into the message would keep all of it.
  return { value: Buffer.from(kv.value), lease: String(lease) === '0' ? 0 : lease };
}

function operationOf(key: Buffer, stored: StoredKey | undefined): RequestOp {
  return stored === undefined ? { request_delete_range: { key } } : { request_put: { key, ...stored } };
}

/** The first text behind all that begin with the prefix. */
function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
