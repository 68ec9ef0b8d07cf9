/**
 * A replica from start to end.
 *
 *   start   data folder ─▶ PKI ─▶ own etcd ─▶ storage follows ─▶ listening ─▶ start hooks ─▶ ready
 *             lock           (where not given)  (state loaded)                namespaces     controllers
 *
 *   stop    signal ─▶ controllers end ─▶ readyz fails ─▶ shutdown delay ─▶ no new connections ─▶ requests done ─▶ storage ─▶ own etcd ─▶ lock
 *                     (balancers      (still serving)   watches end           (or cut after    closed     stopped    gone
 *                      look away)                                              their timeout)
 *
 * A fault before `listening` ends the start and undoes what was done; so does the loss of the own etcd later on.
 */
import { Backoff } from '../base/backoff.ts';
import { messageOf } from '../base/errors.ts';
import { pause, withDeadline } from '../base/pause.ts';
import type { HttpServer } from '../http/server.ts';
import { createLogger, type Logger, type LogLevel } from '../observe/log.ts';
import type { EtcdStorage } from '../storage/storage.ts';
import { buildReplica, type Replica } from './build.ts';
import type { CompletedConfig } from './complete.ts';
import { startControllers } from './controllers/start.ts';
import { StartError } from './faults.ts';
import { listen } from './listen.ts';
import { prepareMaterials, reachable, type Materials } from './materials.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';

export interface RunOptions {
  /** Stops the replica in order. */
  readonly signal: AbortSignal;
  /** Lines for the person who started it. */
  readonly tell: (line: string) => void;
}

const etcdDeadlineMs = 10_000;
const hookPause = { firstMs: 100, maxMs: 5_000 };

/**
 * Runs a replica until the signal.
 * @throws StartError when it cannot start, or loses the etcd that it started itself
 */
export async function runServer(config: CompletedConfig, options: RunOptions): Promise<void> {
  const { signal } = options;
  const owned = new AsyncDisposableStack();
  keepAwake(owned);
  try {
    const { materials, logger, server, kubeconfig } = await start(config, signal, owned);
    greet(config, { kubeconfig, server, tell: options.tell });
    const fault = await Promise.race([aborted(signal), materials.lost]);
    if (fault !== undefined) throw new StartError([fault]);
    logger.info('stopping');
  } catch (error) {
    // Whatever fails because a start was called off is no fault.
    if (!signal.aborted) throw error;
  } finally {
    await owned.disposeAsync();
  }
}

/** Waits of other rooms do not keep the process alive; until the replica has stopped, this does. */
function keepAwake(owned: AsyncDisposableStack): void {
  const timer = setInterval(() => undefined, 60_000);
  owned.defer(() => {
    clearInterval(timer);
  });
}

interface Started {
  readonly materials: Materials;
  readonly logger: Logger;
  readonly server: HttpServer;
  /** Where the administrator's kubeconfig was written; undefined: the PKI is not ours. */
  readonly kubeconfig: string | undefined;
}

async function start(
  config: CompletedConfig,
  signal: AbortSignal,
  owned: AsyncDisposableStack,
): Promise<Started> {
  const logger = createLogger({ level: levelOf(config.verbosity) });
  const materials = await prepareMaterials(config, { logger, signal, owned });
  const replica = await buildReplica(config, materials, logger);
  owned.defer(() => replica.storage.close());
  owned.defer(() => {
    replica.handler.close();
  });
  const hooksDone = startHooks.map((hook) => replica.health.addStartHook(hook.name));
  await stateLoaded(replica.storage, materials, signal);
  const server = await listen(config, { tls: materials.tls, handler: replica.handler, logger });
  owned.defer(() => stopServing(config, replica, server));
  const kubeconfig = await materials.writeKubeconfig?.(server.port);
  for (const [i, hook] of startHooks.entries()) {
    await untilDone(hook.name, () => hook.run(replica, signal), { logger, signal });
    hooksDone[i]?.();
  }
  owned.defer(startControllers(replica, config, logger));
  return { materials, logger, server, kubeconfig };
}

/** What has to be true before the replica is ready, each tried until it is; shown as `poststarthook/<name>`. */
const startHooks = [{ name: 'system-namespaces', run: ensureSystemNamespaces }] as const;

async function stateLoaded(storage: EtcdStorage, { etcd }: Materials, signal: AbortSignal): Promise<void> {
  const seconds = String(etcdDeadlineMs / 1000);
  try {
    const late = (): Error => new Error('no answer');
    await withDeadline(Promise.race([storage.ready(), aborted(signal)]), etcdDeadlineMs, late);
  } catch (error) {
    const { etcd: problem } = await storage.health();
    throw StartError.of(
      'ETCD_UNREACHABLE',
      `etcd did not answer within ${seconds} s at ${etcd.endpoints.join(', ')} (${problem || messageOf(error)})`,
      'start it, or correct --etcd-servers and the files of --etcd-cafile, --etcd-certfile and --etcd-keyfile',
      error,
    );
  }
  signal.throwIfAborted();
}

async function untilDone(
  name: string,
  work: () => Promise<void>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const backoff = new Backoff(hookPause);
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      logger.warn('a start hook failed and is tried again', { hook: name, err: error });
    }
    await pause(backoff.nextMs(), signal);
    signal.throwIfAborted();
  }
}

async function stopServing(config: CompletedConfig, replica: Replica, server: HttpServer): Promise<void> {
  replica.health.beginShutdown();
  if (config.shutdownDelayMs > 0) await pause(config.shutdownDelayMs, new AbortController().signal);
  await server.close(config.requests.timeoutMs);
}

interface Greeting {
  readonly kubeconfig: string | undefined;
  readonly server: HttpServer;
  readonly tell: (line: string) => void;
}

function greet(config: CompletedConfig, { kubeconfig, server, tell }: Greeting): void {
  const url = `https://${reachable(config.bindAddress)}:${String(server.port)}`;
  const etcd = config.etcd.servers.length === 0 ? 'its own etcd' : config.etcd.servers.join(', ');
  tell(`Serving ${url} over ${etcd}, names of profile ${config.naming}.`);
  if (kubeconfig === undefined) return;
  tell(`Credentials of the administrator: ${kubeconfig}. Try:`);
  for (const command of ['get namespaces', 'run hello --image=nginx', 'get pods --watch'])
    tell(`  kubectl --kubeconfig ${kubeconfig} ${command}`);
}

/** Resolves when the signal is given. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const done = (): void => {
      resolve(undefined);
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

function levelOf(verbosity: number): LogLevel {
  if (verbosity === 0) return 'warn';
  return verbosity < 4 ? 'info' : 'debug';
}
