/** Builds the HTTP handler: Express as the shell around one filter chain that serves every request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyHeaders } from '../authn/request-header.ts';
import type { Authenticator } from '../authn/types.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Authorizer } from '../authz/types.ts';
import { Arrivals } from '../base/arrivals.ts';
import { ownCounts, type Counts } from '../base/counts.ts';
import type { Environment } from '../base/environment.ts';
import type { Rate } from '../base/token-bucket.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { HealthChecks } from '../observe/health-checks.ts';
import type { Logger } from '../observe/log.ts';
import type { Release } from '../observe/release.ts';
import { placeOf, RepeatedLines } from '../observe/repeated-lines.ts';
import type { StreamingLists } from '../registry/read/streaming-lists.ts';
import { laterFields } from '../registry/write/reach.ts';
import { currentRelease } from '../observe/release.ts';
import type { ImpersonationMetrics } from '../observe/impersonation-metrics.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { Tracer } from '../observe/tracing/tracer.ts';
import type { MetricsText } from '../observe/metric-snapshot.ts';
import type { ResourceCatalogue, ResourceVerbs, ServedResource } from '../registry/types.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import type { Lifetime } from '../storage/types.ts';
import { BodyBudget, defaultBodyBudget, type BodyBudgetLimits } from './body-budget.ts';
import { defaultBodyLimits } from './body.ts';
import type { BodyLimits } from './body.ts';
import { createBrowserRules, type BrowserPolicy } from './browser-rules.ts';
import { createChain, createSteps } from './chain.ts';
import type { ServerPhase } from './request-context.ts';
import { RequestContext } from './request-context.ts';
import { discoveryRoutes } from './discovery/discovery-routes.ts';
import { createDispatch, type DispatchDeps } from './dispatch.ts';
import type { Interpose } from './interpose.ts';
import type { ExtendExpress, MessageClasses } from './express-shell.ts';
import { createShell } from './express-shell.ts';
import { createUpgradeRule } from './may-upgrade.ts';
import { middlewareError } from './middleware-error.ts';
import { withAuditId } from './filters/audit-id.ts';
import { withRequestInfo } from './filters/with-request-info.ts';
import { withDeadline } from './filters/deadline.ts';
import { controllerManager } from '../authz/bootstrap/bootstrap-bindings.ts';
import { createDeprecationNotice } from './filters/deprecation.ts';
import { defaultFailedAuthentications, FailedAuthentications } from './filters/failed-authentication.ts';
import type { InFlightLimits } from './filters/in-flight.ts';
import type { FlowControl } from './filters/priority-and-fairness.ts';
import { labelsOf, type MeasuredResources } from './filters/request-metrics.ts';
import type { Step } from './filters/step.ts';
import type { RemoteOpenApi } from './openapi/remote/remote-openapi.ts';
import { openApiRoutes } from './openapi/openapi-routes.ts';
import { healthRoutes } from './plain/health-routes.ts';
import type { VersionInfo } from './plain/info-routes.ts';
import { indexRoute, metricsRoute, versionRoute } from './plain/info-routes.ts';
import type { PlainRoute } from './plain/plain-route.ts';
import { createPlainRoutes } from './plain/plain-route.ts';
import { expectsContinue } from './refusals.ts';
import type { RegisteredApi, RemoteApis } from './remote-apis.ts';
import type { LargeForms } from './representation/large-forms.ts';
import { Representations } from './representation/negotiation.ts';
import type { WatchLimits } from './watch/open-watches.ts';
import type { PassOn } from './pass-on.ts';
import { defaultWatchLimits, OpenWatches } from './watch/open-watches.ts';
import { createStartSteps, type Startup } from './start-chain.ts';
import { writeRulesOf } from './options/write-options.ts';
import { createWireTypes } from './wire-types.ts';
import type { LargeWrites } from './writes/large-writes.ts';

export interface ApiHandlerDeps extends Environment {
  /** Limits hold for these together: those of all threads of the process that serve; absent: there is one. */
  readonly counts?: Counts | undefined;
  readonly naming: NamingProfile;
  /** Returns the current catalogue; called for every request. */
  readonly catalogue: () => ResourceCatalogue;
  /**
   * Calls back when resources are gone from the catalogue, or have changed: `group/version/plural` of each. Absent: none
   * ever do.
   */
  readonly onResourcesGone?: (listener: (gone: ReadonlySet<string>) => void) => void;
  /**
   * Returns a catalogue that includes every change that any client has seen; called before a 404. Absent if it never
   * changes.
   */
  readonly freshCatalogue?: (lifetime: Lifetime) => Promise<ResourceCatalogue>;
  /** Absent: all gates of what is served are on, and those that take something away are off. */
  readonly isFeatureEnabled?: (gate: string) => boolean;
  /** The types of the catalogue. Without them neither Protobuf nor OpenAPI is served. */
  readonly schemas?: SchemaSet;
  /** CBOR is accepted and offered; absent: it is not. */
  readonly speaksCbor?: boolean;
  readonly verbs: ResourceVerbs;
  /** Authenticates requests; any result but a user is a 401. */
  readonly authenticator: Authenticator;
  /** Limit of failed authentications by address; no limit if `qps` is 0. */
  readonly failedAuthentications?: Rate;
  /** Request headers of an authenticating proxy; absent if there is none. */
  readonly proxyHeaders?: ProxyHeaders | undefined;
  /** HTTP basic authentication is accepted. */
  readonly takesPasswords?: boolean;
  readonly authorizer: Authorizer;
  /** Records audit events; absent if auditing is disabled. The caller closes it after the last request. */
  readonly auditor?: Auditor | undefined;
  readonly logger: Logger;
  /** The content of `/metrics`. */
  readonly metrics: MetricsText;
  readonly serverMetrics: ServerMetrics;
  readonly health: HealthChecks;
  /** Absent if requests are not traced. The caller closes it after the last request. */
  readonly tracer?: Tracer | undefined;
  /** Absent if the state is already loaded. */
  readonly startup?: Startup;
  readonly version: VersionInfo;
  /** Release whose deprecation warnings are returned; defaults to the current one. */
  readonly release?: Release;
  /** What is made of `sendInitialEvents`; default `served`. */
  readonly streamingLists?: StreamingLists;
  /** Compresses large responses for clients that accept gzip; default true. */
  readonly compresses?: boolean;
  /** Headers for browsers; absent if there are none. */
  readonly browsers?: BrowserPolicy;
  /** `host:port` in discovery documents; defaults to the host of the request. */
  readonly serverAddress?: string;
  /** Adds middleware and routers before and beside the API. */
  readonly extendExpress?: ExtendExpress | undefined;
  /** Makes connections to nodes, pods and services; absent if there are none to be reached. */
  readonly passOn?: PassOn;
  /** Streams of pods over a WebSocket need the verb `create`; absent: `get` is enough. */
  readonly streamsNeedCreate?: boolean;
  /** As `constrained` of impersonation; absent: there are no constrained modes. */
  readonly constrainedImpersonation?: ImpersonationMetrics | undefined;
  /** Requests that are passed on to another server, which may speak another protocol than HTTP with the client. */
  readonly isPassedOn?: (info: RequestInfo) => boolean;
  /** Group versions that other servers answer for; absent if there are none. */
  readonly remoteApis?: RemoteApis | undefined;
  /** OpenAPI documents of other servers; absent if there are none. */
  readonly remoteOpenApi?: Pick<RemoteOpenApi, 'current' | 'merge'> | undefined;
  /** Additional non-resource routes. */
  readonly plainRoutes?: readonly PlainRoute[];
  /** Timeout of requests that are not watches; default 60 s. */
  readonly requestTimeoutMs?: number;
  /** Probability that a request ends its HTTP/2 connection; default 0. */
  readonly goawayChance?: number;
  /** API Priority and Fairness; without it `inFlight` limits requests. */
  readonly flowControl?: FlowControl | undefined;
  /** In-flight limits; default unlimited. */
  readonly inFlight?: InFlightLimits;
  readonly bodyLimits?: BodyLimits;
  /** Limit of request body bytes in flight. */
  readonly bodyBudget?: BodyBudgetLimits;
  /** Runs large writes in another thread; without it the serving thread does. */
  readonly largeWrites?: LargeWrites;
  /** Makes the forms of large objects in another thread; without it the serving thread does. */
  readonly largeForms?: LargeForms;
  readonly watchLimits?: WatchLimits;
  /** Maximum size in bytes of all cached representations. */
  readonly representationBytes?: number;
  /** Stands between the filters and the verbs; absent in a service. */
  readonly interpose?: Interpose | undefined;
}

