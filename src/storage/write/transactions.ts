/**
 * Writes: each is one etcd transaction, guarded so that it takes effect at most once. If the response is lost
 * (deadline, connection, leader), ambiguous-writes.ts determines the outcome; if it did not take effect, it is retried. A
 * conflict after a lost response is settled the same way, as the first attempt itself may have caused it. If the
 * outcome cannot be determined in time, the caller gets `timeout`.
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Random } from '../../base/random.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Transformer } from '../encryption/transformer.ts';
import { toEtcdError, toStorageError } from '../etcd/etcd-error.ts';
import type { Int64, KeyValue, TxnResponse } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { StorageLogger, StorageTimes } from '../options.ts';
import {
  StorageError,
  type Claims,
  type CollectionId,
  type Condition,
  type ObjectKey,
  type Revision,
  type StorageWrites,
  type WriteReceipt,
} from '../types.ts';
import { UnreadableEntry, type EntryReader } from '../view/entry-reader.ts';
import { RefusedWritesNotice } from './refused-writes.ts';
import {
  conditionFailure,
  isConditionMet,
  isOfOtherPast,
  refusal,
  transactionOf,
  type Attempt,
  type GuardedWrite,
} from './guarded-write.ts';
import {
  AmbiguousWrites,
  otherPastError,
  unknownOutcome,
  type AmbiguousWritesDependencies,
} from './ambiguous-writes.ts';
import { refusedBehind } from './judge-write.ts';
import { claimFailure, isNested, takenIn, takenNow } from './claims.ts';
import type { Leases } from './leases.ts';
import { MarkMaker, withMark, type WriteMark } from './mark.ts';

export interface TransactionDependencies extends AmbiguousWritesDependencies {
  readonly entries: EntryReader;
  readonly transformer: Transformer;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: StorageLogger;
  /** The leases of a collection whose objects expire. */
  readonly leasesOf: (collection: CollectionId) => Leases | undefined;
}

type AttemptAnswer = TxnResponse | 'full' | undefined;

/** A write before its first attempt. */
type About = Omit<GuardedWrite, 'mark' | 'since' | 'past' | 'value'> & { readonly bytes: Buffer | undefined };

/**
 * Maximum bytes of writes in flight. A burst waits here instead of in etcd, where all deadlines would expire at once;
 * full throughput of etcd needs far less. The wait is bounded by the request deadlines.
 */
const bytesAtOnce = 1024 * 1024;
/** Minimum weight of a write: at most 256 are in flight. */
const leastWeight = bytesAtOnce / 256;

export class Transactions implements StorageWrites {
  readonly #deps: TransactionDependencies;
  readonly #lost: AmbiguousWrites;
  readonly #marks: MarkMaker;
  readonly #room = new Semaphore(bytesAtOnce);
  readonly #refused: RefusedWritesNotice;
  #ambiguous = 0;

  constructor(deps: TransactionDependencies) {
    this.#deps = deps;
    this.#marks = new MarkMaker(deps.random);
    this.#refused = new RefusedWritesNotice(deps);
    this.#lost = new AmbiguousWrites(deps);
  }

  /** Number of writes whose response was lost. */
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

  /** Writes that take and release keys in their own transaction. */
  claiming(claims: Claims): StorageWrites {
    return {
      create: (collection, key, bytes, condition) =>
        this.#inTurn({ kind: 'create', collection, key, expected: 0, bytes, condition, claims }),
      update: (collection, key, bytes, expected) =>
        this.#inTurn({ kind: 'update', collection, key, expected, bytes, claims }),
      delete: (collection, key, expected) =>
        this.#inTurn({ kind: 'delete', collection, key, expected, bytes: undefined, claims }),
    };
  }

