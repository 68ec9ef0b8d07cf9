/**
 * Several processes that serve one port (`--workers`): each a whole replica with its own view of etcd, its own clients
 * of it and its own health. This process starts them, hands connections round, starts again who ends, joins their
 * metrics, and owns what there is once: the own etcd, the PKI, the lock of the data folder, the files that are watched.
 * Controllers run in whichever worker holds their lease, as among replicas.
 *
 * Connections go round in turn (node:cluster's round robin): they live long, so that an uneven share lasts. Of 400 new
 * connections two workers got 50 to 53 % and the rest, and of the requests of 32 lasting ones as much; where both accept
 * from one socket instead, the kernel favours whoever is awake: 63 and 37 %, and 39 and 61 %. Handing on costs a new
 * connection nothing that shows beside its handshake. A worker that stands still gets one connection and no more,
 * for it does not confirm the first; when it is ended, that one goes to another (handed-connections.ts).
 */
import cluster from 'node:cluster';
import { extname, join } from 'node:path';
import { aborted } from '../../base/pause.ts';
import { Metrics } from '../../observe/metrics.ts';
import { createFileReloads, createWorkerMetrics, type WorkerMetrics } from '../../observe/worker-metrics.ts';
import type { CompletedConfig } from '../complete.ts';
import type { Credentials, Serving, ServingParts } from '../serving.ts';
import type { WorkerOrder } from './messages.ts';
import { SharedMetrics } from './shared-metrics.ts';
import { WorkerSlot } from './worker-slot.ts';

/** Beyond the shutdown delay and the longest request, a worker has this long to end. */
const stopGraceMs = 15_000;

/** Resolves when every worker is ready. @throws StartError when one of them cannot start */
export async function startWorkers(config: CompletedConfig, parts: ServingParts): Promise<Serving> {
  const pool = new WorkerPool(config, parts);
  parts.owned.defer(() => pool.close());
  const port = await pool.ready();
  const use: Serving['use'] = (credentials) => {
    pool.use(credentials);
  };
  return { port, use, fileReloads: pool.fileReloads };
}

class WorkerPool {
  readonly fileReloads: Serving['fileReloads'];
  private readonly config: CompletedConfig;
  private readonly parts: ServingParts;
  private readonly slots = new Map<number, WorkerSlot>();
  private readonly workerMetrics: WorkerMetrics;
  private readonly metrics: SharedMetrics;
  private credentials: Credentials;
  /** The port that workers ask for, which may be 0, and the one that they got. */
  private asked: number;
  private port: number | undefined;

  constructor(config: CompletedConfig, parts: ServingParts) {
    this.config = config;
    this.parts = parts;
    this.credentials = parts.credentials;
    this.asked = config.securePort;
    const own = new Metrics({ processMetrics: true });
    this.fileReloads = createFileReloads(own);
    this.workerMetrics = createWorkerMetrics(own);
    this.metrics = new SharedMetrics(own, this.workerMetrics, this.slots);
    const program = join(import.meta.dirname, `worker-main${extname(import.meta.filename)}`);
    cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });
    for (let number = 1; number <= config.workers; number += 1) this.slots.set(number, this.slot(number));
  }

  /** Resolves with the port when all serve. */
  async ready(): Promise<number> {
    const { signal } = this.parts;
    const allUp = Promise.all([...this.slots.values()].map((slot) => slot.firstUp));
    await Promise.race([allUp, aborted(signal)]);
    signal.throwIfAborted();
    if (this.port === undefined) throw new Error('the workers serve no port');
    return this.port;
  }

  /** Tells all workers, and those who will take their place. */
  use(credentials: Credentials): void {
    this.credentials = credentials;
    for (const slot of this.slots.values()) slot.send({ kind: 'credentials', credentials });
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map((slot) => slot.close()));
  }

  private slot(number: number): WorkerSlot {
    const { config, parts } = this;
    const label = { worker: String(number) };
    const { up, restarts, missedScrapes } = this.workerMetrics;
    for (const family of [up, restarts, missedScrapes]) family.cell(label).set(0);
    return new WorkerSlot({
      number,
      logger: parts.logger,
      order: () => this.order(number),
      stopMs: config.shutdownDelayMs + config.requests.timeoutMs + stopGraceMs,
      scrape: () => this.metrics.text(),
      areOthersUp: () => [...this.slots].some(([other, slot]) => other !== number && slot.takesConnections),
      onUp: (port) => {
        this.port ??= port;
        up.cell(label).set(1);
      },
      onDown: () => {
        up.cell(label).set(0);
        this.metrics.forget(number);
      },
      onRestart: () => {
        restarts.cell(label).add();
      },
    });
  }

  private order(number: number): WorkerOrder {
    const { config, credentials, parts } = this;
    return { number, config: { ...config, securePort: this.portToAsk() }, credentials, etcd: parts.etcd };
  }

  /**
   * Workers that ask for port 0 share the one that the first of them got, as long as one of them lives. When none is
   * left it is asked for by its number, and from then on.
   */
  private portToAsk(): number {
    const isHeld = [...this.slots.values()].some((slot) => slot.isUp);
    if (this.port !== undefined && !isHeld) this.asked = this.port;
    return this.asked;
  }
}
