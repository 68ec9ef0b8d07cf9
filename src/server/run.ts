/**
 * The service from start to end.
 *
 *   start   data folder ─▶ PKI ─▶ own etcd ─▶ storage follows ─▶ listening ─▶ start hooks ─▶ ready
 *             lock           (where not given)  (state loaded)                namespaces     controllers, files watched
 *
 *   stop    signal ─▶ controllers end ─▶ readyz fails ─▶ shutdown delay ─▶ no new connections ─▶ requests done ─▶ storage ─▶ own etcd ─▶ lock
 *                     (balancers      (still serving)   watches end           (or cut after    closed     stopped    gone
 *                      look away)                                              their timeout)
 *
 * From `storage follows` to `ready`, and back as far as `storage closed`, is the life of a replica: in this process
 * (`replica.ts`), or with `--workers` in several of them at once (`workers/pool.ts`).
 * A fault before `listening` ends the start and undoes what was done; so does the loss of the own etcd later on.
 */
import { aborted } from '../base/pause.ts';
import { createLogger, levelOfVerbosity, type Logger } from '../observe/log.ts';
import type { CompletedConfig } from './complete.ts';
import { watchCredentials } from './credential-files.ts';
import { StartError } from './faults.ts';
import { prepareMaterials, reachable, type Materials } from './materials.ts';
import { startReplica } from './replica.ts';
import { startWorkers } from './workers/pool.ts';

export interface RunOptions {
  /** Stops the service in order. */
  readonly signal: AbortSignal;
  /** Lines for the person who started it. */
  readonly tell: (line: string) => void;
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
    const { lost, logger, ...served } = await start(config, signal, owned);
    greet(config, { ...served, tell: options.tell });
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
  signal: AbortSignal,
  owned: AsyncDisposableStack,
): Promise<Started> {
  const logger = createLogger({ level: levelOfVerbosity(config.verbosity) });
  const materials = await prepareMaterials(config, { logger, signal, owned });
  const { credentials, etcd, lost } = materials;
  const parts = { credentials, etcd, logger, signal, owned };
  const serving = await (config.workers > 1 ? startWorkers(config, parts) : startReplica(config, parts));
  owned.defer(watchCredentials(config, { credentials, logger, serving }));
  const kubeconfig = await materials.writeKubeconfig?.(serving.port);
  return { lost, logger, port: serving.port, kubeconfig };
}

interface Greeting {
  readonly kubeconfig: string | undefined;
  readonly port: number;
  readonly tell: (line: string) => void;
}

function greet(config: CompletedConfig, { kubeconfig, port, tell }: Greeting): void {
  const url = `https://${reachable(config.bindAddress)}:${String(port)}`;
  const etcd = config.etcd.servers.length === 0 ? 'its own etcd' : config.etcd.servers.join(', ');
  tell(`Serving ${url} over ${etcd}, names of profile ${config.naming}.`);
  if (kubeconfig === undefined) return;
  tell(`Credentials of the administrator: ${kubeconfig}. Try:`);
  for (const command of ['get namespaces', 'run hello --image=nginx', 'get pods --watch'])
    tell(`  kubectl --kubeconfig ${kubeconfig} ${command}`);
}
