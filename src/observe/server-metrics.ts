/** Metrics of an API server replica, with their Kubernetes names; dashboards and alerts depend on them. */
import { allocationMetrics } from './allocation-metrics.ts';
import { createClientMetrics, type ClientFamilies } from './client-metrics.ts';
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';
import { createStorageMetrics, type StorageFamilies } from './storage-metrics.ts';
import { createTokenMetrics, type TokenMetrics } from './token-metrics.ts';

/** Metrics of connections before their first request. */
export interface ConnectionMetrics {
  readonly tlsHandshakeErrors: NumberFamily;
  readonly rejectedConnections: NumberFamily;
}

export interface ServerMetrics extends ConnectionMetrics, StorageFamilies, ClientFamilies {
  readonly throttledAuthentications: NumberFamily;
  /** Decisions on tokens of issuers. */
  readonly tokenDecisions: HistogramFamily;
  /** Changes of the graph of the Node authorizer. */
  readonly nodeGraphDuration: HistogramFamily;
  readonly requestTotal: NumberFamily;
  readonly requestDuration: HistogramFamily;
  /** Without the wait for a seat. */
  readonly requestSli: HistogramFamily;
  readonly responseSizes: HistogramFamily;
  readonly filterDuration: HistogramFamily;
  readonly authenticatedUsers: NumberFamily;
  readonly authenticationAttempts: NumberFamily;
  readonly authenticationDuration: HistogramFamily;
  readonly currentInflight: NumberFamily;
  readonly currentInqueue: NumberFamily;
  readonly inflightBodyBytes: NumberFamily;
  readonly longRunning: NumberFamily;
  readonly registeredWatchers: NumberFamily;
  readonly watchEvents: NumberFamily;
  readonly watchEventSizes: HistogramFamily;
  /** Until the end of the initial events of watches that ask for them. */
  readonly watchListDuration: HistogramFamily;
  readonly initEvents: NumberFamily;
  /** Watches terminated because the client was too slow. */
  readonly terminatedWatchers: NumberFamily;
  /** Ended watches by reason, and how long they lasted. */
  readonly watchEnds: NumberFamily;
  readonly watchDuration: HistogramFamily;
  /** Encoded frames, as opposed to sent ones: one per event and representation. */
  readonly watchFramesEncoded: NumberFamily;
  /** The cache of representations: bytes, creations and evictions. */
  readonly representationBytes: NumberFamily;
  readonly representationsMade: NumberFamily;
  readonly representationsEvicted: NumberFamily;
  /** Problems of addresses and node ports of services. */
  readonly clusterIpRepairErrors: NumberFamily;
  readonly nodePortRepairErrors: NumberFamily;
  /** Fill of the ranges of addresses (`cidr`) and node ports. */
  readonly allocatedIps: NumberFamily;
  readonly availableIps: NumberFamily;
  readonly allocatedPorts: NumberFamily;
  readonly availablePorts: NumberFamily;
  readonly requestedDeprecatedApis: NumberFamily;
  readonly requestTerminations: NumberFamily;
  readonly droppedRequests: NumberFamily;
  /** The former name of the same. */
  readonly formerDroppedRequests: NumberFamily;
  /** Remaining validity of client certificates of requests. */
  readonly clientCertificateExpiration: HistogramFamily;
  /** Expiry of the certificates of the service. */
  readonly certificateNotAfter: NumberFamily;
  readonly buildInfo: NumberFamily;
  readonly secretTokens: TokenMetrics;
}

/** Those of kube-apiserver, from 50 ms on, and smaller ones, as most requests are faster. */
const requestBounds = [
  ...[0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
];

const resourceLabels = ['group', 'version', 'resource', 'subresource', 'scope', 'component'];

/** Registers the metrics. */
export function createServerMetrics(metrics: Metrics): ServerMetrics {
  return {
    ...requestMetrics(metrics),
    ...loadMetrics(metrics),
    ...authenticationMetrics(metrics),
    ...watchMetrics(metrics),
    ...watchEndMetrics(metrics),
    ...representationMetrics(metrics),
    ...createStorageMetrics(metrics),
    ...certificateMetrics(metrics),
    ...createConnectionMetrics(metrics),
    ...otherMetrics(metrics),
    ...createClientMetrics(metrics),
    ...allocationMetrics(metrics),
    secretTokens: createTokenMetrics(metrics),
  };
}

function requestMetrics(metrics: Metrics) {
  return {
    requestTotal: metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, dry run, group, version, resource, subresource, scope, component and HTTP code.',
      stability: 'STABLE',
      labels: ['verb', 'dry_run', ...resourceLabels, 'code'],
    }),
    requestDuration: metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Response latency in seconds, without watches.',
      stability: 'STABLE',
      labels: ['verb', 'dry_run', ...resourceLabels],
      bounds: requestBounds,
    }),
    requestSli: metrics.histogram({
      name: 'apiserver_request_sli_duration_seconds',
      life: 'ALPHA 1.26',
      help: 'Response latency in seconds without the wait for a seat, without watches.',
      labels: ['verb', ...resourceLabels],
      bounds: requestBounds,
      otherNames: [{ name: 'apiserver_request_slo_duration_seconds', life: 'ALPHA 1.23, deprecated 1.27' }],
    }),
    responseSizes: metrics.histogram({
      name: 'apiserver_response_sizes',
      life: 'ALPHA 1.21, STABLE 1.23',
      help: 'Bytes of the responses to reads, before compression, without watches.',
      labels: ['verb', ...resourceLabels],
      bounds: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    }),
    filterDuration: metrics.histogram({
      name: 'apiserver_request_filter_duration_seconds',
      help: 'Time in seconds that requests spend in a filter (authentication, impersonation, priorityandfairness, maxinflight, authorization).',
      labels: ['filter'],
      bounds: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5],
    }),
  };
}

