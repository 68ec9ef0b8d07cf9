/** The storage of a replica, as its configuration says. */
import type { MessagePort } from 'node:worker_threads';
import type { Environment } from '../base/environment.ts';
import type { LogFields, RootLogger } from '../observe/log.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Credentials, EtcdAccess, EtcdEndpoints } from '../options/credentials.ts';
import type { CatalogueSources } from '../registry/catalogue/every-version.ts';
import { expiringCollections } from '../registry/catalogue/expiring-collections.ts';
import { createRecode } from '../registry/conversion/stored-versions.ts';
import type { ConnectLine } from '../storage/etcd/etcd-line.ts';
import type { EtcdTls, StorageLogger, StorageMetrics, StorageOptions } from '../storage/options.ts';
import type { KnownState } from '../storage/view/known-state.ts';
import { createItemHeads } from '../registry/conversion/item-heads.ts';
import { divideStorage } from '../storage/divided-storage.ts';
import { resourceLabels, type CollectionSeries } from './collection-series.ts';
import { createEtcdStorage, type ClusterStorage, type EtcdStorage } from '../storage/storage.ts';

export interface StorageParts {
  readonly environment: Environment;
  readonly builtIn: CatalogueSources;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly credentials: Pick<Credentials, 'encryption' | keyof EtcdCredentials>;
  readonly etcd: EtcdAccess;
  readonly connectLine?: ConnectLine | undefined;
  /** As that of the storage, for the etcd that has no override. */
  readonly knownState?: KnownState | undefined;
  /** From the storages of the thread that follows etcd, in the order of `OpenStorage.storages`. */
  readonly feeds?: readonly MessagePort[] | undefined;
  readonly logger: RootLogger;
  readonly serverMetrics: ServerMetrics;
  readonly collectionSeries: CollectionSeries;
}

/** A storage over all etcd clusters. */
export interface OpenStorage {
  /** Of all collections; the caller closes it. */
  readonly storage: EtcdStorage;
  /** The parts of it that are in etcd clusters of their own, in the order of `--etcd-servers-overrides`. */
  readonly overrides: readonly EtcdStorage[];
  /** The storage of each cluster: of the main one, then those of the overrides. */
  readonly storages: readonly ClusterStorage[];
  /** As that of the storage; undefined where some collections are in other clusters. */
  readonly knownState: () => KnownState | undefined;
  /** Other credentials for connections to come. */
  readonly connectBy: (credentials: EtcdCredentials) => void;
}

type EtcdCredentials = Pick<Credentials, 'etcdTls' | 'ownEtcdTls'>;

/** It starts to follow etcd. */
export async function openStorage(
  { etcd: config }: Pick<CompletedConfig, 'etcd'>,
  parts: StorageParts,
): Promise<OpenStorage> {
  const { environment, builtIn, isFeatureEnabled, credentials, etcd, connectLine, logger } = parts;
  const common: Omit<StorageOptions, keyof EtcdEndpoints | 'logger' | 'metrics'> = {
    ...environment,
    prefix: config.prefix,
    compactionIntervalMs: config.compactionIntervalMs,
    databaseSizeIntervalMs: config.databaseSizeIntervalMs,
    ...(!isFeatureEnabled('DetectCacheInconsistency') && { consistencyCheckIntervalMs: 0 }),
    transport: config.transport,
    ...(connectLine && { connectLine }),
    recode: createRecode({ ...builtIn, isFeatureEnabled, now: () => new Date(environment.clock.now()) }),
    ...expiryOf(config, builtIn),
    encryption: { word: builtIn.naming.encryptionWord, rules: credentials.encryption },
    itemHead: createItemHeads(builtIn),
  };
  const { overrides: placed, ...main } = etcd;
  const changing: [ClusterStorage, (credentials: EtcdCredentials) => EtcdTls | undefined][] = [];
  const open = async (cluster: EtcdEndpoints, index: number, fields: LogFields): Promise<ClusterStorage> => {
    const tlsOf = cluster === main ? tlsOfMain : tlsOfGiven;
    const tls = cluster.tls ?? tlsOf(credentials);
    const metrics = storageMetrics(parts, cluster, index);
    const feed = parts.feeds?.[index];
    const options = {
      ...common,
      ...cluster,
      ...(tls && { tls }),
      ...(feed && { feed }),
      metrics,
      logger: storageLogger(logger, fields),
    };
    const storage = await createEtcdStorage(options, cluster === main ? parts.knownState : undefined);
    if (cluster.tls === undefined) changing.push([storage, tlsOf]);
    return storage;
  };
  const expiring = expiringCollections(builtIn);
  const primary = await open(main, 0, {});
  const overrides = await Promise.all(
    placed.map(async ({ collections, ...cluster }, i) => {
      const fields = { collections, servers: cluster.endpoints };
      logger.info('resources are in an etcd cluster of their own', fields);
      const isOptional = collections.every((id) => expiring.has(id));
      return { collections, isOptional, storage: await open(cluster, i + 1, { collections }) };
    }),
  );
  const storage = divideStorage(primary, overrides);
  const connectBy = (next: EtcdCredentials): void => {
    for (const [cluster, tlsOf] of changing) cluster.connectBy(tlsOf(next));
  };
  const knownState = (): KnownState | undefined =>
    overrides.length === 0 ? primary.knownState() : undefined;
  const others = overrides.map((override) => override.storage);
  return { storage, overrides: others, storages: [primary, ...others], knownState, connectBy };
}

