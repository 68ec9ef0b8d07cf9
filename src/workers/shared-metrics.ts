/**
 * Aggregates the metrics of all workers and the supervisor for the worker that is scraped. Counters of an ended
 * worker remain in the sums, as of its last scrape: a decreasing sum would look like a restart of all workers.
 */
import { SharedCall } from '../base/shared-call.ts';
import { totalOf, type FamilyList } from '../observe/family-list.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { WorkerMetrics } from '../observe/worker-metrics.ts';

export interface MetricSource {
  /** The metrics of a worker. Rejects after a timeout. */
  scrape(): Promise<MetricSnapshot>;
  readonly isUp: boolean;
}

/** The number of a process, or the name of a thread. */
type WorkerName = number | string;

export class SharedMetrics {
  private readonly own: Pick<FamilyList, 'snapshot'>;
  private readonly workerMetrics: WorkerMetrics;
  private readonly sources: ReadonlyMap<WorkerName, MetricSource>;
  private readonly last = new Map<WorkerName, MetricSnapshot>();
  private departed: Promise<MetricSnapshot> = Promise.resolve([]);
  private readonly round = new SharedCall(() => this.gather());

  /** `sources` by the number or name of the worker, asked at every scrape. */
  constructor(
    own: Pick<FamilyList, 'snapshot'>,
    workerMetrics: WorkerMetrics,
    sources: ReadonlyMap<WorkerName, MetricSource>,
  ) {
    this.own = own;
    this.workerMetrics = workerMetrics;
    this.sources = sources;
  }

  /**
   * The metrics of the supervisor and of all workers but one, which adds its own; the last known ones of a worker that
   * does not respond.
   */
  async others(asking: WorkerName): Promise<MetricSnapshot> {
    const { departed, own } = await this.round.join();
    const others = [...this.last].filter(([worker]) => worker !== asking);
    // The supervisor is last, as the description of a worker takes precedence.
    return [...others.flatMap(([, snapshot]) => snapshot), ...departed, ...own];
  }

  /** A worker ended: its counters are kept, its gauges are dropped. */
  forget(worker: WorkerName): void {
    const last = this.last.get(worker);
    this.last.delete(worker);
    if (last === undefined) return;
    this.departed = this.departed.then((before) => joinCounted(before, last));
  }

  private async gather(): Promise<{ departed: MetricSnapshot; own: MetricSnapshot }> {
    const asked = [...this.sources].filter(([, source]) => source.isUp);
    await Promise.all(asked.map(([worker, source]) => this.scrapeOne(worker, source)));
    return { departed: await this.departed, own: this.own.snapshot() };
  }

  private async scrapeOne(worker: WorkerName, source: MetricSource): Promise<void> {
    try {
      const snapshot = await source.scrape();
      // It may have ended during the scrape; `forget` has been called then.
      if (!source.isUp) return;
      this.last.set(worker, snapshot);
      const label = { worker: String(worker) };
      this.workerMetrics.requests.series(label).set(totalOf(snapshot, 'apiserver_request_total'));
    } catch {
      this.workerMetrics.missedScrapes.series({ worker: String(worker) }).add();
    }
  }
}

/** Loaded after the end of a worker, to keep the supervisor small. */
async function joinCounted(before: MetricSnapshot, last: MetricSnapshot): Promise<MetricSnapshot> {
  const { countedOf, joinSnapshots } = await import('../observe/metric-snapshot.ts');
  return joinSnapshots([...before, ...countedOf(last)]);
}