  #inTurn(about: About): Promise<WriteReceipt> {
    return this.#room.use(() => this.#write(about), Math.max(leastWeight, about.bytes?.length ?? 0));
  }

  async #write(about: About): Promise<WriteReceipt> {
    const { view, times, clock } = this.#deps;
    const deadline = clock.monotonic() + times.operation;
    const mark = this.#marks.next();
    const { past, revision: since } = view;
    const sealed = this.#sealed(about, mark);
    const value = sealed instanceof Promise ? await sealed : sealed;
    let write: GuardedWrite = { ...about, mark, value, since, past };
    let sentAt = since;
    let isAmbiguous = false;
    do {
      const answer = await this.#attempt(write, sentAt, deadline);
      if (answer === 'full') {
        write = { ...write, isTraceless: true };
        continue;
      }
      if (answer?.succeeded === true) return receiptOf(write, numberOf(answer.header.revision));
      if (answer !== undefined && isOfOtherPast(write, answer)) throw this.#otherPast(write, isAmbiguous);
      if (answer !== undefined && !isAmbiguous) {
        sentAt = await this.#mayGoOnAt(write, answer);
        continue;
      }
      if (!isAmbiguous) this.#ambiguous += 1;
      isAmbiguous = true;
      const settled = await this.#lost.settle(write);
      if ('doneAt' in settled) return receiptOf(write, settled.doneAt);
      if (answer !== undefined) this.#assertUnhindered(write, answer);
      sentAt = settled.againAt;
    } while (clock.monotonic() < deadline);
    throw unknownOutcome(write, undefined);
  }

  /** The name of the past is another one in etcd: another replica has found that it was restored, or it is not ours. */
  #otherPast(write: GuardedWrite, isAmbiguous: boolean): StorageError {
    const { client, view } = this.#deps;
    const isKnown = view.past.name !== write.past.name || client.epoch !== write.past.epoch;
    if (!isKnown) client.beginOtherPast('a write found that etcd has another past');
    const error = otherPastError(write);
    return isAmbiguous ? unknownOutcome(write, error) : error;
  }

  #attempt(write: GuardedWrite, sentAt: Revision, deadline: number): Promise<AttemptAnswer> {
    const leases = write.kind === 'delete' ? undefined : this.#deps.leasesOf(write.collection);
    if (leases === undefined) return this.#send(write, { sentAt }, deadline);
    return this.#sendLeased(leases, write, { sentAt, deadline });
  }

  /** Attaches the object to a lease: to a new one if etcd no longer has that of earlier writes. */
  async #sendLeased(
    leases: Leases,
    write: GuardedWrite,
    { sentAt, deadline }: { readonly sentAt: Revision; readonly deadline: number },
  ): Promise<AttemptAnswer> {
    const lease = await leaseOf(leases, write);
    try {
      return await this.#send(write, { sentAt, lease }, deadline);
    } catch (error) {
      if (!isLeaseLost(error)) throw error;
      leases.forget(lease);
      return this.#send(write, { sentAt, lease: await leaseOf(leases, write) }, deadline);
    }
  }

  /**
   * Resolves with undefined if the response was lost, and with `full` for a deletion that etcd would take without its trace.
   * @throws StorageError if the write definitely did not take effect
   */
  async #send(write: GuardedWrite, attempt: Attempt, deadline: number): Promise<AttemptAnswer> {
    const { client, keys, clock, logger } = this.#deps;
    if (client.epoch !== write.past.epoch) throw otherPastError(write);
    try {
      const timeoutMs = Math.max(deadline - clock.monotonic(), 1);
      const { kind: operation, collection } = write;
      return await client.txn(transactionOf(keys, write, attempt), { operation, collection, timeoutMs });
    } catch (error) {
      const etcdError = toEtcdError(error, 'txn');
      if (etcdError.kind === 'futureRevision') await this.#assertFree(write);
      this.#refused.report(etcdError);
      if (etcdError.kind === 'noSpace' && write.kind === 'delete' && write.isTraceless !== true)
        return 'full';
      // It may have taken effect there.
      if (etcdError.kind === 'otherPast') throw unknownOutcome(write, etcdError);
      if (etcdError.kind !== 'unknown') throw toStorageError(etcdError, write.key);
      logger.warn({ key: write.key, error: etcdError.message }, 'response to a write is lost');
      return undefined;
    }
  }

  /** After an error of nested claims (`claimParts`). @throws StorageError `claimTaken`, without keys if they are free again */
  async #assertFree({ key, claims }: GuardedWrite): Promise<void> {
    if (claims === undefined || !isNested(claims)) return;
    const taken = await takenNow(this.#deps.client, this.#deps.keys, claims).catch((error: unknown) => {
      throw toStorageError(error, key);
    });
    throw claimFailure(key, taken);
  }

  /**
   * After a definite conflict: the revision at which a creation that only failed on the fence is retried.
   * @throws StorageError
   */
  async #mayGoOnAt(write: GuardedWrite, answer: TxnResponse): Promise<Revision> {
    const kv = answer.responses[0]?.response_range?.kvs[0];
    const isAsExpected = write.kind === 'create' ? kv === undefined : revisionOf(kv) === write.expected;
    if (!isAsExpected) throw await this.#refusal(write, kv);
    this.#assertUnhindered(write, answer);
    if (write.kind !== 'create') throw await this.#refusal(write, kv);
    return numberOf(answer.header.revision);
  }

  /** @throws StorageError if another object hindered the write: it was not as needed, or holds what was wanted */
  #assertUnhindered(write: GuardedWrite, answer: TxnResponse): void {
    if (!isConditionMet(write, answer)) throw conditionFailure(write);
    const taken = takenIn(write.claims, answer, write.condition === undefined ? 1 : 2);
    if (taken.length > 0) throw claimFailure(write.key, taken);
  }

  async #refusal(write: GuardedWrite, kv: KeyValue | undefined): Promise<StorageError> {
    if (kv === undefined) return refusal(write, undefined);
    const { entries } = this.#deps;
    await entries.prepare([kv]);
    const current = entries.read(write.collection, write.key, kv);
    if (!(current instanceof UnreadableEntry)) return refusal(write, current);
    return refusedBehind(write, current);
  }

  /** The value in etcd: with the mark, encrypted if a rule says so. @throws StorageError `unavailable` */
  #sealed({ collection, key, bytes }: About, mark: WriteMark): MaybePromise<Buffer | undefined> {
    if (bytes === undefined) return undefined;
    const { transformer, keys } = this.#deps;
    const failure = (error: unknown): StorageError => {
      const message = `${collection}/${key} cannot be encrypted: ${messageOf(error)}`;
      return new StorageError('unsealable', message, { key, cause: error });
    };
    try {
      const value = transformer.seal(collection, keys.object(collection, key), withMark(bytes, mark));
      if (!(value instanceof Promise)) return value;
      return value.catch((error: unknown) => {
        throw failure(error);
      });
    } catch (error) {
      throw failure(error);
    }
  }
}

/** @throws StorageError if etcd grants no lease: an object without one would stay for ever */
async function leaseOf(leases: Leases, { key }: GuardedWrite): Promise<Int64> {
  try {
    return await leases.take();
  } catch (error) {
    throw toStorageError(error, key);
  }
}

function isLeaseLost(error: unknown): boolean {
  if (!(error instanceof StorageError) || error.cause === undefined) return false;
  return toEtcdError(error.cause, 'txn').kind === 'leaseNotFound';
}

function receiptOf({ mark }: GuardedWrite, revision: Revision): WriteReceipt {
  return { revision, mark };
}

function revisionOf(kv: KeyValue | undefined): Revision | undefined {
  return kv && numberOf(kv.mod_revision);
}
