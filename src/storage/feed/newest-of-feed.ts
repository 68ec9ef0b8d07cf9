/**
 * The newest revision of etcd as the storage in another thread knows it that feeds this one, so that etcd sees the probes
 * of one. Events come the same way as answers, so that there is nothing to prove here: where the view of the other storage
 * lags behind its answer, that storage sees to it.
 */
import type { Clock } from '../../base/clock.ts';
import { PendingRequests } from '../../base/pending-requests.ts';
import type { Newest, Told } from '../newest.ts';
import type { StorageTimes } from '../options.ts';
import { StorageError } from '../types.ts';
import { RevisionWaiters } from '../view/revision-waiters.ts';
import type { View } from '../view/view.ts';
import type { FromFed, ToldNewest } from './feed-messages.ts';
import { errorOf, type ToldProblem } from './told-problem.ts';

export interface NewestOfFeedDependencies {
  readonly view: View;
  readonly clock: Clock;
  readonly times: StorageTimes;
  readonly tell: (message: FromFed) => void;
  /** Why the view does not go on; '' if it does. */
  readonly trouble: () => string;
}

type Answer = ToldNewest['answer'];

/** With the number of the question. */
interface ToldHere extends Told {
  readonly id: number;
}

export class NewestOfFeed implements Newest<ToldHere> {
  readonly fences = 0;
  readonly #deps: NewestOfFeedDependencies;
  readonly #asked: PendingRequests<Answer>;
  /** Waits for revisions that were told, by the number of the question. */
  readonly #reaching = new Map<number, (why: Error) => void>();
  /** Pasts of etcd, as the other storage counts them. */
  readonly #pasts: RevisionWaiters;
  #epoch = 0;
  #isClosed = false;

  constructor(deps: NewestOfFeedDependencies) {
    this.#deps = deps;
    this.#asked = new PendingRequests(deps.clock);
    this.#pasts = new RevisionWaiters(deps.clock);
  }

  async ask(): Promise<ToldHere> {
    const { tell, times } = this.#deps;
    if (this.#isClosed) throw this.#unavailable('stopped');
    const late = (): Error => this.#unavailable('the thread that follows etcd does not answer');
    let number = 0;
    const send = (id: number): void => {
      number = id;
      tell({ kind: 'askNewest', id });
    };
    // A question of others may be under way there.
    const [answer] = await this.#asked.request(send, 2 * times.operation, late);
    if (answer === undefined) throw this.#unavailable('stopped');
    if ('revision' in answer) return { ...answer, id: number };
    throw errorOf(answer);
  }

  async reach({ id, ...told }: ToldHere): Promise<void> {
    const failed = new Promise<never>((_resolve, reject) => this.#reaching.set(id, reject));
    try {
      await Promise.race([this.#untilReached(told), failed]);
    } finally {
      this.#reaching.delete(id);
    }
  }

  hear({ id, answer }: ToldNewest): void {
    this.#asked.answer(id, [answer], true);
  }

  hearUnreached(id: number, problem: ToldProblem): void {
    this.#reaching.get(id)?.(errorOf(problem));
  }

  async #untilReached({ revision, epoch }: Told): Promise<void> {
    const { view, times, clock, trouble } = this.#deps;
    const deadline = clock.monotonic() + times.operation;
    if (!(await this.#pasts.until(epoch, times.operation)))
      throw this.#unavailable(`the state of etcd is loaded anew: ${trouble()}`);
    if (this.#epoch > epoch) return;
    if (view.revision >= revision && view.loadedAt > 0) return;
    if (await view.waiters.until(revision, deadline - clock.monotonic())) return;
    throw this.#unavailable(`revision ${revision} is not reached: ${trouble() || 'the watch cache lags'}`);
  }

  /** The view has the state of this past. */
  enter(epoch: number): void {
    this.#epoch = epoch;
    this.#pasts.reached(epoch);
  }

  /** Ends all waits. */
  close(): void {
    this.#isClosed = true;
    this.#asked.close();
    this.#pasts.close();
  }

  #unavailable(problem: string): StorageError {
    return new StorageError('unavailable', problem);
  }
}
