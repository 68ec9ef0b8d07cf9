/** Starts the controllers of a replica and stops them again. */
import { createTypeChecker } from '../../admission/validating-policy/type-checking.ts';
import type { PassiveClock } from '../../base/clock.ts';
import { aborted } from '../../base/pause.ts';
import type { ControllerLog, ControllerMetrics, QueueMetrics } from '../../controllers/types.ts';
import { ControllerWork, type WorkLeft } from '../../controllers/work-left.ts';
import type { ControllerMetricFamilies } from '../../observe/controller-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { NumberFamily } from '../../observe/metric-series.ts';
import type { Replica } from '../build-replica.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import { accountProvision } from './account-provision.ts';
import { runControllers, type ControllerManagerOptions } from './controller-manager.ts';
import { createAggregatingClient } from '../../client/aggregating-client.ts';
import { createInProcessClient } from '../../client/in-process-client.ts';
import { largeWork } from '../large-work.ts';

interface ControllerParts {
  readonly credentials: Pick<Credentials, 'accounts'>;
  readonly logger: Logger;
  /** Resolves when they may begin; absent: at once. */
  readonly mayBegin?: Promise<void> | undefined;
}

/**
 * Runs the configured controllers in process.
 * @returns a function that stops them and resolves when they have stopped
 */
export function startControllers(
  replica: Replica,
  config: CompletedConfig,
  { credentials, logger, mayBegin }: ControllerParts,
): () => Promise<void> {
  const stopping = new AbortController();
  const log = controllerLog(logger.child({ component: 'controllers' }));
  const { environment, naming, aggregation } = replica;
  const local = createInProcessClient({
    ...{ verbs: replica.verbs, catalogue: () => replica.catalogue },
    minorVersion: config.emulatedRelease.minor,
    writesElsewhere: largeWork(environment, replica.writeThreads).controllers,
  });
  replica.controllerWork.add('informers', { left: () => local.listing() });
  const endStart = beginStart(replica.controllerWork);
  const client = createAggregatingClient({ ...environment, local, naming, places: aggregation.places });
  const metrics = controllerMetrics(replica.controllerMetrics, environment.clock, replica.controllerWork);
  const run = (): Promise<void> =>
    runControllers(
      {
        ...environment,
        ...{ client, log, naming, names: config.controllers, unusedTokensMs: config.unusedTokensMs },
        metrics: {
          ...metrics,
          // Those of a leader begin right behind it, and their informers count from then on.
          leading: (lease, isLeader) => {
            endStart();
            metrics.leading(lease, isLeader);
          },
        },
        accounts: accountProvision(credentials.accounts.rootCa, replica.authentication.tokens),
        policyTypes: policyTypes(replica),
        ...{ isFeatureEnabled: replica.isFeatureEnabled, serviceCidrVersion: serviceCidrVersion(replica) },
      },
      stopping.signal,
    );
  const begun = mayBegin && Promise.race([mayBegin, aborted(stopping.signal)]);
  const running = (begun === undefined ? run() : begun.then(run))
    .catch((error: unknown) => {
      log.error({ err: error }, 'the controllers stopped');
    })
    .finally(endStart);
  return () => {
    stopping.abort();
    return running;
  };
}

/** Until it is clear whether they lead, or they are stopped, controllers have work left that no queue has yet. @returns ends that */
function beginStart(work: ControllerWork): () => void {
  const start: WorkLeft = { queue: 'controllers', key: 'their start', state: 'starting', dueInMs: 0 };
  let left = [start];
  work.add('controllers', { left: () => left });
  return () => {
    left = [];
  };
}

function serviceCidrVersion({
  naming,
  catalogue,
}: Pick<Replica, 'naming' | 'catalogue'>): string | undefined {
  const group = `networking.${naming.apiDomain}`;
  return ['v1', 'v1beta1'].find((one) => catalogue.resource(group, one, 'servicecidrs') !== undefined);
}

const policyVersions = ['v1', 'v1beta1', 'v1alpha1'];
const policyVerbs = ['get', 'list', 'watch', 'update'];

/** Policies in the best version that is served, and their type check. */
function policyTypes({
  naming,
  catalogue,
  customResources,
}: Pick<Replica, 'naming' | 'catalogue' | 'customResources'>): ControllerManagerOptions['policyTypes'] {
  const [group, resource] = [`admissionregistration.${naming.apiDomain}`, 'validatingadmissionpolicies'];
  const version = policyVersions.find((one) => catalogue.resource(group, one, resource) !== undefined);
  if (version === undefined) return undefined;
  const kind = 'ValidatingAdmissionPolicy';
  return {
    policies: { group, version, resource, kind, namespaced: false, verbs: policyVerbs },
    checkTypes: createTypeChecker(() => customResources.catalogue.current()),
  };
}

/** Adapts the argument order of the logger of controllers. */
export function controllerLog(logger: Logger): ControllerLog {
  return {
    info: (details, message) => logger.info(message, { ...details }),
    warn: (details, message) => logger.warn(message, { ...details }),
    error: (details, message) => logger.error(message, { ...details }),
  };
}

/** The metrics of controllers. @param work learns of their queues, and of whatever changes there */
export function controllerMetrics(
  families: ControllerMetricFamilies,
  clock: PassiveClock,
  work = new ControllerWork(),
): ControllerMetrics {
  const workOf = new Map<string, () => Iterable<number>>();
  const onScrape = (family: NumberFamily, of: (seconds: readonly number[]) => number): void =>
    family.onScrape(() => {
      const now = clock.monotonic();
      for (const [name, startedAt] of workOf)
        family.series({ name }).set(of([...startedAt()].map((since) => (now - since) / 1_000)));
    });
  onScrape(families.unfinishedWork, (seconds) => seconds.reduce((sum, each) => sum + each, 0));
  onScrape(families.longestRunning, (seconds) => Math.max(0, ...seconds));
  return {
    queue: (name, state) => {
      workOf.set(name, () => state.startedAt());
      work.add(name, state);
      return queueMetrics(families, name, () => {
        work.note();
      });
    },
    looking: (name, look) => {
      work.addLook(name, look);
    },
    leading: (name, isLeader) => families.leading.series({ name }).set(isLeader ? 1 : 0),
  };
}

function queueMetrics(families: ControllerMetricFamilies, name: string, note: () => void): QueueMetrics {
  const [depth, adds] = [families.queueDepth.series({ name }), families.adds.series({ name })];
  const [waits, works] = [families.queueDuration.series({ name }), families.workDuration.series({ name })];
  const retries = families.retries.series({ name });
  return {
    added: (size) => {
      note();
      adds.add();
      depth.set(size);
    },
    taken: (size, waited) => {
      note();
      waits.observe(waited);
      depth.set(size);
    },
    worked: (seconds, failed) => {
      note();
      works.observe(seconds);
      if (failed) retries.add();
    },
  };
}
