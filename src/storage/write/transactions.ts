/**
 * Writes: one etcd transaction each, guarded by the object's revision, so that it can take effect once at most.
 *
 * When the answer is lost (deadline, connection, leader), the write may have been done, may be done later, or
 * never. Then this replica's view is brought up to the quorum and tells: did the first change after the guarded
 * revision carry our mark? Equal bytes would not prove it, see mark.ts; a removal carries none, but a removal of
 * exactly that revision is all that was asked for, whoever did it. If there was no such change the write is sent
 * again: the guard lets one of the two through. A refusal that follows an answer lost is judged the same way, for
 * it may be our own first write that stands in the way. When nothing can be learnt in time, the caller gets
 * `timeout` and nothing is claimed.
 *
 * Left open: a creation whose first sending surfaces only after its second one was done and removed again; etcd
 * would have to hold it back for the whole time.
 */
import type { Clock } from '../../base/clock.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { toFault, toStorageError } from '../etcd/faults.ts';
import { numberOf, type TxnRequest, type TxnResponse } from '../etcd/messages.ts';
import type { FreshnessKeeper } from '../freshness.ts';
import type { KeySpace } from '../keys.ts';
import type { StorageLogger, StorageTimes } from '../options.ts';
import {
  StorageError,
  type CollectionId,
  type ObjectKey,
  type Revision,
  type WriteReceipt,
} from '../types.ts';
import { entryFrom } from '../view/entry.ts';
import type { View } from '../view/view.ts';
import type { RecentEvents } from '../watch/recent-events.ts';
import { guard, refusal, type GuardedWrite } from './guarded-write.ts';
import { judgeWrite } from './judgement.ts';
import { MarkMaker, withMark } from './mark.ts';

export interface TransactionDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly recent: RecentEvents;
  readonly freshness: FreshnessKeeper;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly logger: StorageLogger;
}

/**
 * A burst of writes waits here and not in etcd, where their deadlines would run out all at once; etcd's throughput
 * is reached with far fewer. The wait is bounded by the deadlines of those who ask.
 */
const writesAtOnce = 256;

export class Transactions {
  readonly #deps: TransactionDependencies;
  readonly #marks = new MarkMaker();
  readonly #slots = new Semaphore(writesAtOnce);
  #ambiguous = 0;

  constructor(deps: TransactionDependencies) {
    this.#deps = deps;
  }

  /** How many writes lost their answer. */
  get ambiguous(): number {
    return this.#ambiguous;
  }

  create(collection: CollectionId, key: ObjectKey, bytes: Buffer): Promise<WriteReceipt> {
    return this.#slots.use(() => this.#write({ kind: 'create', collection, key, expected: 0 }, bytes));
  }

  update(collection: CollectionId, key: ObjectKey, bytes: Buffer, expected: Revision): Promise<WriteReceipt> {
    return this.#slots.use(() => this.#write({ kind: 'update', collection, key, expected }, bytes));
  }

  delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt> {
    return this.#slots.use(() => this.#write({ kind: 'delete', collection, key, expected }, undefined));
  }

  async #write(
    about: Omit<GuardedWrite, 'mark' | 'since'>,
    bytes: Buffer | undefined,
  ): Promise<WriteReceipt> {
    const { view, times, clock } = this.#deps;
    const write = { ...about, mark: this.#marks.next(), since: view.revision };
    const request = this.#request(write, bytes === undefined ? undefined : withMark(bytes, write.mark));
    const deadline = clock.monotonic() + times.operation;
    let isAmbiguous = false;
    for (;;) {
      const answer = await this.#send(request, deadline - clock.monotonic(), write);
      if (answer?.succeeded === true) return { revision: numberOf(answer.header.revision) };
      if (answer !== undefined && !isAmbiguous) throw this.#refusal(write, answer);
      if (!isAmbiguous) this.#ambiguous += 1;
      isAmbiguous = true;
      const revision = await this.#judge(write);
      if (revision !== undefined) return { revision };
      if (clock.monotonic() >= deadline) throw unknownOutcome(write, undefined);
    }
  }

  /** Gives undefined when the answer was lost. @throws StorageError when etcd definitely did nothing */
  async #send(request: TxnRequest, ms: number, write: GuardedWrite): Promise<TxnResponse | undefined> {
    try {
      return await this.#deps.client.txn(request, Math.max(ms, 1));
    } catch (error) {
      const fault = toFault(error, 'txn');
      if (fault.kind !== 'unknown') throw toStorageError(fault, write.key);
      this.#deps.logger.warn({ key: write.key, fault: fault.message }, 'answer to a write is lost');
      return undefined;
    }
  }

  /** The revision of our write; undefined when it was not done and may be sent again. @throws StorageError */
  async #judge(write: GuardedWrite): Promise<Revision | undefined> {
    await this.#deps.freshness.mostRecent().catch((error: unknown) => {
      throw unknownOutcome(write, error);
    });
    const { view, recent } = this.#deps;
    const ring = recent.ring(write.collection);
    const history = { floor: ring.floor, events: ring.after(write.since, Infinity) };
    const verdict = judgeWrite(write, history, view.collection(write.collection).get(write.key));
    switch (verdict.kind) {
      case 'done':
        return verdict.revision;
      case 'notDone':
        return undefined;
      case 'refused':
        throw verdict.error;
      case 'unknown':
        throw unknownOutcome(write, undefined);
    }
  }

  #request(write: GuardedWrite, value: Buffer | undefined): TxnRequest {
    const key = this.#deps.keys.object(write.collection, write.key);
    const change = value === undefined ? { request_delete_range: { key } } : { request_put: { key, value } };
    return { compare: [guard(write, key)], success: [change], failure: [{ request_range: { key } }] };
  }

  #refusal(write: GuardedWrite, answer: TxnResponse): StorageError {
    const kv = answer.responses[0]?.response_range?.kvs[0];
    return refusal(write, kv === undefined ? undefined : entryFrom(write.collection, write.key, kv));
  }
}

function unknownOutcome(write: GuardedWrite, cause: unknown): StorageError {
  return new StorageError(
    'timeout',
    `whether ${write.key} was written is unknown: etcd did not answer in time`,
    {
      key: write.key,
      cause,
    },
  );
}
