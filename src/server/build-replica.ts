/** Wires the components of a replica. `run.ts` starts it. */
import type { MessagePort } from 'node:worker_threads';
import { TokenUses } from './authentication/token-uses.ts';
import { builtInGroups } from '../api/index.ts';
import { parseServiceRanges } from '../api/core/service/value-range.ts';
import { loadCatalogueSchemas } from '../api/schemas.ts';
import type { Counts } from '../base/counts.ts';
import type { Environment } from '../base/environment.ts';
import { keyOf, type CustomResources } from '../extension/custom-resources/index.ts';
import type { ExtendExpress } from '../http/express-shell.ts';
import { createApiHandler, type ApiHandler, type ApiHandlerDeps } from '../http/api-handler.ts';
import { bodyBudgetLimits } from '../http/body-budget.ts';
import type { Interpose } from '../http/interpose.ts';
import { componentVersions, flagzRoute, statuszRoute } from '../http/plain/component-routes.ts';
import { metricsRoute, type VersionInfo } from '../http/plain/info-routes.ts';
import type { PlainRoute } from '../http/plain/plain-route.ts';
import { profilingRoutes } from '../http/plain/profiling-routes.ts';
import { defaultWatchLimits, type WatchLimits } from '../http/watch/open-watches.ts';
import { namingProfiles, type NamingProfile } from '../meta/naming.ts';
import { ControllerWork } from '../controllers/work-left.ts';
import { createControllerMetrics, type ControllerMetricFamilies } from '../observe/controller-metrics.ts';
import { createFeatureGates, type FeatureGates } from '../observe/feature-gates.ts';
import { showGates } from '../observe/gate-metrics.ts';
import { createHealthMetrics } from '../observe/health-metrics.ts';
import { featuresOf } from '../observe/release-gates.ts';
import type { Release } from '../observe/release.ts';
import { HealthChecks, type HealthCheck } from '../observe/health-checks.ts';
import type { RootLogger } from '../observe/log.ts';
import { createImpersonationMetrics } from '../observe/impersonation-metrics.ts';
import { Metrics } from '../observe/metrics.ts';
import { Profiler } from '../observe/profiling/profiler.ts';
import { createServerMetrics, type ServerMetrics } from '../observe/server-metrics.ts';
import type { Tracer } from '../observe/tracing/tracer.ts';
import type { MetricsText } from '../observe/metric-snapshot.ts';
import { createFileReloads, type FileReloads } from '../observe/worker-metrics.ts';
import { streamingListsOf } from '../registry/read/streaming-lists.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../registry/types.ts';
import type { ConnectLine } from '../storage/etcd/etcd-line.ts';
import type { EtcdStorage } from '../storage/storage.ts';
import type { KnownState } from '../storage/view/known-state.ts';
import type { Admission } from './admission/build-admission.ts';
import { buildAggregation, type Aggregation } from './aggregation/build-aggregation.ts';
import { buildApiServices, type ApiServices } from './api-services/build-api-services.ts';
import { buildAudit, type Audit } from './audit/build-audit.ts';
import { buildAuthentication, type Authentication } from './authentication/build-authentication.ts';
import type { Authorization } from './authorization/build-authorization.ts';
import { buildConnections, type Connections } from './connections/build-connections.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import { buildFlowControl, type FlowControlService } from './flow-control/build-flow-control.ts';
import { createReviewer } from './create-reviewer.ts';
import type { Credentials, EtcdAccess } from '../options/credentials.ts';
import { showAllocationFill } from './services/allocation-fill.ts';
import { CollectionSeries } from './collection-series.ts';
import { largeWork } from './large-work.ts';
import { openStorage, type OpenStorage } from './open-storage.ts';
import { checksOfOverride, storageReadiness } from './state-loaded.ts';
import { openTracer } from './open-tracer.ts';
import { buildLabels, serviceVersion } from './service-version.ts';
import { obeyedPolicies } from './admission/build-admission.ts';
import { buildWritePath, followedCollections, type WritePathParts } from './write-path.ts';
import { writeThreadProgram } from './programs.ts';
import { WriteThreads } from '../write-threads/write-threads.ts';