const bearerChallenge = 'Bearer realm="api"';

/** The handler that a server uses. */
export interface ApiHandler {
  (req: IncomingMessage, res: ServerResponse): void;
  /** Classes that the server should use for requests and responses. */
  readonly classes: MessageClasses;
  /** Whether the connection of this request may be used for the protocol that it asks for. */
  mayUpgrade(req: IncomingMessage): boolean;
  /**
   * From now on every response closes its connection, so that the client reconnects to another replica; watches
   * continue. Idempotent.
   */
  beginDraining(): void;
  /**
   * Connection draining: ends all watches cleanly, and later ones at once; other responses close their connection.
   * Idempotent.
   */
  drain(): void;
  /** Ends watches cleanly, such as those of resources that are no longer served or that are served differently. */
  endWatches(isOver: (resource: ServedResource, request: RequestContext) => boolean): void;
  /** Stops timers; call it after the last request. */
  close(): void;
}

function bodiesOf({
  bodyBudget = defaultBodyBudget,
  counts = ownCounts,
  serverMetrics,
  clock,
}: ApiHandlerDeps): BodyBudget {
  return new BodyBudget({ ...bodyBudget, counts }, serverMetrics, clock);
}

/** Builds the handler of all requests. */
export function createApiHandler(deps: ApiHandlerDeps): ApiHandler {
  const watches = new OpenWatches();
  const representations = representationsOf(deps);
  const deadline = deadlineOf(deps);
  const steps = createSteps({
    ...deps,
    metrics: deps.serverMetrics,
    measured: measuredBy(deps),
    bodies: bodiesOf(deps),
    bodyLimits: deps.bodyLimits ?? defaultBodyLimits,
    failedAuthentications: new FailedAuthentications({
      ...(deps.failedAuthentications ?? defaultFailedAuthentications),
      throttled: deps.serverMetrics.throttledAuthentications,
      clock: deps.clock,
      threads: (deps.counts ?? ownCounts).threads,
    }),
    ...{ constrained: deps.constrainedImpersonation, endsUnknown: gatesOf(deps)(endingUnknown) },
    deadline: deadline.step,
    dispatch: interposed(deps, dispatchParts(deps, { watches, representations })),
  });
  const { startup, clock, random, logger } = deps;
  const failures = new RepeatedLines({ clock, logger, keyOf: ({ err }) => placeOf(err) });
  const serve = createChain(steps, failures);
  const serveStarting =
    startup && createChain(createStartSteps({ ...deps, ...startup, metrics: deps.serverMetrics }), failures);
  const phase: ServerPhase = {
    ...{ clock, random, turns: new Arrivals() },
    ...{ isDraining: false, keepsHeads: deps.extendExpress !== undefined },
    challenge: deps.takesPasswords === true ? `${bearerChallenge}, Basic realm="api"` : bearerChallenge,
    compresses: deps.compresses ?? true,
    authorizer: deps.authorizer,
    ...(deps.schemas && { types: createWireTypes(deps.catalogue, deps.schemas, deps) }),
  };
  const browserRules = deps.browsers && createBrowserRules(deps.browsers);
  const shell = createShell({
    listener: (req, res) => {
      if (browserRules?.(req, res) === true) return;
      const context = new RequestContext(req, res, phase);
      context.expectsContinue = expectsContinue(req);
      void (startup?.isLoaded === false ? serveStarting?.(context) : serve(context));
    },
    ...(deps.extendExpress && {
      extend: deps.extendExpress,
      fail: (error: unknown, req: IncomingMessage, res: ServerResponse) => {
        void createChain(failingSteps(error), failures)(new RequestContext(req, res, phase));
      },
    }),
  });
  const end = endingOf(phase, watches, deps.remoteApis);
  const close = (): void => {
    deadline.close();
    failures.close();
    representations.close();
  };
  return Object.assign(shell, { ...end, close, mayUpgrade: createUpgradeRule(deps) });
}

