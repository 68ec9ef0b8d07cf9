/**
 * Starts a replica in this process until it is ready; the middle of the timeline in `run.ts`. Everything started is
 * added to `owned` at once, so that a stop or an error releases it in reverse order.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Environment } from '../base/environment.ts';
import { pause } from '../base/pause.ts';
import type { ExtendExpress } from '../http/express-shell.ts';
import type { Interpose } from '../http/interpose.ts';
import type { HttpServer } from '../http/server.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { deferNamed } from '../observe/slow-stop.ts';
import type { ConnectLine } from '../storage/etcd/etcd-line.ts';
import type { MetricsText } from '../observe/metric-snapshot.ts';
import { buildReplica, type BuildParts, type Replica } from './build-replica.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import { noteCertificateExpiry } from './certificate-expiry.ts';
import { startControllers } from './controllers/start-controllers.ts';
import { listen } from './listen.ts';
import type { Credentials } from '../options/credentials.ts';
import type { Serving, ServingParts } from '../workers/serving.ts';
import { largeWork } from './large-work.ts';
import { buildClusterServices, type ClusterServices } from './services/cluster-services.ts';
import { reportStart, type StartReport } from './start-hooks.ts';
import { stateLoaded } from './state-loaded.ts';

export interface ReplicaParts extends ServingParts {
  /** Time and randomness of the replica. */
  readonly environment: Environment;
  /** Replaces the metrics of this process in `/metrics`. */
  readonly shareMetrics?: (own: Metrics) => MetricsText;
  /** The port is shared with other workers. */
  readonly sharesPort?: boolean;
  /**
   * Listens while the state is loaded, to serve health checks. False if other workers already serve the port; default
   * true.
   */
  readonly listensEarly?: boolean;
  /** Called when the state is loaded. Resolves when this one may listen, unless it does. */
  readonly loaded?: () => Promise<void>;
  /** As that of `BuildParts`. */
  readonly logFd?: BuildParts['logFd'];
  /** Connects to etcd in another way than by the network; for an etcd in this process. */
  readonly connectLine?: ConnectLine | undefined;
  /** As that of `BuildParts`. */
  readonly knownState?: BuildParts['knownState'];
  /** As that of `BuildParts`. */
  readonly readRoles?: BuildParts['readRoles'];
  /** As that of `BuildParts`. */
  readonly samplesFromStart?: BuildParts['samplesFromStart'];
  /** From the storages of the thread that follows etcd, if this one serves only. */
  readonly feeds?: readonly MessagePort[];
  /** As those of `BuildParts`. */
  readonly counts?: BuildParts['counts'];
  /** As `hasBegun` of the hooks of the start; default false. */
  readonly hasBegun?: boolean;
  /** Resolves when controllers may begin, which are work that is left until then; absent: with the start. */
  readonly controllersMayBegin?: Promise<void> | undefined;
  /** Adds middleware and routers of the program that uses the library. */
  readonly extendExpress?: ExtendExpress | undefined;
  /** Stands between the filters and the verbs; absent in a service. */
  readonly interpose?: Interpose | undefined;
}

/** A replica of this process that is ready. */
export interface ServingReplica extends Serving {
  readonly replica: Replica;
  /** Closed with what owns the replica; an owner in a hurry may close it before. */
  readonly server: Pick<HttpServer, 'close'>;
}

/**
 * Resolves when the replica is ready.
 * @throws StartError if etcd or the address cannot be used
 */
export async function startReplica(config: CompletedConfig, parts: ReplicaParts): Promise<ServingReplica> {
  const { logger, owned, listensEarly = true, feeds } = parts;
  const replica = await buildReplica(config, parts);
  const { authentication } = replica;
  ownParts(replica, owned, logger);
  const start = reportStart(replica);
  const listening = (): Promise<HttpServer> => startListening(config, replica, parts);
  const early = listensEarly ? await listening() : undefined;
  await loadState(replica, parts);
  start.finished('load');
  await parts.loaded?.();
  parts.signal.throwIfAborted();
  const server = early ?? (await listening());
  const useHere =
    feeds === undefined
      ? await finishStart(config, replica, { ...parts, start, port: server.port })
      : serveOnly(replica, { ...parts, start });
  const use: Serving['use'] = (next) => {
    useHere(next);
    server.setTls(authentication.listeningTls(next.tls));
  };
  return { port: server.port, use, fileReloads: replica.fileReloads, replica, server };
}

export interface FinishParts extends ReplicaParts {
  readonly start: StartReport;
  /** At which clients reach this replica. */
  readonly port: number;
}

/**
 * The start behind the load: hooks, controllers and what else goes on beside requests.
 * @returns uses other credentials for all but the listener
 */
export async function finishStart(
  config: CompletedConfig,
  replica: Replica,
  parts: FinishParts,
): Promise<Serving['use']> {
  const {
    credentials,
    logger,
    signal,
    owned,
    start,
    hasBegun = false,
    controllersMayBegin: mayBegin,
  } = parts;
  const own = withClusterServices(config, replica, parts, parts.port);
  const { clusterServices } = own;
  const stop = { clock: parts.environment.clock, logger };
  deferNamed(owned, stop, 'the withdrawal of the address of this process', () => clusterServices.close());
  await start.runHooks(own, { logger, signal, hasBegun });
  owned.defer(replica.flowControl.keep(hasBegun));
  owned.defer(replica.apiServices.keep(hasBegun));
  owned.defer(replica.aggregation.keep(replica.ownVerbs));
  owned.defer(clusterServices.keep(hasBegun));
  deferNamed(
    owned,
    stop,
    'controllers',
    startControllers(replica, config, { credentials, logger, mayBegin }),
  );
  start.finished('controllers');
  const useHere = usingOf(replica, parts);
  return (next) => {
    useHere(next);
    clusterServices.use(next);
  };
}

