/**
 * The service from start to end.
 *
 *   start   data folder ─▶ PKI ─▶ own etcd ─▶ listening ─▶ storage follows ─▶ start hooks ─▶ ready
 *             lock           (where not given)  (health only) (state loaded)    namespaces     controllers, files watched
 *
 *   stop    signal ─▶ controllers end ─▶ readyz fails ─▶ shutdown delay ─▶ no new connections ─▶ requests done ─▶ storage ─▶ own etcd ─▶ lock
 *                     (balancers      (still serving)   watches end           (or cut after    closed     stopped    gone
 *                      look away)                                              their timeout)
 *
 * The part from `listening` to `ready`, and back to `storage closed`, is the lifecycle of a replica: in this process
 * (`replica.ts`) or in supervised workers (`src/workers/pool.ts`). An error before `start hooks` ends the start and
 * releases everything. The service's own etcd is restarted if it exits later.
 */
import { systemEnvironment } from '../base/environment.ts';
import type { ExtendExpress } from '../http/express-shell.ts';
import { refuseFewFiles } from './open-files.ts';
import { aborted } from '../base/pause.ts';
import { StartError } from '../base/start-error.ts';
import { createLogger, levelOfVerbosity, type Logger, type RootLogger } from '../observe/log.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import { keepCertificates } from './certificate-renewal.ts';
import { watchCredentials } from './credential-files.ts';
import { reachable } from './local-host.ts';
import { preparePrerequisites } from './prerequisites.ts';
import type { Notice, Notify } from '../observe/notice.ts';
import { workerProgram } from './programs.ts';
import type { Serving, ServingParts } from '../workers/serving.ts';

export interface RunOptions {
  /** Stops the service gracefully. */
  readonly signal: AbortSignal;
  /** Receives notices for the operator. */
  readonly notify: Notify;
  /**
   * Serves in supervised processes even with one worker, so that a crash does not end the service. Otherwise this
   * process serves unless there are several workers.
   */
  readonly supervised?: boolean;
  /**
   * Adds middleware and routers of the program to the Express application, before and beside the API. Only if this
   * process serves, as functions cannot be sent to workers.
   */
  readonly extendExpress?: ExtendExpress;
}

/**
 * Runs the service until the signal.
 * @throws StartError if it cannot start
 * @throws TypeError for `extendExpress` with workers
 */
export async function runServer(config: CompletedConfig, options: RunOptions): Promise<void> {
  const { signal } = options;
  const owned = new AsyncDisposableStack();
  keepAwake(owned);
  try {
    const { logger, ...served } = await start(config, options, owned);
    options.notify(greeting(config, served));
    await aborted(signal);
    logger.info('stopping');
  } catch (error) {
    // Failures of a cancelled start are expected.
    if (!signal.aborted) throw error;
  } finally {
    await owned.disposeAsync();
  }
}

/** Keeps the process alive until the service has stopped, as timers elsewhere are unreferenced. */
function keepAwake(owned: AsyncDisposableStack): void {
  const timer = setInterval(() => undefined, 60_000);
  owned.defer(() => {
    clearInterval(timer);
  });
}

interface Started {
  readonly logger: Logger;
  readonly port: number;
  /** Path of the administrator's kubeconfig; undefined if the PKI is external. */
  readonly kubeconfig: string | undefined;
}

async function start(
  config: CompletedConfig,
  { signal, supervised = false, extendExpress }: RunOptions,
  owned: AsyncDisposableStack,
): Promise<Started> {
  refuseFewFiles();
  const { clock } = systemEnvironment;
  const logger = createLogger({
    ...{ clock, level: levelOfVerbosity(config.verbosity), format: config.logFormat },
  });
  for (const warning of config.flagWarnings) logger.warn(warning);
  const hasWorkers = supervised || config.workers > 1;
  assertThreadsFit(config);
  if (hasWorkers && extendExpress) throw new TypeError('extendExpress needs a service without workers');
  const serve = hasWorkers ? await byWorkers(config, logger, owned) : here(config, extendExpress);
  const prerequisites = await preparePrerequisites(config, { logger, signal, owned });
  const { credentials, etcd } = prerequisites;
  const serving = await serve({ credentials, etcd, logger, signal, owned });
  owned.defer(watchCredentials(config, { credentials, logger, clock, serving }));
  const renewed = async (): Promise<string | undefined> => prerequisites.writeKubeconfig?.(serving.port);
  const kubeconfig = await renewed();
  const { pki } = prerequisites;
  if (pki !== undefined) owned.defer(keepCertificates({ pki, clock, logger, renewed }));
  return { logger, port: serving.port, kubeconfig };
}

type Serve = (parts: ServingParts) => Promise<Serving>;

/** @throws StartError for flags that cannot be together */
function assertThreadsFit({ servingThreads, workers }: CompletedConfig): void {
  if (servingThreads === 1 || workers === 1) return;
  const cause = '--serving-threads cannot be together with --workers';
  throw StartError.of('FLAG_COMBINATION', cause, 'leave one of them out');
}

/** Serving code is loaded only in serving processes. */
function here(config: CompletedConfig, extendExpress: ExtendExpress | undefined): Serve {
  return async (parts) => {
    const { serveByThreads } = await import('./serve-by-threads.ts');
    return serveByThreads(config, {
      ...parts,
      environment: systemEnvironment,
      extendExpress,
      logFd: process.stderr.fd,
    });
  };
}

/** Workers load their code while prerequisites are prepared. */
async function byWorkers(
  config: CompletedConfig,
  logger: RootLogger,
  owned: AsyncDisposableStack,
): Promise<Serve> {
  const { superviseServing } = await import('../workers/supervise.ts');
  const workers = superviseServing(config, {
    program: workerProgram,
    logger,
    logLevel: levelOfVerbosity(config.verbosity),
    logFormat: config.logFormat,
  });
  owned.defer(() => workers.close());
  return (parts) => {
    // Workers stop before their dependencies, as they are added to `owned` last.
    owned.defer(() => workers.close());
    return workers.serve(parts);
  };
}

function greeting(
  config: CompletedConfig,
  { kubeconfig, port }: Pick<Started, 'kubeconfig' | 'port'>,
): Notice {
  const url = `https://${reachable(config.bindAddress)}:${String(port)}`;
  const etcd = config.etcd.servers.length === 0 ? 'its own etcd' : config.etcd.servers.join(', ');
  const message = `Serving ${url} over ${etcd}, names of profile ${config.naming}.`;
  if (kubeconfig === undefined) return { message, fields: { url } };
  const commands = ['get namespaces', 'run hello --image=nginx', 'get pods --watch'];
  return {
    message,
    fields: { url, kubeconfig },
    hints: [
      `Credentials of the administrator: ${kubeconfig}. Try:`,
      ...commands.map((command) => `  kubectl --kubeconfig ${kubeconfig} ${command}`),
    ],
  };
}
