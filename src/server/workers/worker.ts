/** A worker of several (`--workers`): a whole replica that gets its orders from the first process. */
import { aborted } from '../../base/pause.ts';
import { serviceUnavailable } from '../../meta/status.ts';
import { createLogger, levelOfVerbosity } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { MetricsText } from '../../observe/snapshot.ts';
import { faultsOf } from '../faults.ts';
import { startReplica } from '../replica.ts';
import type { Credentials, Serving } from '../serving.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './messages.ts';
import { Questions } from './questions.ts';

/** Longest wait for the metrics of all workers; more than the first process waits for each. */
const scrapeMs = 5_000;

/** Serves from the order to start until the order to stop. `send` resolves when the message has left. */
export class WorkerLife {
  private readonly send: (message: FromWorker) => Promise<void>;
  private readonly stopping = new AbortController();
  private readonly started = Promise.withResolvers<WorkerOrder>();
  private readonly scrapes = new Questions<string>();
  private own: Metrics | undefined;
  private serving: Serving | undefined;
  private credentials: Credentials | undefined;

  constructor(send: (message: FromWorker) => Promise<void>) {
    this.send = send;
  }

  /** Takes a message of the first process. */
  hear(message: ToWorker): void {
    switch (message.kind) {
      case 'start':
        this.started.resolve(message.order);
        return;
      case 'credentials':
        this.credentials = message.credentials;
        this.serving?.use(message.credentials);
        return;
      case 'tell':
        void this.tell(message.ask);
        return;
      case 'told':
        this.scrapes.answer(message.ask, message.text);
        return;
      case 'stop':
        this.stopping.abort();
    }
  }

  /** Resolves when everything has stopped; a fault has been told then. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    await this.send({ kind: 'hello' });
    const order = await this.started.promise;
    const owned = new AsyncDisposableStack();
    try {
      this.serving = await this.start(order, owned);
      if (this.credentials) this.serving.use(this.credentials);
      await this.send({ kind: 'serving', port: this.serving.port });
      await aborted(signal);
    } catch (error) {
      if (!signal.aborted) await this.send({ kind: 'faults', faults: faultsOf(error) });
    } finally {
      await owned.disposeAsync();
    }
  }

  private start(order: WorkerOrder, owned: AsyncDisposableStack): Promise<Serving> {
    const { config, credentials, etcd, number } = order;
    const level = levelOfVerbosity(config.verbosity);
    const logger = createLogger({ level, fields: { worker: number } });
    const { signal } = this.stopping;
    const shareMetrics = (own: Metrics): MetricsText => this.share(own);
    return startReplica(config, { credentials, etcd, logger, signal, owned, shareMetrics });
  }

  /** What `/metrics` answers here: the metrics of all, asked of the first process. */
  private share(own: Metrics): MetricsText {
    this.own = own;
    const late = (): Error => serviceUnavailable('the metrics of the workers could not be had in time');
    return {
      contentType: own.contentType,
      text: () => this.scrapes.ask((ask) => void this.send({ kind: 'scrape', ask }), scrapeMs, late),
    };
  }

  private async tell(ask: number): Promise<void> {
    const snapshot = (await this.own?.snapshot()) ?? [];
    await this.send({ kind: 'metrics', ask, snapshot });
  }
}
