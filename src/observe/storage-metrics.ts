/** Metrics of the storage, with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface StorageFamilies {
  readonly etcdRequestDuration: HistogramFamily;
  /** Lag of the watch cache behind etcd at each consistent read. */
  readonly watchCacheReadWait: HistogramFamily;
  readonly compactions: NumberFamily;
  readonly transformations: NumberFamily;
  readonly transformationDuration: HistogramFamily;
  /** Data keys that a KMS plugin was asked for. */
  readonly keyCacheMisses: NumberFamily;
  /** Stored values that could not be decrypted. */
  readonly decodeErrors: NumberFamily;
  readonly consistencyChecks: NumberFamily;
  readonly consistencyCheckDuration: HistogramFamily;
  /** Collections of the watch cache that differed from etcd. */
  readonly inconsistentViews: NumberFamily;
  /** Objects per lease of etcd. */
  readonly leaseObjects: HistogramFamily;
  readonly storageObjects: NumberFamily;
  /** The later name of the same. */
  readonly resourceObjects: NumberFamily;
  /** The former name of the same. */
  readonly objectCounts: NumberFamily;
  readonly etcdDatabaseSize: NumberFamily;
  readonly storageSize: NumberFamily;
  readonly etcdKnownDefects: NumberFamily;
}

/** Registers the metrics. */
export function createStorageMetrics(metrics: Metrics): StorageFamilies {
  return {
    ...storageMetrics(metrics),
    ...consistencyMetrics(metrics),
    ...storageSizeMetrics(metrics),
  };
}

function storageMetrics(metrics: Metrics) {
  return {
    etcdRequestDuration: metrics.histogram({
      name: 'etcd_request_duration_seconds',
      help: 'etcd request latency in seconds, by operation and type of object (its resource).',
      labels: ['operation', 'type'],
      laterLabels: { since: '1.35', labels: ['operation', 'group', 'resource'] },
      bounds: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 15, 30, 60],
    }),
    watchCacheReadWait: metrics.histogram({
      name: 'apiserver_watch_cache_read_wait_seconds',
      help: 'Time in seconds until the watch cache reached the current revision of etcd, for each consistent read.',
    }),
    compactions: metrics.counter({
      name: 'apiserver_storage_compactions_total',
      help: 'Compactions of etcd by this replica; one replica compacts for all.',
    }),
    transformations: metrics.counter({
      name: 'apiserver_storage_transformation_operations_total',
      help: 'Encryptions (to_storage) and decryptions (from_storage) of stored values, by prefix of the provider and status.',
      labels: ['transformation_type', 'transformer_prefix', 'status'],
    }),
    transformationDuration: metrics.histogram({
      name: 'apiserver_storage_transformation_duration_seconds',
      help: 'Latency in seconds of encryptions (to_storage) and decryptions (from_storage) of stored values.',
      labels: ['transformation_type'],
      laterLabels: { since: '1.27', labels: ['transformation_type', 'transformer_prefix'] },
      bounds: Array.from({ length: 14 }, (_, i) => 5e-6 * 2 ** i),
    }),
    keyCacheMisses: metrics.counter({
      name: 'apiserver_storage_envelope_transformation_cache_misses_total',
      help: 'Data keys of stored values that were not cached, so that a KMS plugin was asked.',
    }),
    decodeErrors: metrics.counter({
      name: 'apiserver_storage_decode_errors_total',
      help: 'Stored values that could not be decrypted, by resource.',
      labels: ['resource'],
      laterLabels: { since: '1.35', labels: ['group', 'resource'] },
    }),
  };
}

function consistencyMetrics(metrics: Metrics) {
  return {
    consistencyChecks: metrics.counter({
      name: 'apiserver_storage_consistency_checks_total',
      help: 'Comparisons of the watch cache with etcd, by status: the same (success), different (failure), not finished (error).',
      labels: ['status'],
    }),
    consistencyCheckDuration: metrics.histogram({
      name: 'apiserver_storage_consistency_check_duration_seconds',
      help: 'Time in seconds that a comparison of the watch cache with etcd took, with its pauses.',
      bounds: [0.01, 0.1, 1, 5, 15, 30, 60, 120, 300],
    }),
    inconsistentViews: metrics.counter({
      name: 'apiserver_storage_view_inconsistent_total',
      help: 'Collections of the watch cache that differed from etcd and were loaded again, by resource.',
      labels: ['resource'],
    }),
  };
}

function storageSizeMetrics(metrics: Metrics) {
  return {
    leaseObjects: metrics.histogram({
      name: 'etcd_lease_object_counts',
      help: 'Objects that were attached to one lease of etcd.',
      bounds: [10, 50, 100, 500, 1000, 2500, 5000],
    }),
    storageObjects: metrics.gauge({
      name: 'apiserver_storage_objects',
      help: 'Stored objects by resource.',
      life: 'STABLE 1.21, deprecated 1.34',
      labels: ['resource'],
      aggregator: 'max',
    }),
    resourceObjects: metrics.gauge({
      name: 'apiserver_resource_objects',
      life: 'ALPHA 1.34',
      help: 'Stored objects by group and resource.',
      labels: ['group', 'resource'],
      aggregator: 'max',
    }),
    objectCounts: metrics.gauge({
      name: 'etcd_object_counts',
      help: 'Stored objects by resource; apiserver_storage_objects replaces it in release 1.22.',
      deprecatedIn: '1.22',
      labels: ['resource'],
      aggregator: 'max',
    }),
    etcdDatabaseSize: metrics.gauge({
      name: 'etcd_db_total_size_in_bytes',
      // The first name stays in all releases: alerts use it.
      otherNames: [{ name: 'apiserver_storage_db_total_size_in_bytes', life: 'ALPHA 1.26, deprecated 1.28' }],
      help: 'Size in bytes of the database file of each etcd member.',
      labels: ['endpoint'],
      aggregator: 'max',
    }),
    storageSize: metrics.gauge({
      name: 'apiserver_storage_size_bytes',
      life: 'ALPHA 1.28, STABLE 1.34',
      help: 'Size in bytes of the database file of each etcd cluster, as its first member says.',
      labels: ['cluster'],
      laterLabels: { since: '1.30', labels: ['storage_cluster_id'] },
      aggregator: 'max',
    }),
    etcdKnownDefects: metrics.gauge({
      name: 'apiserver_storage_etcd_known_defects',
      help: 'Known defects of the release that each etcd member runs, by which it loses events or data.',
      labels: ['endpoint', 'version'],
      aggregator: 'max',
    }),
  };
}