/** A replica that is built but does not listen yet. */
export interface Replica {
  /** The emulated release. */
  readonly release: Release;
  readonly environment: Environment;
  readonly naming: NamingProfile;
  readonly storage: EtcdStorage;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
  /** For objects that the service maintains: without admission webhooks. */
  readonly ownVerbs: ResourceVerbs;
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** As those of `OpenStorage`. */
  readonly storages: OpenStorage['storages'];
  /** For a replica over a copy of its etcd that is made later. */
  readonly knownState: OpenStorage['knownState'];
  /** Adds to the catalogue; the caller closes it before the storage. */
  readonly customResources: CustomResources;
  readonly health: HealthChecks;
  /** Requests are served once the caller sets this. */
  readonly startup: { isLoaded: boolean };
  readonly handler: ApiHandler;
  /** Absent without `--profiling`. The caller closes it after the last request. */
  readonly profiler: Profiler | undefined;
  /** Absent without `--tracing-config-file`. The caller closes it after the last request. */
  readonly tracer: Tracer | undefined;
  readonly controllerMetrics: ControllerMetricFamilies;
  /** What the controllers that run in this replica have left to do. */
  readonly controllerWork: ControllerWork;
  readonly fileReloads: FileReloads;
  /** Other credentials for connections to etcd. */
  readonly connectBy: OpenStorage['connectBy'];
  readonly serverMetrics: ServerMetrics;
  readonly authentication: Authentication;
  readonly connections: Connections;
  /** The caller closes it before the storage. */
  readonly authorization: Authorization;
  readonly admission: Admission;
  /** The caller closes it after the last request, before the storage. */
  readonly writeThreads: WriteThreads;
  /** The caller closes it before the storage. */
  readonly flowControl: FlowControlService;
  readonly apiServices: ApiServices;
  /** The caller closes it before the storage. */
  readonly aggregation: Aggregation;
  /** The caller closes its auditor after the last request. */
  readonly audit: Audit;
}

export interface BuildParts {
  /** Time and randomness of the replica. */
  readonly environment: Environment;
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  readonly logger: RootLogger;
  /** File descriptor of the log, for threads with a logger of their own; absent: standard error. */
  readonly logFd?: number | undefined;
  /** Replaces the metrics of this process in `/metrics`. */
  readonly shareMetrics?: (own: Metrics) => MetricsText;
  /** Connects to etcd in another way than by the network; for an etcd in this process. */
  readonly connectLine?: ConnectLine | undefined;
  /** What the replica had over whose etcd this one is a copy; absent: the state is loaded. */
  readonly knownState?: KnownState | undefined;
  /** What replicas of this process that share entries have read of roles; absent: each reads all of them. */
  readonly readRoles?: WritePathParts['readRoles'];
  /** As those of `StorageParts`. */
  readonly feeds?: readonly MessagePort[];
  /** Limits hold for these together: those of all threads that serve; absent: there is one. */
  readonly counts?: Counts | undefined;
  /** Adds middleware and routers before and beside the API. */
  readonly extendExpress?: ExtendExpress | undefined;
  /** Stands between the filters and the verbs; absent in a service. */
  readonly interpose?: Interpose | undefined;
  /** As that of `Profiler`; default true. */
  readonly samplesFromStart?: boolean | undefined;
}

