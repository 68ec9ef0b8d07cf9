/** etcd flags, their configuration and files. */
import type { NamingProfile } from '../meta/naming.ts';
import { transportNames, type EtcdTls, type TransportName } from '../storage/options.ts';
import type { EtcdOverride } from './etcd-overrides.ts';
import type { FileCheck } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const etcdFlags = [
  {
    name: 'etcd-cafile',
    value: 'FILE',
    default: '',
    description: 'CA bundle (PEM) that verifies the certificates of the etcd servers.',
  },
  {
    name: 'etcd-certfile',
    value: 'FILE',
    default: '',
    description: 'File with the client certificate (PEM) for etcd.',
  },
  {
    name: 'etcd-compaction-interval',
    value: 'DURATION',
    default: '5m',
    description: 'The interval of compaction requests to etcd. 0 disables compaction.',
  },
  {
    name: 'etcd-db-metric-poll-interval',
    value: 'DURATION',
    default: '30s',
    description:
      'The interval at which the metric of the size of the etcd databases is updated. 0 disables it.',
  },
  {
    name: 'etcd-keyfile',
    value: 'FILE',
    default: '',
    description: 'File with the private key (PEM) of --etcd-certfile.',
  },
  {
    name: 'etcd-prefix',
    value: 'KEY',
    default: '/registry',
    description: 'The prefix of all keys in etcd.',
  },
  {
    name: 'etcd-servers',
    value: 'URLS',
    default: '',
    description:
      'List of etcd servers to connect with (scheme://host:port), comma-separated. If empty, the service starts its own etcd.',
    repeatable: true,
  },
  {
    name: 'etcd-servers-overrides',
    value: 'OVERRIDES',
    default: '',
    description:
      'Resources in an etcd cluster of their own, comma-separated: GROUP/RESOURCE#SERVERS, with URLs separated by semicolons, such as /events#https://host:2379. GROUP/* means a whole group. Files and prefix as for --etcd-servers.',
    repeatable: true,
  },
  {
    name: 'etcd-transport',
    value: 'builtin|node',
    default: 'builtin',
    description:
      'HTTP/2 implementation of the etcd client: builtin, or node for node:http2, which uses more CPU.',
  },
  {
    name: 'event-ttl',
    value: 'DURATION',
    default: '1h0m0s',
    description:
      'How long events are retained after their last change. 0 retains them until they are deleted.',
  },
  {
    name: 'lease-reuse-duration-seconds',
    value: 'NUMBER',
    default: '60',
    description:
      'The maximum number of seconds in which written events share a lease of etcd; at most a twentieth of --event-ttl. Less has a cost in etcd, more lets events outlive --event-ttl by it.',
  },
] as const satisfies readonly FlagDefinition[];

type EtcdFlags = FlagReader<(typeof etcdFlags)[number]['name']>;

