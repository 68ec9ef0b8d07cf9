/** Builds API Priority and Fairness: the active configuration, its informer, and the maintenance of its objects. */
import { steadyOf, type Clock } from '../../base/clock.ts';
import { ownCounts, type Counts } from '../../base/counts.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Environment } from '../../base/environment.ts';
import type { ControllerWork } from '../../controllers/work-left.ts';
import { bootstrapObjects, bootstrapSources } from '../../flowcontrol/bootstrap-configuration.ts';
import { borrowingPeriodMs } from '../../flowcontrol/borrowing.ts';
import { createFlowDumps } from '../../flowcontrol/debug-dump.ts';
import { FlowConfiguration } from '../../flowcontrol/flow-configuration.ts';
import { workRulesOf } from '../../flowcontrol/work-rules.ts';
import { FlowControlInformer } from '../../flowcontrol/flow-control-informer.ts';
import { flowControlGroup, flowSchemasPlural, storedType } from '../../flowcontrol/flow-objects.ts';
import type { FlowControl, RequestWork } from '../../http/filters/priority-and-fairness.ts';
import { flowControlRoutes } from '../../http/plain/flow-control-routes.ts';
import type { PlainRoute } from '../../http/plain/plain-route.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import {
  createBorrowingMetrics,
  createDemandMetrics,
  createFlowControlMetrics,
  createSeatMetrics,
} from '../../observe/flow-control-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { isAtLeast, type Release } from '../../observe/release.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import type { WritesElsewhere } from '../../registry/writes-elsewhere.ts';
import type { Storage } from '../../storage/types.ts';
import type { FlowControlConfig } from '../../options/flow-control-options.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { structureErrors } from '../../schema/structure-in-steps.ts';
import { DamagedObjects } from '../damaged-objects.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { FlowControlReconciler, servedFlowControl } from './flow-control-reconciler.ts';
import { createRequestWork } from './request-work.ts';

export interface FlowControlService {
  /** Limits requests; undefined if disabled. */
  readonly bounds: FlowControl | undefined;
  /** Debug routes of priority levels. */
  readonly routes: readonly PlainRoute[];
  /** Resolves when the stored configuration is active. */
  readonly loaded: Promise<void>;
  /**
   * Creates the mandatory and suggested objects.
   * @throws StatusError if etcd is unavailable
   */
  ensureObjects(signal: AbortSignal): Promise<void>;
  /**
   * Maintains the objects until the returned function is called.
   * @param isReconciled they are as they should be: nothing is compared before a change
   */
  keep(isReconciled?: boolean): () => Promise<void>;
  /** Stops the informer. */
  close(): void;
}

export interface FlowControlParts {
  readonly environment: Environment;
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'watch' | 'view' | 'snapshot'>;
  readonly schemas: SchemaSet;
  readonly catalogue: ResourceCatalogue;
  /** What is served now, custom resources with it. */
  readonly served: { current(): ResourceCatalogue };
  /** Called lazily, as the verbs are created later. */
  readonly verbs: () => ResourceVerbs;
  /** Writes large objects; absent: all are written here. */
  readonly writesElsewhere?: WritesElsewhere | undefined;
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** The emulated release. */
  readonly release: Release;
  /** Several threads of the process have the seats together. */
  readonly sharesSeats: boolean;
  /** As those of `ConfigurationParts`. */
  readonly counts?: Counts | undefined;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly controllerWork: ControllerWork;
}

/** Maximum share of the request timeout that is spent waiting for a seat. */
const waitPart = 1 / 4;
const regularMs = 60_000;
/** Between looks at what other threads need. */
const lookMs = 250;
const firstBorrowing: Release = { major: 1, minor: 26 };
const firstAnnotated: Release = { major: 1, minor: 22 };