/** The storage starts to follow etcd; the caller closes it and the handler. */
export async function buildReplica(config: CompletedConfig, parts: BuildParts): Promise<Replica> {
  const { environment, credentials, logger, logFd, shareMetrics = (own: Metrics) => own } = parts;
  const foundation = await layFoundation(config, parts);
  const { naming, metrics, serverMetrics, schemas, isFeatureEnabled, storage, version, tracer } = foundation;
  const { knownState, connectBy, storages, controllerWork } = foundation;
  const common = { environment, credentials, naming, storage, metrics, serverMetrics, logger };
  const uses = new TokenUses(environment.clock, naming);
  const authentication = buildAuthentication(config, { ...common, isFeatureEnabled, uses });
  const pathParts = { ...common, schemas, isFeatureEnabled, reviews: reviewsOf(authentication) };
  const path = buildWritePath(config, { ...pathParts, readRoles: parts.readRoles });
  const { builtIn, catalogue, customResources, authorization, admission, verbs, ownVerbs } = path;
  uses.writeBy(catalogue, ownVerbs);
  const copies = followedCollections(naming, obeyedPolicies(config, isFeatureEnabled));
  const writeThreads = new WriteThreads({ ...common, program: writeThreadProgram, config, copies, logFd });
  metrics.include(() => writeThreads.scrape());
  const large = largeWork(environment, writeThreads);
  customResources.keep(verbs, large.patchElsewhere);
  const flowControl = buildFlowControl(config.requests, {
    ...common,
    ...{ schemas, catalogue, isFeatureEnabled, served: customResources.catalogue },
    ...{ release: config.emulatedRelease, verbs: () => ownVerbs, writesElsewhere: large.own },
    ...{ counts: parts.counts, sharesSeats: config.servingThreads > 1, controllerWork },
  });
  const custom = customResources.catalogue;
  const apiServices = buildApiServices({ ...common, builtIn, custom, verbs: ownVerbs, controllerWork });
  const aggregation = buildAggregation(config, { ...common, builtIn, isFeatureEnabled });
  const { health, healthMetrics } = createHealth(config, foundation, { ...common, apiServices });
  const [audit, startup] = [buildAudit(config, common), startupOf(authentication)];
  const connections = buildConnections(config.nodeAgents, { ...common, apiDomain: naming.apiDomain });
  const profiler = config.profiling ? new Profiler(environment.clock, parts.samplesFromStart) : undefined;
  const handler = createApiHandler({
    ...environment,
    ...{ naming, schemas, verbs, tracer, passOn: connections.passOn },
    ...{ extendExpress: parts.extendExpress, interpose: parts.interpose, ...gatedForms(config, foundation) },
    ...servedBy(custom),
    ...authentication.http,
    ...aggregation.http,
    ...{ authorizer: authorization.authorizer, auditor: audit.auditor },
    ...{ logger: logger.child({ component: 'http' }), metrics: shareMetrics(metrics) },
    ...large.http,
    ...{ serverMetrics, health, startup, version, release: config.emulatedRelease },
    ...{ goawayChance: config.goawayChance, browsers: config.browsers, serverAddress: addressOf(config) },
    ...{ flowControl: flowControl.bounds, counts: parts.counts, ...limitsOf(config) },
    plainRoutes: [
      ...(authentication.http.plainRoutes ?? []),
      ...[...flowControl.routes, ...healthMetrics],
      ...(profiler ? profilingRoutes(profiler) : []),
      ...componentRoutes(config, { environment, isFeatureEnabled, version }),
    ],
  });
  forgetGone({ ...foundation, ...path }, aggregation, handler);
  return {
    ...{ naming, storage, storages, knownState, connectBy, catalogue, verbs, ownVerbs, customResources },
    ...{ environment, health, startup, handler, serverMetrics, profiler, tracer },
    ...{ authentication, authorization, admission, audit, flowControl, writeThreads },
    ...{ apiServices, aggregation, connections, isFeatureEnabled, release: config.emulatedRelease },
    ...{ controllerMetrics: createControllerMetrics(metrics), controllerWork },
    fileReloads: createFileReloads(metrics),
  };
}

/** Not loaded yet. */
function startupOf({ certificates }: Pick<Authentication, 'certificates'>) {
  return { isLoaded: false, certificates };
}

function reviewsOf({ tokens, authenticator }: Authentication): NonNullable<WritePathParts['reviews']> {
  return ({ authorizer }) => ({ tokens, reviewer: createReviewer(authenticator, authorizer) });
}

