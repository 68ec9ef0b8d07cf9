/** The metrics of an API server replica by their well-known names; dashboards and alerts depend on them. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

/** What becomes of connections before a request of them is read. */
export interface ConnectionMetrics {
  readonly tlsHandshakeErrors: NumberFamily;
  readonly rejectedConnections: NumberFamily;
}

export interface ServerMetrics extends ConnectionMetrics {
  readonly throttledAuthentications: NumberFamily;
  readonly requestTotal: NumberFamily;
  readonly requestDuration: HistogramFamily;
  readonly currentInflight: NumberFamily;
  readonly currentInqueue: NumberFamily;
  readonly inflightBodyBytes: NumberFamily;
  readonly longRunning: NumberFamily;
  readonly registeredWatchers: NumberFamily;
  readonly watchEvents: NumberFamily;
  /** Watches that were ended because their client did not keep up. */
  readonly terminatedWatchers: NumberFamily;
  /** Frames made, by contrast to frames sent: one per event and representation. */
  readonly watchFramesEncoded: NumberFamily;
  /** The cache of representations: bytes, how many were made, and how many were evicted. */
  readonly representationBytes: NumberFamily;
  readonly representationsMade: NumberFamily;
  readonly representationsEvicted: NumberFamily;
  readonly requestedDeprecatedApis: NumberFamily;
  readonly requestTerminations: NumberFamily;
  readonly droppedRequests: NumberFamily;
  readonly etcdRequestDuration: HistogramFamily;
  /** How far the watch cache is behind etcd, at each consistent read. */
  readonly watchCacheReadWait: HistogramFamily;
  readonly compactions: NumberFamily;
  readonly etcdDatabaseSize: NumberFamily;
  /** How long certificates of clients are still valid, each time that one is shown. */
  readonly clientCertificateExpiration: HistogramFamily;
  /** When the certificates of the service itself end. */
  readonly certificateNotAfter: NumberFamily;
}

const resourceLabels = ['group', 'version', 'resource', 'subresource', 'scope', 'component'];

/** Registers them all. */
export function createServerMetrics(metrics: Metrics): ServerMetrics {
  return {
    ...requestMetrics(metrics),
    ...watchMetrics(metrics),
    ...representationMetrics(metrics),
    ...storageMetrics(metrics),
    ...certificateMetrics(metrics),
    ...createConnectionMetrics(metrics),
    ...otherMetrics(metrics),
  };
}

function requestMetrics(metrics: Metrics) {
  return {
    requestTotal: metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, resource, scope, dry run, content type of the answer and HTTP status code.',
      labels: ['verb', 'dry_run', ...resourceLabels, 'contentType', 'code'],
    }),
    requestDuration: metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer, watches left out.',
      labels: ['verb', 'dry_run', ...resourceLabels],
    }),
    currentInflight: metrics.gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests being served now by kind (mutating, readOnly), watches left out.',
      labels: ['request_kind'],
    }),
    currentInqueue: metrics.gauge({
      name: 'apiserver_current_inqueue_requests',
      help: 'Requests that wait for a seat now by kind (mutating, readOnly).',
      labels: ['request_kind'],
    }),
    inflightBodyBytes: metrics.gauge({
      name: 'apiserver_current_inflight_request_bytes',
      help: 'Bytes of large request bodies in work now.',
    }),
    requestTerminations: metrics.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended in self-defence.',
      labels: ['verb', 'code', ...resourceLabels],
    }),
    droppedRequests: metrics.counter({
      name: 'apiserver_dropped_requests_total',
      help: 'Requests refused because too many of their kind (mutating, readOnly) were being served.',
      labels: ['request_kind'],
    }),
  };
}