function loadMetrics(metrics: Metrics) {
  return {
    currentInflight: metrics.gauge({
      name: 'apiserver_current_inflight_requests',
      life: 'ALPHA 1.21, STABLE 1.23',
      help: 'Requests currently in flight by kind (mutating, readOnly), without watches.',
      labels: ['request_kind'],
    }),
    currentInqueue: metrics.gauge({
      name: 'apiserver_current_inqueue_requests',
      help: 'Requests currently queued by kind (mutating, readOnly).',
      labels: ['request_kind'],
    }),
    inflightBodyBytes: metrics.gauge({
      name: 'apiserver_current_inflight_request_bytes',
      help: 'Bytes of large request bodies currently in flight.',
    }),
    requestTerminations: metrics.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests terminated by the server in self-defense.',
      labels: ['verb', 'code', ...resourceLabels],
    }),
    droppedRequests: metrics.counter({
      name: 'apiserver_dropped_requests_total',
      life: 'ALPHA 1.21, deprecated 1.24, gone 1.25',
      help: 'Requests rejected because of the in-flight limit, by kind (mutating, readOnly).',
      labels: ['request_kind'],
    }),
    formerDroppedRequests: metrics.counter({
      name: 'apiserver_dropped_requests',
      help: 'The same as apiserver_dropped_requests_total, under its former name.',
      deprecatedIn: '1.18',
      labels: ['request_kind'],
    }),
  };
}

const kindLabels = ['group', 'version', 'kind'];

function watchMetrics(metrics: Metrics) {
  return {
    longRunning: metrics.gauge({
      name: 'apiserver_longrunning_requests',
      life: 'ALPHA 1.23, STABLE 1.25',
      help: 'Long-running requests currently in flight.',
      otherNames: [{ name: 'apiserver_longrunning_gauge', life: 'ALPHA 1.21, deprecated 1.23, gone 1.25' }],
      labels: ['verb', ...resourceLabels],
    }),
    registeredWatchers: metrics.gauge({
      name: 'apiserver_registered_watchers',
      life: 'ALPHA 1.21, deprecated 1.23, gone 1.25',
      help: 'Currently open watches.',
      labels: kindLabels,
    }),
    watchEvents: metrics.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watches.',
      labels: kindLabels,
      laterLabels: { since: '1.35', labels: ['group', 'version', 'resource'] },
    }),
    watchEventSizes: metrics.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of the events sent to watches.',
      labels: kindLabels,
      laterLabels: { since: '1.35', labels: ['group', 'version', 'resource'] },
      bounds: Array.from({ length: 8 }, (_, i) => 1_024 * 2 ** i),
    }),
    watchListDuration: metrics.histogram({
      name: 'apiserver_watch_list_duration_seconds',
      life: 'ALPHA 1.30, BETA 1.36',
      help: 'Time in seconds until the initial events of a watch that asks for them are sent, by resource and scope.',
      labels: ['group', 'version', 'resource', 'scope'],
      bounds: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
    }),
    initEvents: metrics.counter({
      name: 'apiserver_init_events_total',
      help: 'Events that watches began with, by resource.',
      labels: ['resource'],
      laterLabels: { since: '1.35', labels: ['group', 'resource'] },
    }),
    terminatedWatchers: metrics.counter({
      name: 'apiserver_terminated_watchers_total',
      help: 'Watches terminated because the client was too slow.',
      labels: ['resource'],
      laterLabels: { since: '1.35', labels: ['group', 'resource'] },
    }),
  };
}

function watchEndMetrics(metrics: Metrics) {
  return {
    watchEnds: metrics.counter({
      name: 'apiserver_watch_ends_total',
      help: 'Ended watches by reason (client, timeout, expired, slow, error, unserved, shutdown).',
      labels: ['resource', 'reason'],
    }),
    watchDuration: metrics.histogram({
      name: 'apiserver_watch_duration_seconds',
      help: 'Time in seconds from the beginning of watches to their end.',
      labels: ['resource'],
      bounds: [1, 10, 60, 180, 300, 480, 600, 1_800, 3_600],
    }),
    watchFramesEncoded: metrics.counter({
      name: 'apiserver_watch_frames_encoded_total',
      help: 'Encoded watch frames; each is shared by all watches of its representation.',
      labels: kindLabels,
    }),
  };
}