export interface EtcdConfig {
  /** Empty if the service starts its own etcd. */
  readonly servers: readonly string[];
  /** Collections in etcd clusters of their own. */
  readonly overrides: readonly EtcdOverride[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly prefix: string;
  readonly compactionIntervalMs: number;
  readonly databaseSizeIntervalMs: number;
  /** HTTP/2 implementation of the etcd client. */
  readonly transport: TransportName;
  /** Time to live of events after each write; 0 if they do not expire. */
  readonly eventTtlSeconds: number;
  /** Maximum time in which written events share a lease. */
  readonly leaseReuseSeconds: number;
}

/** @param naming the profile whose groups the overrides name */
export async function readEtcd(
  texts: FlagValues,
  errors: FlagErrors,
  naming: NamingProfile['name'],
): Promise<EtcdConfig> {
  const flags = new FlagReader(etcdFlags, texts, errors);
  const servers = readServers(flags);
  const config = {
    servers,
    overrides: await readServersOverrides(flags, { naming, servers }),
    caFile: flags.text('etcd-cafile'),
    certFile: flags.text('etcd-certfile'),
    keyFile: flags.text('etcd-keyfile'),
    prefix: readPrefix(flags),
    compactionIntervalMs: flags.duration('etcd-compaction-interval'),
    databaseSizeIntervalMs: flags.duration('etcd-db-metric-poll-interval'),
    transport: flags.choice('etcd-transport', transportNames),
    eventTtlSeconds: readEventTtl(flags),
    leaseReuseSeconds: flags.integer('lease-reuse-duration-seconds', 0, 86_400),
  };
  checkTls(flags, config);
  return config;
}

/** Without the flag the catalogue is not loaded: the supervisor process does not need it. */
async function readServersOverrides(
  flags: EtcdFlags,
  parts: { readonly naming: NamingProfile['name']; readonly servers: readonly string[] },
): Promise<EtcdOverride[]> {
  const items = flags.list('etcd-servers-overrides');
  if (items.length === 0) return [];
  const { readOverrides } = await import('./etcd-overrides.ts');
  const add = (cause: string, remedy: string): void => flags.add(cause, remedy);
  return readOverrides(items, { ...parts, isEndpoint, add });
}

/** The longest time to live that etcd grants. */
const maxTtlSeconds = 9_000_000_000;

/** etcd counts whole seconds. */
function readEventTtl(flags: EtcdFlags): number {
  const ms = flags.duration('event-ttl');
  const seconds = Math.floor(ms / 1_000);
  if ((ms > 0 && seconds === 0) || seconds > maxTtlSeconds / 2)
    flags.invalid('event-ttl', 'give 0, or a duration from 1s on such as 30m or 1h');
  return seconds;
}

function readPrefix(flags: EtcdFlags): string {
  const prefix = flags.text('etcd-prefix').replace(/\/+$/, '');
  if (!/^\/[^\0]*$/.test(prefix))
    flags.add(
      `flag --etcd-prefix has the value ${JSON.stringify(prefix)}`,
      'use a key that begins with a slash',
    );
  return prefix;
}

function readServers(flags: EtcdFlags): string[] {
  const servers = flags.list('etcd-servers');
  for (const server of servers.filter((text) => !isEndpoint(text)))
    flags.add(`flag --etcd-servers names ${JSON.stringify(server)}`, 'use URLs such as https://host:2379');
  if (new Set(servers.map((text) => text.split(':', 1)[0])).size > 1)
    flags.add('flag --etcd-servers mixes http and https', 'use one scheme for all members');
  return servers;
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return (
    ['http:', 'https:'].includes(url.protocol) &&
    // URL drops the default port of its scheme.
    /:\d+\/?$/.test(text) &&
    url.pathname === '/' &&
    url.username === ''
  );
}

/** Flags that require each other. */
function checkTls(flags: EtcdFlags, { servers, overrides }: Pick<EtcdConfig, 'servers' | 'overrides'>): void {
  flags.needs('etcd-certfile', 'etcd-keyfile');
  flags.needs('etcd-keyfile', 'etcd-certfile');
  if (!flags.isGiven('etcd-servers-overrides'))
    for (const name of ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const)
      flags.needs(name, 'etcd-servers');
  const isSecured = (urls: readonly string[]): boolean => urls.some((url) => url.startsWith('https:'));
  if (flags.isGiven('etcd-cafile')) return;
  if (isSecured(servers)) flags.together('--etcd-servers with https', '--etcd-cafile');
  if (isSecured(overrides.flatMap((override) => override.servers)))
    flags.together('--etcd-servers-overrides with https', '--etcd-cafile');
}

/** Credentials towards etcd; undefined without `--etcd-cafile`. Errors are added to those of `check`. */
export async function readEtcdFiles(
  { caFile, certFile, keyFile }: Pick<EtcdConfig, 'caFile' | 'certFile' | 'keyFile'>,
  check: FileCheck,
): Promise<EtcdTls | undefined> {
  const ca = await check.authorities(caFile, '--etcd-cafile');
  const pair = await check.pair(certFile, keyFile, '--etcd-certfile and --etcd-keyfile');
  return ca && { ca, ...pair };
}
