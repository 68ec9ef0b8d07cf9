/**
 * The metrics of all workers and of their supervisor, to be printed as one by the worker that was asked. What a worker had counted stays in the sums when it ends,
 * as far as it was told at the last scrape: a sum that falls would look like a new start of all of them.
 */
import { SharedRound } from '../base/shared-round.ts';
import { totalOf, type FamilyList } from '../observe/family-list.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { WorkerMetrics } from '../observe/worker-metrics.ts';

export interface MetricTeller {
  /** The metrics of one worker. Rejects when it does not tell them in time. */
  tell(): Promise<MetricSnapshot>;
  readonly isUp: boolean;
}

export class SharedMetrics {
  private readonly own: Pick<FamilyList, 'snapshot'>;
  private readonly workerMetrics: WorkerMetrics;
  private readonly tellers: ReadonlyMap<number, MetricTeller>;
  private readonly last = new Map<number, MetricSnapshot>();
  private departed: Promise<MetricSnapshot> = Promise.resolve([]);
  private readonly round = new SharedRound(() => this.gather());

  /** `tellers` by the number of the worker, asked at every scrape. */
  constructor(
    own: Pick<FamilyList, 'snapshot'>,
    workerMetrics: WorkerMetrics,
    tellers: ReadonlyMap<number, MetricTeller>,
  ) {
    this.own = own;
    this.workerMetrics = workerMetrics;
    this.tellers = tellers;
  }

  /** What one scrape tells; a worker that is silent stands in it with what it told last. */
  snapshots(): Promise<readonly MetricSnapshot[]> {
    return this.round.join();
  }

  /** A worker ended: its counts stay, its state goes. */
  forget(worker: number): void {
    const last = this.last.get(worker);
    this.last.delete(worker);
    if (last === undefined) return;
    this.departed = this.departed.then((before) => joinCounted(before, last));
  }

  private async gather(): Promise<readonly MetricSnapshot[]> {
    const asked = [...this.tellers].filter(([, teller]) => teller.isUp);
    await Promise.all(asked.map(([worker, teller]) => this.askOne(worker, teller)));
    const departed = await this.departed;
    // The supervisor's own come last: where a worker has a family, too, the worker describes it.
    return [...this.last.values(), departed, await this.own.snapshot()];
  }

  private async askOne(worker: number, teller: MetricTeller): Promise<void> {
    try {
      const snapshot = await teller.tell();
      // It may have ended while it told; `forget` has been called then.
      if (!teller.isUp) return;
      this.last.set(worker, snapshot);
      const label = { worker: String(worker) };
      this.workerMetrics.requests.series(label).set(totalOf(snapshot, 'apiserver_request_total'));
    } catch {
      this.workerMetrics.missedScrapes.series({ worker: String(worker) }).add();
    }
  }
}

/** The library that joins is loaded when a worker has ended, for a supervisor is to stay small. */
async function joinCounted(before: MetricSnapshot, last: MetricSnapshot): Promise<MetricSnapshot> {
  const { countedOf, joinSnapshots } = await import('../observe/metric-snapshot.ts');
  return joinSnapshots([before, countedOf(last)]);
}