function tlsOfGiven({ etcdTls }: EtcdCredentials): EtcdTls | undefined {
  return etcdTls;
}

/** The service's own etcd, if there is one, is never an override. */
function tlsOfMain({ ownEtcdTls, etcdTls }: EtcdCredentials): EtcdTls | undefined {
  return ownEtcdTls ?? etcdTls;
}

function expiryOf(
  { eventTtlSeconds: ttlSeconds, leaseReuseSeconds }: CompletedConfig['etcd'],
  builtIn: CatalogueSources,
): Pick<StorageOptions, 'expiry'> {
  if (ttlSeconds === 0) return {};
  return { expiry: { collections: expiringCollections(builtIn), ttlSeconds, leaseReuseSeconds } };
}

/** @param index of the cluster: the main one is the first */
function storageMetrics(
  { serverMetrics, collectionSeries: series }: StorageParts,
  { endpoints }: EtcdEndpoints,
  index: number,
): StorageMetrics {
  const id = `etcd-${String(index)}`;
  // Created at start: an alert checks that the counter grows.
  const compactions = serverMetrics.compactions.series();
  return {
    observeEtcdRequest: (operation, seconds, _isDone, collection) => {
      series.ofEtcd(operation, collection).observe(seconds);
    },
    observeReadWait: (seconds) => {
      serverMetrics.watchCacheReadWait.series().observe(seconds);
    },
    observeCompaction: () => {
      compactions.add();
    },
    observeTransformation: (type, prefix, seconds, isDone) => {
      const status = isDone ? 'OK' : 'Unknown';
      serverMetrics.transformations
        .series({ transformation_type: type, transformer_prefix: prefix, status })
        .add();
      if (isDone)
        serverMetrics.transformationDuration
          .series({ transformation_type: type, transformer_prefix: prefix })
          .observe(seconds);
    },
    observeKeyCacheMiss: () => {
      serverMetrics.keyCacheMisses.series().add();
    },
    observeUnreadable: (collection) => {
      serverMetrics.decodeErrors.series(resourceLabels(serverMetrics.decodeErrors, collection)).add();
    },
    ...consistencyObservers(serverMetrics),
    observeLeaseObjects: (objects) => {
      serverMetrics.leaseObjects.series().observe(objects);
    },
    observeDatabaseSize: (endpoint, bytes) => {
      serverMetrics.etcdDatabaseSize.series({ endpoint }).set(bytes);
      if (endpoint === endpoints[0])
        serverMetrics.storageSize.series({ cluster: id, storage_cluster_id: id }).set(bytes);
    },
    observeRelease: (endpoint, { version, knownDefects, former }) => {
      if (former !== undefined) serverMetrics.etcdKnownDefects.forget({ endpoint, version: former });
      serverMetrics.etcdKnownDefects.series({ endpoint, version }).set(knownDefects);
    },
  };
}

function consistencyObservers({
  consistencyChecks,
  consistencyCheckDuration,
  inconsistentViews,
}: ServerMetrics): Pick<StorageMetrics, 'observeConsistencyCheck' | 'observeInconsistency'> {
  // Created at start: an alert checks that the counter of failures grows.
  for (const status of ['success', 'failure', 'error']) consistencyChecks.series({ status });
  return {
    observeConsistencyCheck: (status, seconds) => {
      consistencyChecks.series({ status }).add();
      consistencyCheckDuration.series().observe(seconds);
    },
    observeInconsistency: (collection) => {
      inconsistentViews.series(resourceLabels(inconsistentViews, collection)).add();
    },
  };
}

/** Adapts the argument order of the storage logger. */
function storageLogger(root: RootLogger, fields: LogFields): StorageLogger {
  const logger = root.child({ component: 'storage', ...fields });
  return {
    debug: (fields, message) => {
      logger.debug(message, { ...fields });
    },
    info: (fields, message) => {
      logger.info(message, { ...fields });
    },
    warn: (fields, message) => {
      logger.warn(message, { ...fields });
    },
    error: (fields, message) => {
      logger.error(message, { ...fields });
    },
  };
}
