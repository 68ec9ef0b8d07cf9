/** The changes of one revision: what a transaction writes, and what it reads of it while it runs. */
import { keyText, rangeOf } from './key-range.ts';
import type { Change } from './key-history.ts';
import type { Leases } from './leases.ts';
import {
  emptyBytes,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type Int64,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type StoredKeyValue,
} from './messages.ts';
import { readRange } from './range.ts';
import type { Store } from './store.ts';

export class WriteTxn {
  readonly #store: Store;
  readonly #leases: Leases;
  readonly #changes: Change[] = [];

  constructor(store: Store, leases: Leases) {
    this.#store = store;
    this.#leases = leases;
  }

  /** The newest revision that the transaction sees: its own once it has written. */
  get revision(): number {
    return this.#store.revision + (this.#changes.length > 0 ? 1 : 0);
  }

  /** @throws GrpcError if the revision cannot be read */
  range(request: RangeRequest): RangeResponse {
    const { revision } = this;
    return { header: { revision }, ...readRange(this.#store, request, revision) };
  }

  /** A put that was checked: what it keeps of the key is there, and so is its lease. */
  put(request: PutRequest): PutResponse {
    const key = keyText(request.key ?? emptyBytes);
    const previous = this.#store.get(key, this.revision);
    const value = request.ignore_value === true ? previous?.value : request.value && copied(request.value);
    const lease = request.ignore_lease === true ? previous?.lease : request.lease;
    this.#put(key, { value: value ?? emptyBytes, lease: lease ?? 0 }, previous);
    const prev_kv = request.prev_kv === true ? (previous ?? null) : null;
    return { header: { revision: this.revision }, prev_kv };
  }

  deleteRange(request: DeleteRangeRequest): DeleteRangeResponse {
    const found: StoredKeyValue[] = [];
    const keys: string[] = [];
    this.#store.each(rangeOf(request.key, request.range_end), this.revision, (kv, key) => {
      found.push(kv);
      keys.push(key);
    });
    for (const [index, kv] of found.entries()) this.#delete(keys[index] ?? '', kv);
    const prev_kvs = request.prev_kv === true ? found : [];
    return { header: { revision: this.revision }, deleted: found.length, prev_kvs };
  }

  /** Removes a key that is there. @param kv what it is now */
  deleteKey(key: string, kv: StoredKeyValue): void {
    this.#delete(key, kv);
  }

  /** Removes keys of a lease. */
  deleteKeys(keys: Iterable<string>): void {
    for (const key of keys) {
      const kv = this.#store.get(key, this.revision);
      if (kv !== undefined) this.#delete(key, kv);
    }
  }

  /** Makes the changes a revision; returns them, none if there is no new revision. */
  commit(): readonly Change[] {
    if (this.#changes.length > 0) this.#store.commit();
    return this.#changes;
  }

  #put(
    key: string,
    { value, lease }: { readonly value: Buffer; readonly lease: Int64 },
    previous: StoredKeyValue | undefined,
  ): void {
    const revision = this.#store.revision + 1;
    this.#add({
      type: 0,
      key,
      kv: {
        // A key's bytes are kept once, by its oldest version.
        key: previous?.key ?? Buffer.from(key, 'latin1'),
        create_revision: previous?.create_revision ?? revision,
        mod_revision: revision,
        version: (previous?.version ?? 0) + 1,
        value,
        lease,
      },
    });
    if (previous !== undefined) this.#leases.detach(previous.lease, key);
    this.#leases.attach(lease, key);
  }

  #delete(key: string, { key: bytes, lease }: StoredKeyValue): void {
    this.#add({
      type: 1,
      key,
      kv: {
        key: bytes,
        create_revision: 0,
        mod_revision: this.#store.revision + 1,
        version: 0,
        value: emptyBytes,
        lease: 0,
      },
    });
    this.#leases.detach(lease, key);
  }

  #add(change: Change): void {
    this.#store.add(change);
    this.#changes.push(change);
  }
}

/** Requests may be views into buffers that are used again. */
function copied(value: Buffer): Buffer {
  return value.length === 0 ? emptyBytes : Buffer.from(value);
}
