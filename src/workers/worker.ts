/** The worker side: runs a replica or controllers by order of the supervisor. */
import { systemClock } from '../base/clock.ts';
import { aborted } from '../base/pause.ts';
import { PendingRequests } from '../base/pending-requests.ts';
import { serviceUnavailable } from '../meta/status.ts';
import { createLogger, type RootLogger } from '../observe/log.ts';
import { sendParts } from '../observe/metric-parts.ts';
import type { Metrics } from '../observe/metrics.ts';
import {
  joinSnapshots,
  printed,
  type FamilySnapshot,
  type MetricSnapshot,
  type MetricsText,
} from '../observe/metric-snapshot.ts';
import { startErrorDetails } from '../base/start-error.ts';
import type { Credentials } from '../options/credentials.ts';
import {
  logFd,
  type ControllersTask,
  type FromWorker,
  type ServeTask,
  type ToWorker,
  type WorkerKind,
  type WorkerOrder,
} from './worker-messages.ts';

/** Timeout for the metrics of all workers; longer than that of a single worker. */
const scrapeMs = 5_000;
/** Between signs of life. */
const aliveMs = 1_000;

/** Parameters of a task. */
export interface TaskParts {
  readonly logger: RootLogger;
  /** File descriptor of the log. */
  readonly logFd: number;
  readonly signal: AbortSignal;
  readonly owned: AsyncDisposableStack;
  readonly shareMetrics: (own: Metrics) => SharedMetricsText;
  /** Tells that the state is loaded. Resolves when this one may listen, or is to stop. */
  readonly loaded: () => Promise<void>;
}

/** Metrics of several processes, as their text and without those of this one. */
export interface SharedMetricsText extends MetricsText {
  others(): Promise<MetricSnapshot>;
}

export interface Running {
  readonly port: number;
  /** Rejects when the work ends unexpectedly. */
  readonly running?: Promise<void>;
  use?(credentials: Credentials): void;
}

/**
 * Starts a task.
 * @throws StartError if it cannot start
 */
type Start<Task> = (task: Task, parts: TaskParts) => Promise<Running>;

/** The tasks of workers, loaded on demand. */
export interface Runners {
  readonly serve: () => Promise<Start<ServeTask>>;
  readonly controllers: () => Promise<Start<ControllersTask>>;
}

/** Runs from the start order to the stop order. `send` resolves when the message is sent. */
export class WorkerLife {
  private readonly kind: WorkerKind;
  private readonly runners: Runners;
  private readonly send: (message: FromWorker) => Promise<void>;
  private readonly stopping = new AbortController();
  private readonly started = Promise.withResolvers<WorkerOrder>();
  private readonly mayListen = Promise.withResolvers<undefined>();
  private readonly scrapes = new PendingRequests<FamilySnapshot>(systemClock);
  private own: Metrics | undefined;
  /** Its own metrics as they were last collected: delays of the event loop are those since they were read before. */
  private collected: MetricSnapshot | undefined;
  private running: Running | undefined;
  private credentials: Credentials | undefined;

  constructor(kind: WorkerKind, runners: Runners, send: (message: FromWorker) => Promise<void>) {
    this.kind = kind;
    this.runners = runners;
    this.send = send;
  }

  /** Handles a message of the supervisor. */
  hear(message: ToWorker): void {
    switch (message.kind) {
      case 'start':
        this.started.resolve(message.order);
        return;
      case 'credentials':
        this.credentials = message.credentials;
        this.running?.use?.(message.credentials);
        return;
      case 'listen':
        this.mayListen.resolve(undefined);
        return;
      case 'collect':
        void this.sendMetrics(message.id);
        return;
      case 'scraped':
        this.scrapes.answer(message.id, message.part, message.isLast);
        return;
      case 'stop':
        this.stop();
    }
  }

  /** Stops the work gracefully. Idempotent. */
  stop(): void {
    this.stopping.abort();
  }

  /** Resolves when everything has stopped; an error has been reported then. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    // Loaded while the supervisor prepares the order.
    const loading = this.runners[this.kind]();
    await this.send({ kind: 'hello' });
    void this.giveSigns();
    await loading;
    const order = await Promise.race([this.started.promise, aborted(signal)]);
    if (order === undefined) return;
    const owned = new AsyncDisposableStack();
    try {
      const running = await this.start(order, owned);
      this.running = running;
      if (this.credentials) running.use?.(this.credentials);
      await this.send({ kind: 'serving', port: running.port });
      await Promise.race([aborted(signal), failureOf(running)]);
    } catch (error) {
      if (!signal.aborted) await this.send({ kind: 'errors', errors: startErrorDetails(error) });
    } finally {
      await owned.disposeAsync();
    }
  }

  /** For as long as the process lives. The next one waits for the last, so that none pile up while the supervisor stands still. */
  private async giveSigns(): Promise<void> {
    await this.send({ kind: 'alive' });
    systemClock.setTimeout(() => void this.giveSigns(), aliveMs).unref();
  }

  private async start(order: WorkerOrder, owned: AsyncDisposableStack): Promise<Running> {
    const { count, logLevel: level, logFormat: format, number, task, logFd: fd = logFd } = order;
    const name = task.kind === 'serve' && task.feeds !== undefined ? 'thread' : 'worker';
    const fields = count > 1 ? { [name]: number } : {};
    const logger = createLogger({ clock: systemClock, level, format, fd, fields });
    const { signal } = this.stopping;
    const parts = {
      logger,
      logFd: fd,
      signal,
      owned,
      shareMetrics: (own: Metrics): SharedMetricsText => this.share(own),
      loaded: async (): Promise<void> => {
        await this.send({ kind: 'loaded' });
        await Promise.race([this.mayListen.promise, aborted(signal)]);
      },
    };
    if (task.kind === 'serve') return (await this.runners.serve())(task, parts);
    return (await this.runners.controllers())(task, parts);
  }

  /** The content of `/metrics`: the metrics of this worker, and from the supervisor those of all others. */
  private share(own: Metrics): SharedMetricsText {
    this.own = own;
    const late = (): Error => serviceUnavailable('the metrics of the workers did not arrive in time');
    const scrapeOthers = (): Promise<MetricSnapshot> =>
      this.scrapes.request((number) => void this.send({ kind: 'scrape', id: number }), scrapeMs, late);
    const pieces = async (): Promise<Iterable<string>> => {
      // The supervisor collects those of this worker, too.
      const others = await scrapeOthers();
      return printed(await joinSnapshots([...(this.collected ?? (await own.snapshot())), ...others]));
    };
    return { contentType: own.contentType, pieces, others: scrapeOthers };
  }

  private async sendMetrics(id: number): Promise<void> {
    this.collected = (await this.own?.snapshot()) ?? [];
    await sendParts(this.collected, (part, isLast) => this.send({ kind: 'metrics', id, part, isLast }));
  }
}

/** Never resolves. */
async function failureOf({ running }: Running): Promise<never> {
  await running;
  return new Promise(() => undefined);
}
