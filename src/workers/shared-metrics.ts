/**
 * The metrics of all workers and of their supervisor, to be printed as one by the worker that was asked. What a worker had counted stays in the sums when it ends,
 * as far as it was told at the last scrape: a sum that falls would look like a new start of all of them.
 */
import { SharedCall } from '../base/shared-round.ts';
import { totalOf, type FamilyList } from '../observe/family-list.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { WorkerMetrics } from '../observe/worker-metrics.ts';

export interface MetricSource {
  /** The metrics of one worker. Rejects when it does not tell them in time. */
  scrape(): Promise<MetricSnapshot>;
  readonly isUp: boolean;
}

export class SharedMetrics {
  private readonly own: Pick<FamilyList, 'snapshot'>;
  private readonly workerMetrics: WorkerMetrics;
  private readonly sources: ReadonlyMap<number, MetricSource>;
  private readonly last = new Map<number, MetricSnapshot>();
  private departed: Promise<MetricSnapshot> = Promise.resolve([]);
  private readonly round = new SharedCall(() => this.gather());

  /** `sources` by the number of the worker, asked at every scrape. */
  constructor(
    own: Pick<FamilyList, 'snapshot'>,
    workerMetrics: WorkerMetrics,
    sources: ReadonlyMap<number, MetricSource>,
  ) {
    this.own = own;
    this.workerMetrics = workerMetrics;
    this.sources = sources;
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
    const asked = [...this.sources].filter(([, source]) => source.isUp);
    await Promise.all(asked.map(([worker, source]) => this.scrapeOne(worker, source)));
    const departed = await this.departed;
    // The supervisor's own come last: where a worker has a family, too, the worker describes it.
    return [...this.last.values(), departed, await this.own.snapshot()];
  }

  private async scrapeOne(worker: number, source: MetricSource): Promise<void> {
    try {
      const snapshot = await source.scrape();
      // It may have ended while it told; `forget` has been called then.
      if (!source.isUp) return;
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