function representationsOf(deps: ApiHandlerDeps): Representations {
  return new Representations({
    ...{ clock: deps.clock, random: deps.random, metrics: deps.serverMetrics },
    hasLinks: !gatesOf(deps)('RemoveSelfLink'),
    ...(deps.representationBytes !== undefined && { cacheBytes: deps.representationBytes }),
  });
}

function endingOf(
  phase: ServerPhase,
  watches: OpenWatches,
  remoteApis: RemoteApis | undefined,
): Pick<ApiHandler, 'beginDraining' | 'drain' | 'endWatches'> {
  const beginDraining = (): void => {
    phase.isDraining = true;
  };
  return {
    beginDraining,
    drain: () => {
      beginDraining();
      watches.close();
      remoteApis?.drain();
    },
    endWatches: (isOver) => {
      watches.endOf(isOver);
    },
  };
}

/** The steps of a request whose middleware failed: it gets an audit id, and the error becomes a Status. */
function failingSteps(error: unknown): readonly Step[] {
  const fail = (): never => {
    throw middlewareError(error);
  };
  return [withAuditId(), withRequestInfo(), fail];
}

function interposed({ interpose, verbs }: ApiHandlerDeps, parts: DispatchDeps): Step {
  const usual = createDispatch(parts);
  if (interpose === undefined) return usual;
  return interpose({ usual, verbs, by: (others) => createDispatch({ ...parts, verbs: others }) });
}

