/**
 * Determines the outcome of a write whose response was lost: done, to be retried, or failed. An update or deletion
 * requires the revision that it replaces, which never recurs. So an attempt that etcd delays (a frozen member
 * forwards it to the new leader when it resumes) takes effect at most once, even if retried. A creation has no such
 * revision: its name may become free again. Therefore the creation fence is written first, which voids all earlier
 * attempts (see `transactionOf`). Then the view is brought up to the quorum: the write took effect if a change since
 * the first attempt carries its mark. Equal bytes would not prove it, see mark.ts. A deletion writes its mark to a
 * separate key in the same transaction, so that of two clients that delete the same object only one succeeds. In a full
 * etcd it does not, and the outcome stays unknown if nobody else's mark tells it.
 */
import { SharedCall } from '../../base/shared-call.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { EtcdError, toEtcdError } from '../etcd/etcd-error.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { ConsistentReads } from '../consistent-reads.ts';
import type { KeySpace } from '../keys.ts';
import { StorageError, type Revision } from '../types.ts';
import type { View } from '../view/view.ts';
import type { RecentEvents } from '../watch/recent-events.ts';
import { refusal, removalTrace, type GuardedWrite } from './guarded-write.ts';
import { judgeWrite, type Verdict } from './judge-write.ts';

export interface AmbiguousWritesDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly recent: RecentEvents;
  readonly freshness: ConsistentReads;
}

/** `againAt`: it did not take effect and may be retried at that revision. */
export type Resolution = { readonly doneAt: Revision } | { readonly againAt: Revision };

export class AmbiguousWrites {
  readonly #deps: AmbiguousWritesDependencies;
  readonly #fences = new SharedCall<Revision>(() => this.#writeFence());

  constructor(deps: AmbiguousWritesDependencies) {
    this.#deps = deps;
  }

  /**
   * The outcome of a write without an attempt in progress.
   * @throws StorageError of a failed write, or `timeout` if the outcome cannot be determined
   */
  async settle(write: GuardedWrite): Promise<Resolution> {
    const fence = await this.#upToDate(write).catch((error: unknown) => {
      throw unknownOutcome(write, error);
    });
    if (this.#deps.view.past.epoch !== write.past.epoch)
      throw unknownOutcome(write, new EtcdError('otherPast', 'etcd has another past'));
    const verdict = this.#judge(write);
    switch (verdict.kind) {
      case 'done':
        return { doneAt: verdict.revision };
      case 'removed':
        await this.#assertOwnRemoval(write, verdict.revision);
        return { doneAt: verdict.revision };
      case 'notDone':
        return { againAt: fence };
      case 'refused':
        throw verdict.error;
      case 'unknown':
        throw unknownOutcome(write, undefined);
    }
  }

  /** Voids creations in flight and waits for the newest state. Returns a revision that was current meanwhile. */
  async #upToDate(write: GuardedWrite): Promise<Revision> {
    const fence = write.kind === 'create' ? await this.#fences.join() : 0;
    await this.#deps.freshness.mostRecent();
    return fence;
  }

  #judge(write: GuardedWrite): Verdict {
    const { view, recent } = this.#deps;
    const ring = recent.ring(write.collection);
    const history = { floor: ring.floor, events: ring.after(write.since, Infinity) };
    const collection = view.collection(write.collection);
    return judgeWrite(write, history, collection.get(write.key) ?? collection.unreadable.get(write.key));
  }

  async #assertOwnRemoval(write: GuardedWrite, revision: Revision): Promise<void> {
    const { client, keys } = this.#deps;
    const answer = await client.range({ key: keys.lastRemoval(), revision }).catch((error: unknown) => {
      throw unknownOutcome(write, error);
    });
    const trace = answer.kvs[0];
    const isTraced = numberOf(trace?.mod_revision ?? 0) === revision;
    if (!isTraced && write.isTraceless === true) throw unknownOutcome(write, undefined);
    const isOwn = isTraced && trace?.value.equals(removalTrace(write.mark));
    if (!isOwn) throw refusal(write, this.#deps.view.collection(write.collection).get(write.key));
  }

  #writeFence(): Promise<Revision> {
    const { client, keys } = this.#deps;
    return client.fence(keys.creationFence());
  }
}

/** The error of a write that was decided on a past that etcd no longer has. */
export function otherPastError({ key }: GuardedWrite): StorageError {
  const message = `${key} was not written: etcd was restored or replaced; try again`;
  return new StorageError('unavailable', message, { key });
}

/** The error of an unknown outcome. */
export function unknownOutcome(write: GuardedWrite, cause: unknown): StorageError {
  const isOther = cause instanceof Error && toEtcdError(cause, 'txn').kind === 'otherPast';
  const why = isOther ? 'etcd was restored or replaced meanwhile' : 'etcd did not answer in time';
  const message = `whether ${write.key} was written is unknown: ${why}`;
  return new StorageError('timeout', message, { key: write.key, cause });
}
