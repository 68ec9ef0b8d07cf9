/**
 * The truth about a write whose answer was lost: done, to be done again, or refused.
 *
 * An update or a removal names the revision that it replaces, which never comes back, so that a sending that etcd
 * holds (a member that was frozen passes it on to the new leader when it thaws) takes effect once at most, whatever
 * is sent again. A creation has no such revision: its name may be free again. Therefore the creation fence is written
 * first; every sending made before it is void from then on (see `transactionOf`).
 *
 * Then this replica's view is brought up to the quorum and tells: does a change since the first sending carry our
 * mark? Equal bytes would not prove it, see mark.ts. A removal leaves its mark at a key of its own, in the same
 * transaction, so that of two who remove the same object only one is told that it did.
 */
import { SharedRound } from '../../base/shared-round.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { numberOf } from '../etcd/messages.ts';
import type { FreshnessKeeper } from '../freshness.ts';
import type { KeySpace } from '../keys.ts';
import { StorageError, type Revision } from '../types.ts';
import type { View } from '../view/view.ts';
import type { RecentEvents } from '../watch/recent-events.ts';
import { refusal, removalTrace, type GuardedWrite } from './guarded-write.ts';
import { judgeWrite, type Verdict } from './judgement.ts';

export interface LostAnswersDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly recent: RecentEvents;
  readonly freshness: FreshnessKeeper;
}

/** `againAt`: it was not done, and may be sent again as of that revision. */
export type Settlement = { readonly doneAt: Revision } | { readonly againAt: Revision };

export class LostAnswers {
  readonly #deps: LostAnswersDependencies;
  readonly #fences = new SharedRound<Revision>(() => this.#writeFence());

  constructor(deps: LostAnswersDependencies) {
    this.#deps = deps;
  }

  /**
   * What became of a write, of which no sending is under way.
   * @throws StorageError why it was refused, or `timeout` when nothing can be learnt
   */
  async settle(write: GuardedWrite): Promise<Settlement> {
    const fence = await this.#upToDate(write).catch((error: unknown) => {
      throw unknownOutcome(write, error);
    });
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

  /** Stops creations that are on their way and waits for the newest state. Gives a revision current meanwhile. */
  async #upToDate(write: GuardedWrite): Promise<Revision> {
    const fence = write.kind === 'create' ? await this.#fences.join() : 0;
    await this.#deps.freshness.mostRecent();
    return fence;
  }

  #judge(write: GuardedWrite): Verdict {
    const { view, recent } = this.#deps;
    const ring = recent.ring(write.collection);
    const history = { floor: ring.floor, events: ring.after(write.since, Infinity) };
    return judgeWrite(write, history, view.collection(write.collection).get(write.key));
  }

  async #assertOwnRemoval(write: GuardedWrite, revision: Revision): Promise<void> {
    const { client, keys } = this.#deps;
    const answer = await client.range({ key: keys.lastRemoval(), revision }).catch((error: unknown) => {
      throw unknownOutcome(write, error);
    });
    const trace = answer.kvs[0];
    const isOwn =
      numberOf(trace?.mod_revision ?? 0) === revision && trace?.value.equals(removalTrace(write.mark));
    if (!isOwn) throw refusal(write, this.#deps.view.collection(write.collection).get(write.key));
  }

  async #writeFence(): Promise<Revision> {
    const { client, keys } = this.#deps;
    const answer = await client.put({ key: keys.creationFence(), value: Buffer.from('0') });
    return numberOf(answer.header.revision);
  }
}

/** Nothing is claimed about the write. */
export function unknownOutcome(write: GuardedWrite, cause: unknown): StorageError {
  const message = `whether ${write.key} was written is unknown: etcd did not answer in time`;
  return new StorageError('timeout', message, { key: write.key, cause });
}