/** The forms of requests and answers that have a feature gate, and what they need. */
function gatedForms(
  { emulatedRelease }: CompletedConfig,
  { isFeatureEnabled, metrics }: Pick<WritePathParts, 'isFeatureEnabled' | 'metrics'>,
): Pick<
  ApiHandlerDeps,
  | 'isFeatureEnabled'
  | 'compresses'
  | 'speaksCbor'
  | 'streamingLists'
  | 'streamsNeedCreate'
  | 'constrainedImpersonation'
> {
  return {
    isFeatureEnabled,
    streamingLists: streamingListsOf(emulatedRelease, isFeatureEnabled),
    streamsNeedCreate: isFeatureEnabled('AuthorizePodWebsocketUpgradeCreatePermission'),
    compresses: isFeatureEnabled('APIResponseCompression'),
    speaksCbor: isFeatureEnabled('CBORServingAndStorage'),
    constrainedImpersonation: isFeatureEnabled('ConstrainedImpersonation')
      ? createImpersonationMetrics(metrics)
      : undefined,
  };
}

/** What everything else of a replica stands on. */
async function layFoundation(config: CompletedConfig, parts: BuildParts) {
  const naming = namingProfiles[config.naming];
  const gates = createGates(config, parts.logger);
  const metrics = createMetrics(config, parts);
  showGates(metrics, featuresOf(config.emulatedRelease), gates);
  const serverMetrics = createServerMetrics(metrics);
  const schemas = loadCatalogueSchemas(naming, config.emulatedRelease.minor);
  const isFeatureEnabled = (gate: string): boolean => gates.isEnabled(gate);
  const builtIn = { naming, groups: builtInGroups, schemas };
  const collectionSeries = new CollectionSeries(serverMetrics);
  const storageParts = { ...parts, builtIn, isFeatureEnabled, serverMetrics, collectionSeries };
  const opened = await openStorage(config, storageParts);
  const { storage } = opened;
  const version = serviceVersion(config.emulatedRelease);
  const { clusterIpRanges, nodePortRange } = config.services;
  showAllocationFill(storage, parseServiceRanges(clusterIpRanges, nodePortRange), serverMetrics);
  serverMetrics.buildInfo.series(buildLabels(version)).set(1);
  const tracer = await openTracer(config, parts.environment);
  return {
    naming,
    metrics,
    serverMetrics,
    collectionSeries,
    schemas,
    isFeatureEnabled,
    controllerWork: new ControllerWork(),
    ...opened,
    version,
    tracer,
  };
}

interface ComponentParts {
  readonly environment: Environment;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly version: VersionInfo;
}

/** Each with its gate. */
function componentRoutes(
  { flagTexts, naming, emulatedRelease }: CompletedConfig,
  { environment: { clock }, isFeatureEnabled, version }: ComponentParts,
): PlainRoute[] {
  const objects = componentVersions(namingProfiles[naming].apiDomain, emulatedRelease);
  return [
    ...(isFeatureEnabled('ComponentStatusz') ? [statuszRoute({ clock, version, objects })] : []),
    ...(isFeatureEnabled('ComponentFlagz') ? [flagzRoute(flagTexts, { objects })] : []),
  ];
}

/** The address that clients are told; '' for the one that they used. */
function addressOf({ externalHostname, securePort }: CompletedConfig): string {
  if (externalHostname === '' || securePort === 0 || externalHostname.includes(':')) return externalHostname;
  return `${externalHostname}:${String(securePort)}`;
}

function limitsOf({
  requests: { timeoutMs, inFlight, minWatchMs, maxBytesInFlight, failedAuthentications },
}: CompletedConfig): Pick<
  ApiHandlerDeps,
  'requestTimeoutMs' | 'inFlight' | 'watchLimits' | 'bodyBudget' | 'failedAuthentications'
