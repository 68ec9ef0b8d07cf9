/**
 * One whole replica in this process, from building it to the moment it is ready; the middle of the time line in `run.ts`.
 * What is started is given to `owned` at once, so that a stop or a fault undoes it in reverse order.
 */
import { Backoff } from '../base/backoff.ts';
import { messageOf } from '../base/errors.ts';
import { aborted, pause, withDeadline } from '../base/pause.ts';
import type { HttpServer } from '../http/server.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { MetricsText } from '../observe/snapshot.ts';
import { ensureBootstrapPolicy } from './bootstrap-policy.ts';
import { buildReplica, type Replica } from './build.ts';
import type { CompletedConfig } from './complete.ts';
import { noteCertificateExpiry } from './certificate-expiry.ts';
import { startControllers } from './controllers/start.ts';
import { StartError } from './faults.ts';
import { listen } from './listen.ts';
import type { Credentials, EtcdAccess, Serving, ServingParts } from './serving.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';
import { ensureSystemPriorityClasses } from './system-priority-classes.ts';

export interface ReplicaParts extends ServingParts {
  /** What `/metrics` answers instead of this process' own metrics. */
  readonly shareMetrics?: (own: Metrics) => MetricsText;
  /** Other workers serve the port, too. */
  readonly sharesPort?: boolean;
}

const etcdDeadlineMs = 10_000;
const hookPause = { firstMs: 100, maxMs: 5_000 };

/** Resolves when the replica is ready. @throws StartError when etcd or the address cannot be used */
export async function startReplica(config: CompletedConfig, parts: ReplicaParts): Promise<Serving> {
  const { credentials, etcd, logger, signal, owned } = parts;
  const replica = await buildReplica(config, parts);
  owned.defer(() => replica.storage.close());
  const { authentication } = replica;
  owned.defer(() => {
    authentication.close();
  });
  owned.defer(() => replica.customResources.close());
  owned.defer(() => {
    replica.handler.close();
  });
  owned.defer(() => replica.writeThreads.close());
  owned.defer(() => replica.audit.auditor?.close());
  owned.defer(() => {
    replica.authorization.close();
    replica.admission.close();
    replica.flowControl.close();
  });
  const hooksDone = startHooks.map((hook) => replica.health.addStartHook(hook.name));
  await stateLoaded(replica, etcd, signal);
  const server = await listen(config, {
    tls: authentication.listeningTls(credentials.tls),
    handler: replica.handler,
    logger,
    sharesPort: parts.sharesPort ?? false,
  });
  owned.defer(() => stopServing(config, replica, server));
  const own = { ...replica, verbs: replica.ownVerbs };
  for (const [i, hook] of startHooks.entries()) {
    await untilDone(hook.name, () => hook.run(own, signal), { logger, signal });
    hooksDone[i]?.();
  }
  owned.defer(replica.flowControl.keep());
  owned.defer(replica.apiServices.keep());
  owned.defer(startControllers(replica, config, { credentials, logger }));
  const noteExpiry = ({ tls }: Credentials): void => {
    noteCertificateExpiry(replica.serverMetrics.certificateNotAfter, {
      server: tls.cert,
      'client-ca': tls.clientCa,
      'etcd-client': etcd.tls?.cert,
      'etcd-ca': etcd.tls?.ca,
    });
  };
  noteExpiry(credentials);
  const use: Serving['use'] = (next) => {
    noteExpiry(next);
    authentication.use(next);
    replica.authorization.use(next);
    replica.writeThreads.use(next);
    replica.audit.use(next);
    server.setTls(authentication.listeningTls(next.tls));
  };
  return { port: server.port, use, fileReloads: replica.fileReloads };
}

/** What has to be true before the replica is ready, each tried until it is; shown as `poststarthook/<name>`. */
const startHooks = [
  { name: 'system-namespaces', run: ensureSystemNamespaces },
  { name: 'rbac/bootstrap-roles', run: ensureBootstrapPolicy },
  { name: 'scheduling/bootstrap-system-priority-classes', run: ensureSystemPriorityClasses },
  {
    name: 'priority-and-fairness-config-producer',
    run: ({ flowControl }: Replica, signal: AbortSignal) => flowControl.ensureObjects(signal),
  },
  {
    name: 'apiservice-registration',
    run: ({ apiServices }: Replica, signal: AbortSignal) => apiServices.ensure(signal),
  },
] as const;

async function stateLoaded(
  { storage, authorization, flowControl }: Replica,
  etcd: EtcdAccess,
  signal: AbortSignal,
): Promise<void> {
  const late = (): Error => new Error(`no answer within ${String(etcdDeadlineMs / 1000)} s`);
  try {
    const loaded = storage.ready().then(() => Promise.all([authorization.loaded, flowControl.loaded]));
    await withDeadline(Promise.race([loaded, aborted(signal)]), etcdDeadlineMs, late);
  } catch (error) {
    const { etcd: problem } = await storage.health();
    throw StartError.of(
      'ETCD_UNREACHABLE',
      `etcd cannot be used at ${etcd.endpoints.join(', ')} (${problem || messageOf(error)})`,
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

/**
 * Balancers look away in the first half of the delay; in the second, clients leave with their next answer, so that the
 * end meets no request that is on its way over a connection that seemed idle.
 */
async function stopServing(config: CompletedConfig, replica: Replica, server: HttpServer): Promise<void> {
  const { signal } = new AbortController();
  replica.health.beginShutdown();
  if (config.shutdownDelayMs > 0) {
    await pause(config.shutdownDelayMs / 2, signal);
    replica.handler.letGo();
    await pause(config.shutdownDelayMs / 2, signal);
  }
  await server.close(config.requests.timeoutMs);
}
