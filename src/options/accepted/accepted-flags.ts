/**
 * Flags of kube-apiserver 1.21 that mean nothing to this service. They are accepted, so that a manifest made for
 * kube-apiserver starts it; each one that is given is answered with a warning that says why it changes nothing.
 */
import type { FlagDefinition } from '../flag-definition.ts';
import type { FlagValues } from '../flag-reader.ts';

export interface AcceptedFlag {
  readonly name: string;
  /** Placeholder of the value; '' for boolean flags. */
  readonly value: string;
  /** A sentence. */
  readonly why: string;
  /** kube-apiserver has deprecated it, too. */
  readonly isDeprecated?: boolean;
}

const noInsecurePort = 'Everything is served over TLS on --secure-port.';
const noCloud = 'Cloud providers run outside of the API server, in their own controller manager.';
const noTunnel = 'Nodes are reached directly.';
const logRecords = 'The log goes to standard error, one record per line; collect it from there.';

const historyOfEtcd =
  'Watches resume from the history of etcd for one --etcd-compaction-interval, however many events that is.';

/** In alphabetical order. */
export const acceptedFlags: readonly AcceptedFlag[] = [
  { name: 'add_dir_header', value: '', why: logRecords, isDeprecated: true },
  { name: 'address', value: 'ADDRESS', why: noInsecurePort, isDeprecated: true },
  {
    name: 'allow-metric-labels',
    value: 'LABELS',
    why: 'Values of labels are bounded where they are made: what is unknown is counted as "other" or not at all.',
  },
  { name: 'alsologtostderr', value: '', why: logRecords, isDeprecated: true },
  {
    name: 'apiserver-count',
    value: 'NUMBER',
    why: 'Replicas find each other by their leases in etcd.',
    isDeprecated: true,
  },
  {
    name: 'cert-dir',
    value: 'FOLDER',
    why: 'Generated certificates are in the PKI of --data-dir.',
  },
  { name: 'cloud-config', value: 'FILE', why: noCloud, isDeprecated: true },
  { name: 'cloud-provider', value: 'NAME', why: noCloud, isDeprecated: true },
  { name: 'cloud-provider-gce-l7lb-src-cidrs', value: 'CIDRS', why: noCloud, isDeprecated: true },
  { name: 'cloud-provider-gce-lb-src-cidrs', value: 'CIDRS', why: noCloud, isDeprecated: true },
  {
    name: 'contention-profiling',
    value: '',
    why: 'One thread serves the requests of a process, so there are no locks to wait for.',
  },
  { name: 'default-watch-cache-size', value: 'NUMBER', why: historyOfEtcd },
  {
    name: 'deserialization-cache-size',
    value: 'NUMBER',
    why: 'The state is kept in memory as it is stored, and sent without being decoded.',
    isDeprecated: true,
  },
  {
    name: 'disabled-metrics',
    value: 'NAMES',
    why: 'Every metric is bounded in the number of its series; drop it where it is scraped.',
  },
  {
    name: 'egress-selector-config-file',
    value: 'FILE',
    why: 'Connections to nodes, webhooks and etcd are made directly; the network decides how they go.',
  },
  {
    name: 'enable-logs-handler',
    value: '',
    why: 'No path gives out files of the machine.',
    isDeprecated: true,
  },
  {
    name: 'enable-swagger-ui',
    value: '',
    why: 'Swagger 1.2 is gone; /openapi/v2 and /openapi/v3 have the schemas.',
    isDeprecated: true,
  },
  {
    name: 'etcd-count-metric-poll-period',
    value: 'DURATION',
    why: 'Objects are counted in memory, which asks nothing of etcd.',
  },
  {
    name: 'etcd-healthcheck-timeout',
    value: 'DURATION',
    why: 'Health checks of etcd have a timeout of their own.',
  },
  {
    name: 'experimental-logging-sanitization',
    value: '',
    why: 'Credentials and secrets are never logged.',
  },
  { name: 'insecure-bind-address', value: 'ADDRESS', why: noInsecurePort, isDeprecated: true },
  { name: 'insecure-port', value: 'PORT', why: noInsecurePort, isDeprecated: true },
  {
    name: 'kubelet-https',
    value: '',
    why: 'Agents of nodes are always asked over TLS.',
    isDeprecated: true,
  },
  {
    name: 'kubelet-port',
    value: 'PORT',
    why: 'The port of an agent is the one in the status of its Node.',
    isDeprecated: true,
  },
  {
    name: 'kubelet-read-only-port',
    value: 'PORT',
    why: 'Agents of nodes are always asked over TLS, with authentication.',
    isDeprecated: true,
  },
  { name: 'log-flush-frequency', value: 'DURATION', why: 'Records are written at once.' },
  {
    name: 'log_backtrace_at',
    value: 'LINE',
    why: 'Errors are logged with their stack; use --v=4 for more.',
    isDeprecated: true,
  },
  { name: 'log_dir', value: 'FOLDER', why: logRecords, isDeprecated: true },
  { name: 'log_file', value: 'FILE', why: logRecords, isDeprecated: true },
  { name: 'log_file_max_size', value: 'MEGABYTES', why: logRecords, isDeprecated: true },
  { name: 'logtostderr', value: '', why: logRecords, isDeprecated: true },
  {
    name: 'master-service-namespace',
    value: 'NAME',
    why: 'The Service of the API is in the namespace default.',
    isDeprecated: true,
  },
  { name: 'one_output', value: '', why: logRecords, isDeprecated: true },
  {
    name: 'permit-address-sharing',
    value: '',
    why: 'The port can be bound again at once after a restart in any case.',
  },
  {
    name: 'permit-port-sharing',
    value: '',
    why: 'Processes share the port by --workers.',
  },
  { name: 'port', value: 'PORT', why: noInsecurePort, isDeprecated: true },
  { name: 'skip_headers', value: '', why: logRecords, isDeprecated: true },
  { name: 'skip_log_headers', value: '', why: logRecords, isDeprecated: true },
  { name: 'ssh-keyfile', value: 'FILE', why: noTunnel, isDeprecated: true },
  { name: 'ssh-user', value: 'NAME', why: noTunnel, isDeprecated: true },
  { name: 'stderrthreshold', value: 'LEVEL', why: logRecords, isDeprecated: true },
  {
    name: 'storage-backend',
    value: 'NAME',
    why: 'Objects are stored in etcd, version 3.',
  },
  {
    name: 'storage-media-type',
    value: 'TYPE',
    why: 'Objects are stored as JSON, which is sent to clients as it is stored.',
  },
  {
    name: 'target-ram-mb',
    value: 'MEGABYTES',
    why: 'All objects are kept in memory; caches beside them have fixed bounds.',
    isDeprecated: true,
  },
  { name: 'vmodule', value: 'LEVELS', why: 'The level of the log is one for all; use --v.' },
  {
    name: 'watch-cache',
    value: '',
    why: 'Reads and watches are always served from the state in memory, and are as fresh as from etcd.',
  },
  { name: 'watch-cache-sizes', value: 'SIZES', why: historyOfEtcd },
];

/** The same as definitions, for the command line and its help. */
export const acceptedFlagDefinitions: readonly FlagDefinition[] = acceptedFlags.flatMap((flag) =>
  namesOf(flag).map((name) => ({
    ...{ name, value: flag.value, default: '', repeatable: true },
    description: `${flag.isDeprecated === true ? 'Deprecated. ' : ''}No effect. ${flag.why}`,
  })),
);

/** A warning for each of these flags that is given. */
export function warnAboutAccepted(texts: FlagValues): string[] {
  return acceptedFlags.flatMap((flag) =>
    namesOf(flag)
      .filter((name) => texts[name] !== undefined)
      .map((name) => `flag --${name} has no effect: ${lowerFirst(flag.why)}`),
  );
}

/** kube-apiserver takes a hyphen for every underscore. */
function namesOf({ name }: AcceptedFlag): string[] {
  return name.includes('_') ? [name, name.replaceAll('_', '-')] : [name];
}

function lowerFirst(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1, -1)}`;
}
