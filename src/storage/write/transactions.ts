/**
 * Writes: one etcd transaction each, guarded so that it can take effect once at most. When the answer is lost
 * (deadline, connection, leader), lost-answers.ts finds out what became of it; if nothing did, it is sent again. A
 * refusal that follows a lost answer is settled the same way, for it may be our own first sending that stands in
 * the way. When nothing can be learnt in time, the caller gets `timeout` and nothing is claimed.
 */
import type { Clock } from '../../base/clock.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { toEtcdError, toStorageError } from '../etcd/etcd-error.ts';
import type { KeyValue, TxnResponse } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/messages.ts';
import type { StorageLogger, StorageTimes } from '../options.ts';
import type { CollectionId, Condition, ObjectKey, Revision, StorageError, WriteReceipt } from '../types.ts';
import type { EntryReader } from '../view/entry.ts';
import { FullDatabaseNotice } from './full-database.ts';
import {
  conditionFailure,
  isConditionMet,
  refusal,
  transactionOf,
  type GuardedWrite,
} from './guarded-write.ts';
import { LostAnswers, unknownOutcome, type LostAnswersDependencies } from './lost-answers.ts';
import { MarkMaker } from './mark.ts';

export interface TransactionDependencies extends LostAnswersDependencies {
  readonly entries: EntryReader;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly logger: StorageLogger;
}

/**
 * Bytes of writes under way. A burst waits here and not on its way to etcd or in it, where the deadlines would run out
 * all at once; etcd's throughput is reached with far less. The wait is bounded by the deadlines of those who ask.
 */
const bytesAtOnce = 1024 * 1024;
/** What every write counts for, however small it is: no more than 256 are under way. */
const leastWeight = bytesAtOnce / 256;

export class Transactions {
  readonly #deps: TransactionDependencies;
  readonly #lost: LostAnswers;
  readonly #marks = new MarkMaker();
  readonly #room = new Semaphore(bytesAtOnce);
  readonly #fullDatabase: FullDatabaseNotice;
  #ambiguous = 0;

  constructor(deps: TransactionDependencies) {
    this.#deps = deps;
    this.#fullDatabase = new FullDatabaseNotice(deps);
    this.#lost = new LostAnswers(deps);
  }

  /** How many writes lost their answer. */
  get ambiguous(): number {
    return this.#ambiguous;
  }

  create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    condition?: Condition,
  ): Promise<WriteReceipt> {
    return this.#inTurn({ kind: 'create', collection, key, expected: 0, bytes, condition });
  }

  update(collection: CollectionId, key: ObjectKey, bytes: Buffer, expected: Revision): Promise<WriteReceipt> {
    return this.#inTurn({ kind: 'update', collection, key, expected, bytes });
  }

  delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt> {
    return this.#inTurn({ kind: 'delete', collection, key, expected, bytes: undefined });
  }

  #inTurn(about: Omit<GuardedWrite, 'mark' | 'since'>): Promise<WriteReceipt> {
    return this.#room.use(() => this.#write(about), Math.max(leastWeight, about.bytes?.length ?? 0));
  }

  async #write(about: Omit<GuardedWrite, 'mark' | 'since'>): Promise<WriteReceipt> {
    const { view, times, clock } = this.#deps;
    const write: GuardedWrite = { ...about, mark: this.#marks.next(), since: view.revision };
    const deadline = clock.monotonic() + times.operation;
    let sentAt = write.since;
    let isAmbiguous = false;
    do {
      const answer = await this.#send(write, sentAt, deadline - clock.monotonic());
      if (answer?.succeeded === true) return receiptOf(write, numberOf(answer.header.revision));
      if (answer !== undefined && !isAmbiguous) {
        sentAt = this.#mayGoOnAt(write, answer);
        continue;
      }
      if (!isAmbiguous) this.#ambiguous += 1;
      isAmbiguous = true;
      const settled = await this.#lost.settle(write);
      if ('doneAt' in settled) return receiptOf(write, settled.doneAt);
      if (answer !== undefined && !isConditionMet(write, answer)) throw conditionFailure(write);
      sentAt = settled.againAt;
    } while (clock.monotonic() < deadline);
    throw unknownOutcome(write, undefined);
  }

  /** Gives undefined when the answer was lost. @throws StorageError when etcd definitely did nothing */
  async #send(write: GuardedWrite, sentAt: Revision, ms: number): Promise<TxnResponse | undefined> {
    const { client, keys, logger } = this.#deps;
    try {
      return await client.txn(transactionOf(keys, write, sentAt), Math.max(ms, 1));
    } catch (error) {
      const etcdError = toEtcdError(error, 'txn');
      if (etcdError.kind === 'noSpace') this.#fullDatabase.tell(etcdError.message);
      if (etcdError.kind !== 'unknown') throw toStorageError(etcdError, write.key);
      logger.warn({ key: write.key, error: etcdError.message }, 'answer to a write is lost');
      return undefined;
    }
  }

  /** After a definite refusal: the revision as of which a creation that only met the fence is sent again. @throws StorageError */
  #mayGoOnAt(write: GuardedWrite, answer: TxnResponse): Revision {
    const kv = answer.responses[0]?.response_range?.kvs[0];
    if (write.kind !== 'create' || kv !== undefined) throw this.#refusal(write, kv);
    if (!isConditionMet(write, answer)) throw conditionFailure(write);
    return numberOf(answer.header.revision);
  }

  #refusal(write: GuardedWrite, kv: KeyValue | undefined): StorageError {
    const { entries } = this.#deps;
    return refusal(write, kv === undefined ? undefined : entries.read(write.collection, write.key, kv));
  }
}

function receiptOf({ mark }: GuardedWrite, revision: Revision): WriteReceipt {
  return { revision, mark };
}
