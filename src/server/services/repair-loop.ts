/** Repairs allocations of addresses and node ports at start and every few minutes; see `src/registry/allocation`. */
import { parseServiceRanges, type AddressRange } from '../../api/core/service/value-range.ts';
import type { Environment } from '../../base/environment.ts';
import type { ControllerWork } from '../../controllers/work-left.ts';
import type { Logger } from '../../observe/log.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { ServiceConfig } from '../../options/service-options.ts';
import {
  repairAllocations,
  type AllocationFinding,
  type AllocationProblem,
  type RepairParts,
} from '../../registry/allocation/repair.ts';
import {
  addressCollection,
  readyRanges,
  serviceCidrCollection,
} from '../../registry/allocation/service-cidrs.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';

const everyMs = 180_000;

export interface RepairLoopParts {
  readonly environment: Environment;
  readonly storage: RepairParts['storage'];
  readonly catalogue: ResourceCatalogue;
  readonly logger: Logger;
  readonly controllerWork: ControllerWork;
  readonly naming: NamingProfile;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly metrics: Pick<ServerMetrics, 'clusterIpRepairErrors' | 'nodePortRepairErrors'>;
}

export interface AllocationRepair {
  /** One round. @throws StorageError if etcd is unavailable */
  run(signal: AbortSignal): Promise<void>;
  /** Runs at intervals until the returned function is called. @param isReconciled one round has just been run */
  keep(isReconciled?: boolean): () => Promise<void>;
}

/** Every replica runs it: what one has repaired, others find in order. */
export function buildAllocationRepair(config: ServiceConfig, parts: RepairLoopParts): AllocationRepair {
  const { environment, storage, catalogue } = parts;
  const ranges = parseServiceRanges(config.clusterIpRanges, config.nodePortRange);
  const logger = parts.logger.child({ component: 'allocation-repair' });
  const resource = catalogue.resource('', 'v1', 'services');
  const { allocation } = resource?.definition.strategy ?? {};
  if (!resource || !allocation) return { run: () => Promise.resolve(), keep: () => () => Promise.resolve() };
  const { collection } = resource.storage;
  const report = reporter(logger, parts.metrics);
  const reportDamaged: RepairParts['reportDamaged'] = (object, err) => {
    logger.error('a stored service is damaged: what it holds stays reserved until it is deleted', {
      object,
      err,
    });
  };
  const cidrs = serviceCidrCollection(parts.naming);
  const isAdding = parts.isFeatureEnabled('MultiCIDRServiceAllocator');
  const added = (): readonly AddressRange[] => (isAdding ? readyRanges(storage, cidrs) : []);
  const reservations = addressCollection(parts.naming);
  const about = { storage, allocation, collection, ranges, reservations };
  const run = (signal: AbortSignal): Promise<void> =>
    repairAllocations({ ...about, addedRanges: added(), report, reportDamaged }, signal);
  const loop = new ReconcileLoop({
    ...environment,
    ...{ what: 'addresses and node ports', reconcile: run, everyMs, logger, work: parts.controllerWork },
  });
  return { run, keep: (isReconciled) => loop.start(isReconciled) };
}

const messages: Readonly<Record<AllocationProblem, string>> = {
  leak: 'an address or node port was held by no service; it is free again',
  repair: 'an address or node port of a service was not held; it is now',
  duplicate: 'two services have the same address or node port; create one of them again',
  outOfRange:
    'an address or node port of a service is not in the configured ranges; create the service again',
};

function reporter(
  logger: Logger,
  { clusterIpRepairErrors, nodePortRepairErrors }: RepairLoopParts['metrics'],
): (finding: AllocationFinding) => void {
  return ({ problem, ...about }) => {
    logger.warn(messages[problem], { problem, ...about });
    const family = about.pool === 'addresses' ? clusterIpRepairErrors : nodePortRepairErrors;
    family.series({ type: problem }).add();
  };
}