/** A thread beside others: what a replica does once is done by the one that follows etcd. */
function serveOnly(replica: Replica, parts: ReplicaParts & Pick<FinishParts, 'start'>): Serving['use'] {
  const { owned, start } = parts;
  start.skipHooks();
  owned.defer(replica.aggregation.keep(replica.ownVerbs));
  start.finished('controllers');
  return usingOf(replica, parts);
}

/** Uses other credentials. */
function usingOf(replica: Replica, parts: ReplicaParts): Serving['use'] {
  const { authentication } = replica;
  const noteExpiry = expiryNotes(replica, parts);
  noteExpiry(parts.credentials);
  return (next) => {
    noteExpiry(next);
    authentication.use(next);
    replica.authorization.use(next);
    replica.aggregation.use(next);
    replica.storage.encryptBy(next.encryption);
    replica.connectBy(next);
    replica.writeThreads.use(next);
    replica.audit.use(next);
    replica.connections.use(next);
  };
}

/** What a replica that was built holds is released with `owned`. */
export function ownParts(replica: Replica, owned: AsyncDisposableStack, logger: Logger): void {
  const stop = { clock: replica.environment.clock, logger };
  deferNamed(owned, stop, 'the end of calls to etcd', () => replica.storage.close());
  deferNamed(owned, stop, 'a collector to take the last spans', () => replica.tracer?.close());
  owned.defer(() => {
    replica.authentication.close();
  });
  owned.defer(() => replica.customResources.close());
  owned.defer(() => {
    replica.handler.close();
    replica.profiler?.close();
  });
  owned.defer(() => replica.aggregation.close());
  deferNamed(owned, stop, 'write threads', () => replica.writeThreads.close());
  deferNamed(owned, stop, 'audit sinks to take the last events', () => replica.audit.auditor?.close());
  owned.defer(() => {
    replica.authorization.close();
    replica.admission.close();
    replica.flowControl.close();
  });
}

function withClusterServices(
  config: CompletedConfig,
  replica: Replica,
  { credentials, logger }: ReplicaParts,
  port: number,
): Replica & { readonly clusterServices: ClusterServices } {
  const own = { ...replica, verbs: replica.ownVerbs };
  const { own: writesElsewhere } = largeWork(replica.environment, replica.writeThreads);
  const parts = { ...own, writesElsewhere, metrics: replica.serverMetrics, credentials, logger, port };
  return { ...own, clusterServices: buildClusterServices(config, parts) };
}

/** Sets the metric of the expiry of certificates. */
function expiryNotes({ serverMetrics }: Replica, { etcd }: ReplicaParts): (credentials: Credentials) => void {
  return ({ tls, etcdTls: given, ownEtcdTls }) => {
    const etcdTls = etcd.tls ?? ownEtcdTls ?? given;
    noteCertificateExpiry(serverMetrics.certificateNotAfter, {
      server: tls.cert,
      'server-sni': tls.named?.map(({ cert }) => cert),
      'client-ca': tls.clientCa,
      'etcd-client': etcdTls?.cert,
      'etcd-ca': etcdTls?.ca,
    });
  };
}

async function startListening(
  config: CompletedConfig,
  replica: Replica,
  { credentials, logger, owned, feeds, counts, sharesPort = false }: ReplicaParts,
): Promise<HttpServer> {
  const tls = replica.authentication.listeningTls(credentials.tls);
  const connections = { ...config.connections, metrics: replica.serverMetrics, counts };
  const { handler } = replica;
  const { maxStreams, tlsPolicy } = config;
  const reusesPort = feeds !== undefined;
  const how = { tls, tlsPolicy, sharesPort, reusesPort, connections, maxStreams };
  const server = await listen(config, { ...how, handler, logger });
  const stop = { clock: replica.environment.clock, logger };
  deferNamed(owned, stop, 'requests of clients, or the shutdown delay', () =>
    stopServing(config, replica, server),
  );
  return server;
}

/** Loads the state. Meanwhile health checks report the progress, and livez succeeds. */
export async function loadState(
  replica: Replica,
  { etcd, signal, feeds }: Pick<ReplicaParts, 'etcd' | 'signal' | 'feeds'>,
): Promise<void> {
  const { environment, storage, authorization, customResources, flowControl, health, startup } = replica;
  const loaded = health.beginLoading();
  await stateLoaded({
    clock: environment.clock,
    storage,
    etcd,
    signal,
    isFed: feeds !== undefined,
    readers: [authorization.loaded, flowControl.loaded, customResources.catalogue.loaded],
  });
  startup.isLoaded = true;
  loaded();
}

/**
 * In the first half of the delay, load balancers stop sending new connections. In the second half, connections are
 * closed after their next response, so that no request is lost on a connection that seemed idle.
 */
async function stopServing(config: CompletedConfig, replica: Replica, server: HttpServer): Promise<void> {
  const { signal } = new AbortController();
  replica.health.beginShutdown();
  if (config.shutdownDelayMs > 0 && replica.startup.isLoaded) {
    await pause(replica.environment.clock, config.shutdownDelayMs / 2, signal);
    replica.handler.beginDraining();
    await pause(replica.environment.clock, config.shutdownDelayMs / 2, signal);
  }
  await server.close(config.requests.timeoutMs);
}