function dispatchParts(
  deps: ApiHandlerDeps,
  own: Pick<DispatchDeps, 'watches' | 'representations'>,
): DispatchDeps {
  const metrics = deps.serverMetrics;
  return {
    verbs: deps.verbs,
    catalogue: deps.catalogue,
    ...(deps.freshCatalogue && { freshCatalogue: deps.freshCatalogue }),
    remoteApis: deps.remoteApis,
    naming: deps.naming,
    metrics,
    logger: deps.logger,
    ...own,
    bodyLimits: deps.bodyLimits ?? defaultBodyLimits,
    ...(deps.schemas && { types: createWireTypes(deps.catalogue, deps.schemas, deps) }),
    ...(deps.largeWrites && { largeWrites: deps.largeWrites }),
    ...(deps.largeForms && { largeForms: deps.largeForms }),
    ...{ passOn: deps.passOn, streamsNeedCreate: deps.streamsNeedCreate },
    streamingLists: deps.streamingLists ?? 'served',
    writeRules: writeRulesOf(deps.release ?? currentRelease, gatesOf(deps)),
    watchLimits: deps.watchLimits ?? defaultWatchLimits,
    noteDeprecation: createDeprecationNotice({
      ...{ metrics, logger: deps.logger, release: deps.release ?? currentRelease },
      clock: deps.clock,
      ownUser: controllerManager,
    }),
    plain: createPlainRoutes(plainRoutesOf(deps)),
  };
}

const noneRegistered: readonly RegisteredApi[] = [];

const endingUnknown = 'UnauthenticatedHTTP2DOSMitigation';
const takingAway: ReadonlySet<string> = new Set(['AggregatedDiscoveryRemoveBetaType', endingUnknown]);

function gatesOf({ isFeatureEnabled }: ApiHandlerDeps): (gate: string) => boolean {
  return isFeatureEnabled ?? ((gate) => !takingAway.has(gate));
}

function plainRoutesOf(deps: ApiHandlerDeps): PlainRoute[] {
  const isFeatureEnabled = gatesOf(deps);
  const routes = [
    ...discoveryRoutes({
      catalogue: deps.catalogue,
      registered: () => deps.remoteApis?.registered() ?? noneRegistered,
      serverAddress: deps.serverAddress ?? '',
      isFeatureEnabled,
    }),
    ...healthRoutes(deps.health, deps.logger, deps.clock),
    versionRoute(deps.version),
    metricsRoute(deps.metrics),
    ...(deps.schemas
      ? openApiRoutes({
          ...{ ...deps, schemas: deps.schemas, release: deps.version.gitVersion },
          hiddenFields: laterFields(deps.release ?? currentRelease),
          hasEnums: isFeatureEnabled('OpenAPIEnums'),
          hasVersion3: isFeatureEnabled('OpenAPIV3'),
        })
      : []),
    ...(deps.plainRoutes ?? []),
  ];
  return [...routes, indexRoute(routes)];
}

function deadlineOf({
  clock,
  requestTimeoutMs,
  serverMetrics,
}: ApiHandlerDeps): ReturnType<typeof withDeadline> {
  return withDeadline({
    clock,
    maxMs: requestTimeoutMs ?? 60_000,
    onTimeout: (context) => {
      serverMetrics.requestTerminations.series({ ...labelsOf(context), code: '504' }).add();
    },
  });
}

function measuredBy({ catalogue, onResourcesGone }: ApiHandlerDeps): MeasuredResources {
  return {
    isServed: ({ group, version, resource }) => catalogue().resource(group, version, resource) !== undefined,
    onGone: onResourcesGone,
  };
}