/** Starts to follow the objects; the caller closes it before the storage. */
export function buildFlowControl(limits: FlowControlConfig, parts: FlowControlParts): FlowControlService {
  if (!limits.isFair || !parts.isFeatureEnabled('APIPriorityAndFairness')) return switchedOff;
  const { environment, naming, storage } = parts;
  const clock = steadyOf(environment.clock);
  const objects = bootstrapObjects(naming, parts.release);
  const configuration = createConfiguration(limits, parts);
  const logger = parts.logger.child({ component: 'flowcontrol' });
  const damaged = new DamagedObjects(logger);
  const feed: FlowControlInformer = new FlowControlInformer({
    ...environment,
    storage,
    group: flowControlGroup(naming),
    problemsOf: (plural, object) => problemsOf(parts.schemas, plural, object),
    onDamaged: (plural, name, problems) => {
      damaged.report(`${plural}/${name}`, problems.join('; '));
    },
    onChange: async (sources) => {
      await configuration.use(sources);
      loop.noteChange();
    },
  });
  const writer = new FlowControlReconciler({
    ...parts,
    objects,
    entry: (plural, name) => feed.entry(plural, name),
    entries: (plural) => feed.entries(plural),
    isAnnotated: isAtLeast(parts.release, firstAnnotated),
    clock,
    damaged,
  });
  const loop = new ReconcileLoop({
    ...environment,
    what: 'flow control objects',
    reconcile: (signal) => writer.reconcile(signal),
    everyMs: regularMs,
    logger,
    work: parts.controllerWork,
  });
  const stopBorrowing = startBorrowing(configuration, clock, parts.counts);
  return {
    bounds: {
      maxWaitMs: limits.timeoutMs * waitPart,
      flowOf: (user, info) => configuration.flowOf(user, info),
      work: requestWork(parts, clock),
    },
    routes: flowControlRoutes(createFlowDumps(() => configuration.dumpedLevels(), clock)),
    loaded: feed.loaded,
    ensureObjects: (signal) => writer.ensureObjects(signal),
    keep: (isReconciled) => loop.start(isReconciled),
    close: () => {
      stopBorrowing();
      feed.close();
    },
  };
}

/** What has not the shape of its kind as it is stored, also where the group is not served. */
function problemsOf(
  schemas: SchemaSet,
  plural: string,
  object: JsonObject,
): Generator<void, readonly string[], void> {
  return structureErrors(schemas.get(storedType(plural)), object);
}

function requestWork(parts: FlowControlParts, clock: Clock): RequestWork | undefined {
  const rules = workRulesOf(parts.release, parts.isFeatureEnabled);
  const catalogue = (): ResourceCatalogue => parts.served.current();
  return rules && createRequestWork({ rules, storage: parts.storage, catalogue, clock });
}

function startBorrowing(
  configuration: FlowConfiguration,
  clock: Clock,
  { threads }: Counts = ownCounts,
): () => void {
  const timers = [clock.setInterval(() => void configuration.adjust(), borrowingPeriodMs)];
  if (threads > 1) timers.push(clock.setInterval(() => void configuration.look(), lookMs));
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clock.clear(timer);
  };
}

/** If the objects are not served, the suggested configuration is active without them. */
function createConfiguration(limits: FlowControlConfig, parts: FlowControlParts): FlowConfiguration {
  const { environment, naming } = parts;
  const objects = bootstrapObjects(naming, parts.release);
  const rules = workRulesOf(parts.release, parts.isFeatureEnabled);
  const borrows = isAtLeast(parts.release, firstBorrowing);
  const ofLimits = parts.sharesSeats ? 'max' : 'sum';
  const isServed = servedFlowControl(parts, flowSchemasPlural) !== undefined;
  return new FlowConfiguration({
    serverSeats: limits.inFlight.readOnly + limits.inFlight.mutating,
    fallback: bootstrapSources(objects.filter(({ isMandatory }) => isMandatory || !isServed)),
    catchAll: 'catch-all',
    headerPrefix: naming.extensionPrefix.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    seed: environment.random.bytes(16).toString('hex'),
    metrics: {
      ...createFlowControlMetrics(parts.metrics, ofLimits),
      seats: rules && createSeatMetrics(parts.metrics, rules.mostListSeats),
      demand: borrows ? createDemandMetrics(parts.metrics) : undefined,
    },
    counts: parts.counts,
    borrowing: borrows ? createBorrowingMetrics(parts.metrics, ofLimits) : undefined,
    clock: environment.clock,
  });
}

const switchedOff: FlowControlService = {
  bounds: undefined,
  routes: [],
  loaded: Promise.resolve(),
  ensureObjects: () => Promise.resolve(),
  keep: () => () => Promise.resolve(),
  close: () => undefined,
};