> {
  const watchLimits: WatchLimits = {
    ...defaultWatchLimits,
    defaultTimeoutMs: [minWatchMs, 2 * minWatchMs],
  };
  const bodyBudget = bodyBudgetLimits(maxBytesInFlight, timeoutMs / 4);
  return { requestTimeoutMs: timeoutMs, inFlight, watchLimits, bodyBudget, failedAuthentications };
}

/** What is served: it changes with the definitions. */
function servedBy(
  custom: CustomResources['catalogue'],
): Pick<ApiHandlerDeps, 'catalogue' | 'freshCatalogue' | 'onResourcesGone'> {
  return {
    catalogue: () => custom.current(),
    freshCatalogue: (lifetime) => custom.fresh(lifetime),
    onResourcesGone: (listener) => {
      custom.onChange((gone) => {
        if (gone.size > 0) listener(gone);
      });
    },
  };
}

interface GoneParts {
  readonly customResources: CustomResources;
  readonly collectionSeries: CollectionSeries;
  readonly storage: EtcdStorage;
}

/** Ends the watches of resources that are no longer served here or that changed; their metrics go with them. */
function forgetGone(
  { customResources, collectionSeries, storage }: GoneParts,
  aggregation: Aggregation,
  handler: ApiHandler,
): void {
  const { catalogue } = customResources;
  collectionSeries.countObjects(storage, () => catalogue.current());
  catalogue.onChange((gone) => {
    collectionSeries.forget(gone, catalogue.current());
    if (gone.size > 0) handler.endWatches(({ gvr }) => gone.has(keyOf(gvr)));
  });
  aggregation.onMove((isRemote) => handler.endWatches(({ gvr }) => isRemote(gvr.group, gvr.version)));
}

function createGates({ featureGates, emulatedRelease }: CompletedConfig, logger: RootLogger): FeatureGates {
  const gates = createFeatureGates(featureGates, featuresOf(emulatedRelease));
  for (const warning of gates.warnings) logger.warn(warning);
  return gates;
}

/** Of several threads one measures the process. */
function createMetrics(
  config: CompletedConfig,
  { logger, feeds }: Pick<BuildParts, 'logger' | 'feeds'>,
): Metrics {
  const { emulatedRelease: release, showHiddenMetricsFor: showHiddenFor } = config;
  return new Metrics({ release, showHiddenFor, logger, processMetrics: feeds === undefined });
}

interface HealthParts {
  readonly environment: Environment;
  readonly logger: RootLogger;
  readonly apiServices: { readonly check: HealthCheck };
}

function createHealth(
  config: CompletedConfig,
  { storage, overrides, isFeatureEnabled }: OpenStorage & Pick<WritePathParts, 'isFeatureEnabled'>,
  { environment: { clock }, logger, apiServices }: HealthParts,
): { readonly health: HealthChecks; readonly healthMetrics: readonly PlainRoute[] } {
  const indicators = isFeatureEnabled('ComponentSLIs')
    ? createHealthMetrics(config.emulatedRelease)
    : undefined;
  const health = new HealthChecks({
    ...{ clock, livezGraceMs: config.livezGraceMs },
    ...(indicators && { onResult: indicators.note }),
  });
  const all = ['healthz', 'livez', 'readyz'] as const;
  health.add({ name: 'log', groups: all, run: () => logger.health() });
  health.add({ name: 'etcd', groups: all, run: async () => (await storage.health()).etcd });
  health.add({
    name: 'follower',
    groups: ['healthz', 'readyz'],
    run: async () => (await storage.health()).follower,
  });
  if (config.encryption.configFile !== '')
    health.add({
      name: 'kms-providers',
      groups: ['healthz', 'readyz'],
      run: () => Promise.resolve(storage.encryptionProblem()),
    });
  const overrideChecks = overrides.flatMap(checksOfOverride);
  for (const check of [storageReadiness(storage), ...overrideChecks, apiServices.check]) health.add(check);
  const healthMetrics = indicators ? [metricsRoute(indicators.metrics, '/metrics/slis')] : [];
  return { health, healthMetrics };
}
