/** Supervises workers that serve, or that run controllers: their tasks, and replacements. */
import { systemClock } from '../base/clock.ts';
import { aborted } from '../base/pause.ts';
import { createLogger, type LogFormat, type LogLevel, type Logger } from '../observe/log.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { ControllersConfig } from '../options/controllers/controller-manager-options.ts';
import type { Notify } from '../observe/notice.ts';
import type { Serving, ServingParts } from './serving.ts';
import type { ServeTask } from './worker-messages.ts';
import { WorkerPool } from './pool.ts';

/** Time to stop in addition to the shutdown delay and the request timeout. */
const stopGraceMs = 15_000;

export interface SuperviseOptions {
  /** The file that workers run. */
  readonly program: string;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export interface Supervised {
  /**
   * Resolves when every worker is ready.
   * @throws StartError if a worker cannot start
   */
  serve(parts: Pick<ServingParts, 'credentials' | 'etcd' | 'signal'>): Promise<Serving>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Starts the worker processes, which wait for their task. */
export function superviseServing(config: CompletedConfig, options: SuperviseOptions): Supervised {
  const { workers: count, shutdownDelayMs, requests } = config;
  const stopMs = shutdownDelayMs + requests.timeoutMs + stopGraceMs;
  const pool = new WorkerPool({ kind: 'serve', count, stopMs, ...options });
  return {
    serve: (parts) => serve(pool, config, parts),
    close: () => pool.close(),
  };
}

async function serve(
  pool: WorkerPool,
  config: CompletedConfig,
  { credentials, etcd, signal }: Pick<ServingParts, 'credentials' | 'etcd' | 'signal'>,
): Promise<Serving> {
  let current = credentials;
  let asked = config.securePort;
  const sharesPort = config.workers > 1;
  const task = (listensEarly: boolean): ServeTask => {
    // Workers that ask for port 0 share the one that the first of them got, as long as one of them lives. When none is
    // left it is asked for by its number, and from then on.
    if (pool.port !== undefined && !pool.isUp) asked = pool.port;
    const served = { ...config, securePort: asked };
    return { kind: 'serve', config: served, credentials: current, etcd, sharesPort, listensEarly };
  };
  await pool.begin(task, signal);
  if (pool.port === undefined) throw new Error('the workers serve no port');
  const use: Serving['use'] = (next) => {
    current = next;
    pool.broadcast({ kind: 'credentials', credentials: next });
  };
  return { port: pool.port, use, fileReloads: pool.fileReloads };
}

export interface ControllersOptions {
  /** The file that workers run. */
  readonly program: string;
  /** Stops the controllers. */
  readonly signal: AbortSignal;
  readonly notify: Notify;
}

/**
 * Runs controllers in a worker until the signal.
 * @throws StartError if it cannot start
 */
export async function superviseControllers(
  config: ControllersConfig,
  { program, signal, notify }: ControllersOptions,
): Promise<void> {
  const { logLevel } = config;
  const logger = createLogger({ clock: systemClock, level: logLevel });
  const pool = new WorkerPool({
    ...{ program, kind: 'controllers', count: 1, stopMs: stopGraceMs },
    ...{ logger, logLevel, logFormat: 'json' },
  });
  try {
    await pool.begin(() => ({ kind: 'controllers', config }), signal);
    const names = [...config.controllers];
    notify({
      message: `Running ${names.join(', ')} while this process is the leader.`,
      fields: { controllers: names },
    });
    await aborted(signal);
  } catch (error) {
    // Failures of a cancelled start are expected.
    if (!signal.aborted) throw error;
  } finally {
    await pool.close();
  }
}