function representationMetrics(metrics: Metrics) {
  return {
    representationBytes: metrics.gauge({
      name: 'apiserver_representation_bytes',
      help: 'Bytes of cached representations: of objects (item), of events (frame) and of converted custom resources (converted).',
      labels: ['kind'],
    }),
    representationsMade: metrics.counter({
      name: 'apiserver_representations_made_total',
      help: 'Created representations of objects: table rows, Protobuf messages, converted versions.',
    }),
    representationsEvicted: metrics.counter({
      name: 'apiserver_representations_evicted_total',
      help: 'Evicted representations of objects.',
    }),
  };
}

const [minute, day] = [60, 86_400];

/** From half an hour to a year, as in kube-apiserver. */
const expirationBounds = [
  ...[0, 30 * minute, 60 * minute, 120 * minute, 360 * minute, 720 * minute],
  ...[1, 2, 4, 7, 30, 90, 180, 365].map((days) => days * day),
];

function certificateMetrics(metrics: Metrics) {
  return {
    clientCertificateExpiration: metrics.histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Remaining validity in seconds of the client certificates of requests.',
      bounds: expirationBounds,
    }),
    certificateNotAfter: metrics.gauge({
      name: 'apiserver_certificate_not_after_timestamp_seconds',
      help: 'Expiry (Unix time) of the certificates of the service: serving (server, server-sni), for etcd (etcd-client), and the CAs of both.',
      labels: ['certificate'],
      aggregator: 'max',
    }),
  };
}

/** Registers the metrics of connections. */
export function createConnectionMetrics(metrics: Metrics): ConnectionMetrics {
  return {
    tlsHandshakeErrors: metrics.counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections dropped because of a TLS handshake error.',
    }),
    rejectedConnections: metrics.counter({
      name: 'apiserver_rejected_connections_total',
      help: 'Connections closed before their first request, by reason (limit, address-limit, displaced, silent, overdue).',
      labels: ['reason'],
    }),
  };
}

function authenticationMetrics(metrics: Metrics) {
  return {
    authenticatedUsers: metrics.counter({
      name: 'authenticated_user_requests',
      help: 'Authenticated requests by user: a few well-known names, email_id for addresses, other for the rest.',
      labels: ['username'],
    }),
    authenticationAttempts: metrics.counter({
      name: 'authentication_attempts',
      help: 'Authentications by result (success, failure, error).',
      labels: ['result'],
    }),
    authenticationDuration: metrics.histogram({
      name: 'authentication_duration_seconds',
      help: 'Authentication latency in seconds by result.',
      labels: ['result'],
      bounds: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
    }),
  };
}

function otherMetrics(metrics: Metrics) {
  return {
    buildInfo: metrics.gauge({
      name: 'kubernetes_build_info',
      life: 'ALPHA 1.21, BETA 1.36',
      help: 'Always 1; its labels say which build runs.',
      labels: [
        'major',
        'minor',
        'git_version',
        'git_commit',
        'git_tree_state',
        'build_date',
        'go_version',
        'compiler',
        'platform',
      ],
      aggregator: 'max',
    }),
    throttledAuthentications: metrics.counter({
      name: 'apiserver_throttled_authentications_total',
      help: 'Requests rejected because of too many failed authentications from their address.',
    }),
    tokenDecisions: metrics.histogram({
      name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
      help: 'Latency in seconds of the authentication of tokens of issuers, by result and the digest of the issuer.',
      labels: ['result', 'jwt_issuer_hash'],
      bounds: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    }),
    nodeGraphDuration: metrics.histogram({
      name: 'node_authorizer_graph_actions_duration_seconds',
      help: 'Time in seconds of changes to the graph of the Node authorizer, by operation.',
      labels: ['operation'],
      bounds: Array.from({ length: 12 }, (_, i) => 0.0001 * 2 ** i),
    }),
    requestedDeprecatedApis: metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      life: 'ALPHA 1.21, STABLE 1.22',
      help: 'Deprecated APIs that were requested since the start, except by internal controllers, by removal release.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
      aggregator: 'max',
    }),
    clusterIpRepairErrors: metrics.counter({
      name: 'kube_apiserver_clusterip_repair_ip_errors_total',
      help: 'Problems of cluster IPs that the repair found, by type (leak, repair, duplicate, outOfRange).',
      labels: ['type'],
    }),
    nodePortRepairErrors: metrics.counter({
      name: 'kube_apiserver_nodeport_repair_port_errors_total',
      help: 'Problems of node ports that the repair found, by type (leak, repair, duplicate, outOfRange).',
      labels: ['type'],
    }),
  };
}
