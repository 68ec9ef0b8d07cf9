/**
 * A replica of several threads: this one follows etcd, runs what a replica does beside requests, and feeds the threads
 * that serve (`--serving-threads`).
 */
import { createServer } from 'node:net';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { StartError } from '../base/start-error.ts';
import { levelOfVerbosity } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import { deferNamed } from '../observe/slow-stop.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Credentials } from '../options/credentials.ts';
import type { Serving } from '../workers/serving.ts';
import { ThreadPool } from '../workers/thread-pool.ts';
import type { ServeTask } from '../workers/worker-messages.ts';
import type { SharedMetricsText } from '../workers/worker.ts';
import { buildReplica } from './build-replica.ts';
import { listenError } from './listen.ts';
import { servingThreadProgram } from './programs.ts';
import { finishStart, loadState, ownParts, type ReplicaParts } from './replica.ts';
import { reportStart } from './start-hooks.ts';

/** Time to stop in addition to the shutdown delay and the request timeout. */
const stopGraceMs = 10_000;

export interface ThreadedParts extends Omit<ReplicaParts, 'shareMetrics'> {
  readonly shareMetrics?: (own: Metrics) => SharedMetricsText;
  /** File descriptor of the log. */
  readonly logFd: number;
}

/**
 * Resolves when all threads serve.
 * @throws StartError if etcd or the address cannot be used
 */
export async function startThreadedReplica(
  config: CompletedConfig,
  { shareMetrics, ...parts }: ThreadedParts,
): Promise<Serving> {
  const { logger, owned, signal, etcd } = parts;
  const port = await freePort(config);
  let metrics: () => Promise<MetricSnapshot> = () => Promise.resolve([]);
  const replica = await buildReplica(config, {
    ...parts,
    shareMetrics: (own) => {
      const shared = shareMetrics?.(own);
      metrics = async () => [...(await own.snapshot()), ...((await shared?.others()) ?? [])];
      return own;
    },
  });
  ownParts(replica, owned, logger);
  let { credentials } = parts;
  const task = (
    listensEarly: boolean,
    replace: () => void,
  ): ServeTask & { readonly feeds: readonly MessagePort[] } => {
    const channels = replica.storages.map(() => new MessageChannel());
    for (const [i, { port1 }] of channels.entries()) {
      // A thread that does not take what it is fed with hangs, or has ended.
      port1.once('close', replace);
      replica.storages[i]?.feed(port1);
    }
    const served = { ...config, securePort: port };
    const feeds = channels.map(({ port2 }) => port2);
    const order = { config: served, credentials, etcd, sharesPort: false, listensEarly, feeds };
    return { kind: 'serve', ...order };
  };
  const pool = new ThreadPool({
    ...{ program: servingThreadProgram, count: config.servingThreads, logger, logFd: parts.logFd },
    ...{ logLevel: levelOfVerbosity(config.verbosity), logFormat: config.logFormat, task },
    stopMs: config.shutdownDelayMs + config.requests.timeoutMs + stopGraceMs,
    metrics: () => metrics(),
  });
  const stop = { clock: parts.environment.clock, logger };
  deferNamed(owned, stop, 'requests of clients, or the shutdown delay', () => pool.close());
  const start = reportStart(replica);
  const failed = pool.allUp(signal);
  failed.catch(() => undefined);
  await loadState(replica, parts);
  start.finished('load');
  const useHere = await finishStart(config, replica, { ...parts, start, port });
  await failed;
  const use = (next: Credentials): void => {
    credentials = next;
    useHere(next);
    pool.broadcast({ kind: 'credentials', credentials: next });
  };
  return { port, use, fileReloads: replica.fileReloads };
}

/** The port of the threads: none of them would notice that another program has it. @throws StartError */
async function freePort(config: CompletedConfig): Promise<number> {
  if (!knowsReusePort())
    throw StartError.of(
      'FLAG_COMBINATION',
      `--serving-threads needs Node 22.12 or newer, and not ${process.version}`,
      'use --workers, or a newer release of Node',
    );
  const { bindAddress: host, securePort, healthCheckPort } = config;
  try {
    const port = await tryPort(host, securePort);
    if (healthCheckPort > 0) await tryPort(host, healthCheckPort);
    return port;
  } catch (error) {
    throw listenError(config, error);
  }
}

function knowsReusePort(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}

function tryPort(host: string, port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
