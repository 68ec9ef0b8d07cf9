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
 * From `listening` to `ready`, and back as far as `storage closed`, is the life of a replica: in this process
 * (`replica.ts`), or in workers that this process supervises (`workers/pool.ts`).
 * A fault before `start hooks` ends the start and undoes what was done; so does the loss of the own etcd later on.
 */
import { aborted } from '../base/pause.ts';
import { createLogger, levelOfVerbosity, type Logger, type RootLogger } from '../observe/log.ts';
import type { CompletedConfig } from './complete.ts';
import { watchCredentials } from './credential-files.ts';
import { StartError } from './faults.ts';
import { prepareMaterials, reachable, type Materials } from './materials.ts';
import type { Notice, Notify } from './notice.ts';
import type { Serving, ServingParts } from './serving.ts';

export interface RunOptions {
  /** Stops the service in order. */
  readonly signal: AbortSignal;
  /** Gets what is worth knowing for those who started it. */
  readonly notify: Notify;
  /**
   * Serves by processes that this one supervises, also where one is enough: what ends one of them does not end the
   * service. Otherwise this process serves unless there are several workers.
   */
  readonly supervised?: boolean;
}

/**
 * Runs the service until the signal.
 * @throws StartError when it cannot start, or loses the etcd that it started itself
 */
export async function runServer(config: CompletedConfig, options: RunOptions): Promise<void> {
  const { signal } = options;
  const owned = new AsyncDisposableStack();
  keepAwake(owned);
  try {
    const { lost, logger, ...served } = await start(config, options, owned);
    options.notify(greeting(config, served));
    const fault = await Promise.race([aborted(signal), lost]);
    if (fault !== undefined) throw new StartError([fault]);
    logger.info('stopping');
  } catch (error) {
    // Whatever fails because a start was called off is no fault.
    if (!signal.aborted) throw error;
  } finally {
    await owned.disposeAsync();
  }
}

/** Waits of other rooms do not keep the process alive; until the service has stopped, this does. */
function keepAwake(owned: AsyncDisposableStack): void {
  const timer = setInterval(() => undefined, 60_000);
  owned.defer(() => {
    clearInterval(timer);
  });
}

interface Started {
  readonly lost: Materials['lost'];
  readonly logger: Logger;
  readonly port: number;
  /** Where the administrator's kubeconfig was written; undefined: the PKI is not ours. */
  readonly kubeconfig: string | undefined;
}

async function start(
  config: CompletedConfig,
  { signal, supervised = false }: RunOptions,
  owned: AsyncDisposableStack,
): Promise<Started> {
  const logger = createLogger({ level: levelOfVerbosity(config.verbosity) });
  const serve = supervised || config.workers > 1 ? await byWorkers(config, logger, owned) : here(config);
  const materials = await prepareMaterials(config, { logger, signal, owned });
  const { credentials, etcd, lost } = materials;
  const serving = await serve({ credentials, etcd, logger, signal, owned });
  owned.defer(watchCredentials(config, { credentials, logger, serving }));
  const kubeconfig = await materials.writeKubeconfig?.(serving.port);
  return { lost, logger, port: serving.port, kubeconfig };
}

type Serve = (parts: ServingParts) => Promise<Serving>;

/** Code that serves is loaded only where it does. */
function here(config: CompletedConfig): Serve {
  return async (parts) => (await import('./replica.ts')).startReplica(config, parts);
}

/** Workers load their code while the materials are prepared. */
async function byWorkers(
  config: CompletedConfig,
  logger: RootLogger,
  owned: AsyncDisposableStack,
): Promise<Serve> {
  const { superviseServing } = await import('./workers/supervise.ts');
  const workers = superviseServing(config, { logger, logLevel: levelOfVerbosity(config.verbosity) });
  owned.defer(() => workers.close());
  return (parts) => {
    // Those that serve stop before what they need: the first to close them is the last that was given to `owned`.
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
