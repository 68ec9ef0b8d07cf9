/**
 * What the service tells a cluster of itself: its Service with the endpoints of all replicas, and how extension API
 * servers recognise their callers. It also repairs the allocations of all services.
 */
import { hostname } from 'node:os';
import { aborted } from '../../base/pause.ts';
import type { ControllerWork } from '../../controllers/work-left.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Logger } from '../../observe/log.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { Announcement } from '../../storage/announcement.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { EtcdStorage } from '../../storage/storage.ts';
import { DamagedObjects } from '../damaged-objects.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { maintainedNamespaces } from '../system-namespaces.ts';
import {
  advertisedAddress,
  announcedEndpoints,
  endpointObjects,
  endpointsIn,
  endpointTtlSeconds,
} from './api-endpoints.ts';
import { apiService } from './api-service.ts';
import { clusterAuthentication, type ClusterAuthentication } from './cluster-authentication.ts';
import { defaultServiceCidr } from './default-service-cidr.ts';
import { removalEveryMs, ServerIdentity } from './identity-lease.ts';
import { ServiceIpAddresses } from './service-ip-addresses.ts';
import { tokenTracking } from './token-tracking.ts';
import { maintain, type MaintainedObject, type MaintenanceDeps } from './maintained-object.ts';
import { buildAllocationRepair, type AllocationRepair, type RepairLoopParts } from './repair-loop.ts';

/** Interval of the comparison, without a change. */
const everyMs = 10_000;

export interface ClusterServicesParts
  extends Omit<MaintenanceDeps, 'storage'>, Omit<RepairLoopParts, 'storage'> {
  readonly storage: Pick<
    EtcdStorage,
    'peek' | 'view' | 'snapshot' | 'create' | 'delete' | 'watch' | 'announce'
  >;
  readonly naming: NamingProfile;
  readonly credentials: Credentials;
  readonly logger: Logger;
  readonly controllerWork: ControllerWork;
  /** The port on which the server listens. */
  readonly port: number;
}

export interface ClusterServices {
  /** Repairs allocations and creates what is missing. @throws StorageError, StatusError if etcd is unavailable */
  ensure(signal: AbortSignal): Promise<void>;
  /**
   * Maintains everything until the returned function is called.
   * @param isBegun the first round is left out where `ensure` has just done all of it
   */
  keep(isBegun?: boolean): () => Promise<void>;
  /** Uses new credentials. */
  use(credentials: Credentials): void;
  /** Withdraws the endpoint of this replica. */
  close(): Promise<void>;
}

export function buildClusterServices(config: CompletedConfig, parts: ClusterServicesParts): ClusterServices {
  const { services, authentication } = config;
  const { environment, storage, naming, port } = parts;
  const logger = parts.logger.child({ component: 'cluster-services' });
  const damaged = new DamagedObjects(logger);
  const repair = buildAllocationRepair(services, parts);
  const { uids, ...named } = authentication.proxies;
  const proxies = parts.isFeatureEnabled('RemoteRequestHeaderUID') ? { ...named, uids } : named;
  const isAnnounced = services.endpointReconciler === 'lease';
  let { credentials } = parts;
  const isTracking = parts.isFeatureEnabled('LegacyServiceAccountTokenTracking');
  const isAdding = parts.isFeatureEnabled('MultiCIDRServiceAllocator');
  const shown = isAdding ? ServiceIpAddresses.of(parts) : undefined;
  const objects = (): MaintainedObject[] => [
    ...maintainedNamespaces(naming),
    ...(isAdding ? [defaultServiceCidr(naming, services)] : []),
    ...(isTracking ? [tokenTracking(naming, environment.clock.now())] : []),
    apiService(naming, services, port),
    ...(isAnnounced ? endpointObjects(naming, endpointsIn(storage.view(announcedEndpoints))) : []),
    clusterAuthentication(naming, authoritiesOf(credentials, proxies), environment.clock.now()),
  ];
  const reconcile = (signal: AbortSignal): Promise<void> =>
    maintainAll(parts, objects(), { signal, damaged });
  // Begun by the start, so that nothing is written for it once the replica is ready.
  let announcement: Announcement | undefined;
  let isEnsured = false;
  const loop = new ReconcileLoop({
    ...{ ...environment, what: 'the objects of the API itself', reconcile, everyMs, logger },
    work: parts.controllerWork,
  });
  return {
    ensure: async (signal) => {
      await repair.run(signal);
      isEnsured = true;
      if (isAnnounced) announcement ??= announceSelf(config, parts, logger);
      await Promise.race([announcement?.announced, aborted(signal)]);
      await storage.snapshot(announcedEndpoints, { kind: 'mostRecent' }, signal);
      await reconcile(signal).catch((error: unknown) => {
        isEnsured = false;
        logger.warn('the objects of the API itself are not complete yet', { err: error });
      });
    },
    keep: (isBegun = false) => {
      const kept = { loop, repair, shown, logger, isReconciled: isBegun && isEnsured };
      const ends = [keepAll(parts, kept), ...keepIdentity(config, parts, logger)];
      return async () => {
        await Promise.all(ends.map((end) => end()));
      };
    },
    use: (next) => {
      credentials = next;
      loop.noteChange();
    },
    close: async () => {
      await announcement?.close();
    },
  };
}