function watchMetrics(metrics: Metrics) {
  const kindLabels = ['group', 'version', 'kind'];
  return {
    longRunning: metrics.gauge({
      name: 'apiserver_longrunning_gauge',
      help: 'Long-running requests being served now.',
      labels: ['verb', ...resourceLabels],
    }),
    registeredWatchers: metrics.gauge({
      name: 'apiserver_registered_watchers',
      help: 'Watches open now.',
      labels: kindLabels,
    }),
    watchEvents: metrics.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watches.',
      labels: kindLabels,
    }),
    terminatedWatchers: metrics.counter({
      name: 'apiserver_terminated_watchers_total',
      help: 'Watches ended because their client did not keep up.',
      labels: ['resource'],
    }),
    watchFramesEncoded: metrics.counter({
      name: 'apiserver_watch_frames_encoded_total',
      help: 'Watch frames made; each serves all watches of its representation.',
      labels: kindLabels,
    }),
  };
}

function representationMetrics(metrics: Metrics) {
  return {
    representationBytes: metrics.gauge({
      name: 'apiserver_representation_bytes',
      help: 'Bytes kept of representations: of objects (item), of events (frame) and of custom resources that are converted (converted).',
      labels: ['kind'],
    }),
    representationsMade: metrics.counter({
      name: 'apiserver_representations_made_total',
      help: 'Representations of objects made: rows of tables, Protobuf messages, versions that are not stored.',
    }),
    representationsEvicted: metrics.counter({
      name: 'apiserver_representations_evicted_total',
      help: 'Representations of objects forgotten for want of room.',
    }),
  };
}

function storageMetrics(metrics: Metrics) {
  return {
    etcdRequestDuration: metrics.histogram({
      name: 'etcd_request_duration_seconds',
      help: 'Time that etcd took to answer, by operation and type of object.',
      labels: ['operation', 'type'],
    }),
    watchCacheReadWait: metrics.histogram({
      name: 'apiserver_watch_cache_read_wait_seconds',
      help: 'Time until this replica had in memory what etcd had committed, each time that a read asked for the newest state.',
    }),
    compactions: metrics.counter({
      name: 'apiserver_storage_compactions_total',
      help: 'Compactions of the history in etcd by this replica; one replica compacts for all.',
    }),
    etcdDatabaseSize: metrics.gauge({
      name: 'etcd_db_total_size_in_bytes',
      help: 'Size of the database file of each etcd member.',
      labels: ['endpoint'],
      aggregator: 'max',
    }),
  };
}

const [minute, day] = [60, 86_400];

/** From half an hour to a year, as in the reference. */
const expirationBounds = [
  ...[0, 30 * minute, 60 * minute, 120 * minute, 360 * minute, 720 * minute],
  ...[1, 2, 4, 7, 30, 90, 180, 365].map((days) => days * day),
];

function certificateMetrics(metrics: Metrics) {
  return {
    clientCertificateExpiration: metrics.histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Time that the client certificates of requests are still valid.',
      bounds: expirationBounds,
    }),
    certificateNotAfter: metrics.gauge({
      name: 'apiserver_certificate_not_after_timestamp_seconds',
      help: 'When the certificates of the service end: its own (server), that for etcd (etcd-client), and the authorities of both.',
      labels: ['certificate'],
      aggregator: 'max',
    }),
  };
}

/** Registers those of connections. */
export function createConnectionMetrics(metrics: Metrics): ConnectionMetrics {
  return {
    tlsHandshakeErrors: metrics.counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections that were dropped because their TLS handshake failed.',
    }),
    rejectedConnections: metrics.counter({
      name: 'apiserver_rejected_connections_total',
      help: 'Connections that were closed before they were served, by reason (limit, address-limit, displaced, silent, overdue).',
      labels: ['reason'],
    }),
  };
}

function otherMetrics(metrics: Metrics) {
  return {
    throttledAuthentications: metrics.counter({
      name: 'apiserver_throttled_authentications_total',
      help: 'Requests refused because too many credentials from their address were not accepted.',
    }),
    requestedDeprecatedApis: metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated APIs that others than the own controllers requested since the start, by removal release.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
      aggregator: 'max',
    }),
  };
}
