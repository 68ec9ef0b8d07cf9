/**
 * The space that the database may take. When it is used up, the alarm NOSPACE is raised, and until somebody takes it back
 * everything that needs space is refused. As in etcd, the space of what was compacted comes back by a defragmentation.
 */
import type { PutRequest, RequestOp, TxnRequest } from './messages.ts';

/** What an empty database takes, and the unit in which it grows. */
const emptyBytes = 20_480;
const pageBytes = 4_096;
/** What etcd counts for a key's metadata, and for a lease, beside their bytes. */
const keyOverhead = 256;
export const leaseCost = 64;

export class DatabaseSpace {
  readonly #quota: number;
  readonly #bytesInUse: () => number;
  #largest = 0;

  /** @param quota bytes @param bytesInUse those of all versions now */
  constructor(quota: number, bytesInUse: () => number) {
    this.#quota = quota;
    this.#bytesInUse = bytesInUse;
  }

  /** Bytes on disk. */
  get size(): number {
    this.#largest = Math.max(this.#largest, this.sizeInUse);
    return this.#largest;
  }

  get sizeInUse(): number {
    return emptyBytes + Math.ceil(this.#bytesInUse() / pageBytes) * pageBytes;
  }

  hasRoomFor(cost: number): boolean {
    return this.size + cost < this.#quota;
  }

  defragment(): void {
    this.#largest = 0;
  }
}

/** Bytes that etcd estimates for a put. */
export function putCost({ key, value }: PutRequest): number {
  return keyOverhead + (key?.length ?? 0) + (value?.length ?? 0);
}

/** Bytes that etcd estimates for the puts of a transaction, without those of nested ones. */
export function txnCost({ success = [], failure = [] }: TxnRequest): number {
  return Math.max(opsCost(success), opsCost(failure));
}

function opsCost(ops: readonly RequestOp[]): number {
  return ops.reduce((sum, { request_put: put }) => sum + (put ? putCost(put) : 0), 0);
}