interface Kept {
  readonly loop: ReconcileLoop;
  readonly repair: AllocationRepair;
  readonly shown: ServiceIpAddresses | undefined;
  readonly logger: Logger;
  /** `loop` and `repair` have nothing to do before a change. */
  readonly isReconciled: boolean;
}

function keepAll(
  parts: ClusterServicesParts,
  { loop, repair, shown, logger, isReconciled }: Kept,
): () => Promise<void> {
  const { environment, storage } = parts;
  const stopping = new AbortController();
  const changed = (): void => loop.noteChange();
  followCollection(
    { ...environment, storage },
    announcedEndpoints,
    { onState: changed, onEvents: changed },
    stopping.signal,
  );
  const ends = [
    ...[loop.start(isReconciled), repair.keep(isReconciled)],
    ...(shown ? [keepShown(shown, { ...parts, logger }, stopping.signal)] : []),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(ends.map((end) => end()));
  };
}

/** Renews the Lease of this replica, and removes those of replicas that are gone. */
function keepIdentity(
  { services: { identityLease }, emulatedRelease: release }: CompletedConfig,
  parts: ClusterServicesParts,
  logger: Logger,
): (() => Promise<void>)[] {
  if (!parts.isFeatureEnabled('APIServerIdentity')) return [];
  const { environment, naming } = parts;
  const { durationSeconds, renewSeconds } = identityLease;
  const identity = new ServerIdentity({
    ...environment,
    naming,
    release,
    hostname: hostname(),
    durationSeconds,
  });
  const loops = [
    {
      what: 'the Lease of this server',
      reconcile: (stop: AbortSignal) => maintain(parts, identity.lease(), stop),
      everyMs: renewSeconds * 1_000,
    },
    {
      what: 'expired Leases of servers',
      reconcile: (stop: AbortSignal) => identity.removeExpired(parts, stop),
      everyMs: removalEveryMs,
    },
  ];
  return loops.map((loop) => new ReconcileLoop({ ...environment, ...loop, logger }).start());
}

/** Compares the objects of addresses after each change of what they show, and now and then. */
function keepShown(
  shown: ServiceIpAddresses,
  {
    environment,
    storage,
    logger,
    controllerWork: work,
  }: Pick<ClusterServicesParts, 'environment' | 'storage' | 'logger' | 'controllerWork'>,
  signal: AbortSignal,
): () => Promise<void> {
  const reconcile = (stop: AbortSignal): Promise<void> => shown.reconcile(stop);
  const loop = new ReconcileLoop({
    ...environment,
    ...{ what: 'the objects of service addresses', reconcile, everyMs: 180_000, logger, work },
  });
  const changed = (): void => loop.noteChange();
  for (const collection of shown.collections)
    followCollection(
      { ...environment, storage },
      collection,
      { onState: changed, onEvents: changed },
      signal,
    );
  return loop.start();
}

/** One after another, as the endpoints belong to the service. */
async function maintainAll(
  parts: MaintenanceDeps,
  objects: readonly MaintainedObject[],
  { signal, damaged }: { readonly signal: AbortSignal; readonly damaged: DamagedObjects },
): Promise<void> {
  for (const object of objects)
    await damaged.skipIfDamaged(nameOf(object), () => maintain(parts, object, signal));
}

function nameOf({ plural, namespace, name }: MaintainedObject): string {
  return [plural, namespace, name].filter((part) => part !== '').join('/');
}

/** Announces this replica; undefined if no address is known. */
function announceSelf(
  { services, bindAddress }: CompletedConfig,
  { environment, storage, port }: ClusterServicesParts,
  logger: Logger,
): Announcement | undefined {
  const address = advertisedAddress(services.advertiseAddress, bindAddress);
  if (address === undefined) {
    logger.warn('no address to advertise was found: give --advertise-address');
    return undefined;
  }
  return storage.announce({
    collection: announcedEndpoints,
    key: `${address}/${environment.random.uuid()}`,
    bytes: Buffer.from(String(port)),
    ttlSeconds: endpointTtlSeconds,
  });
}

function authoritiesOf(
  { tls, proxyCa }: Credentials,
  proxies: ClusterAuthentication['proxies'],
): ClusterAuthentication {
  return { clientCa: [tls.clientCa ?? []].flat(), proxyCa, proxies };
}
