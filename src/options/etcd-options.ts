/** Which etcd, reached how, and what is kept there. */
import { transportNames, type TransportName } from '../storage/options.ts';
import type { FileCheck, KeyPair } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const etcdFlags = [
  { name: 'etcd-cafile', value: 'FILE', default: '', description: 'authorities of the etcd servers (PEM)' },
  { name: 'etcd-certfile', value: 'FILE', default: '', description: 'client certificate for etcd (PEM)' },
  {
    name: 'etcd-compaction-interval',
    value: 'DURATION',
    default: '5m',
    description: 'pause between compactions of the history in etcd; 0 never compacts',
  },
  {
    name: 'etcd-db-metric-poll-interval',
    value: 'DURATION',
    default: '30s',
    description: "pause between looks at the size of etcd's databases, a metric; 0 never looks",
  },
  {
    name: 'etcd-keyfile',
    value: 'FILE',
    default: '',
    description: 'private key of the client certificate for etcd (PEM)',
  },
  {
    name: 'etcd-prefix',
    value: 'KEY',
    default: '/registry',
    description: 'everything in etcd lives below this key',
  },
  {
    name: 'etcd-servers',
    value: 'URLS',
    default: '',
    description: 'members of the etcd cluster, comma-separated; none: the service starts its own etcd',
    repeatable: true,
  },
  {
    name: 'etcd-transport',
    value: 'builtin|node',
    default: 'builtin',
    description:
      "HTTP/2 for calls to etcd: the service's own, or that of Node, which takes more processor time",
  },
] as const satisfies readonly FlagDefinition[];

type EtcdFlags = FlagReader<(typeof etcdFlags)[number]['name']>;

export interface EtcdConfig {
  /** Empty: the service starts an etcd of its own. */
  readonly servers: readonly string[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly prefix: string;
  readonly compactionIntervalMs: number;
  readonly databaseSizeIntervalMs: number;
  /** The HTTP/2 that carries calls: that of the service or that of Node. */
  readonly transport: TransportName;
}

export function readEtcd(texts: FlagValues, errors: FlagErrors): EtcdConfig {
  const flags = new FlagReader(etcdFlags, texts, errors);
  const config = {
    servers: readServers(flags),
    caFile: flags.text('etcd-cafile'),
    certFile: flags.text('etcd-certfile'),
    keyFile: flags.text('etcd-keyfile'),
    prefix: readPrefix(flags),
    compactionIntervalMs: flags.duration('etcd-compaction-interval'),
    databaseSizeIntervalMs: flags.duration('etcd-db-metric-poll-interval'),
    transport: flags.choice('etcd-transport', transportNames),
  };
  checkTls(flags, config.servers);
  return config;
}

function readPrefix(flags: EtcdFlags): string {
  const prefix = flags.text('etcd-prefix').replace(/\/+$/, '');
  if (!/^\/[^\0]*$/.test(prefix))
    flags.add(
      `flag --etcd-prefix has the value ${JSON.stringify(prefix)}`,
      'give a key that begins with a slash',
    );
  return prefix;
}

function readServers(flags: EtcdFlags): string[] {
  const servers = flags.list('etcd-servers');
  for (const server of servers.filter((text) => !isEndpoint(text)))
    flags.add(`flag --etcd-servers names ${JSON.stringify(server)}`, 'give URLs such as https://host:2379');
  if (new Set(servers.map((text) => text.split(':', 1)[0])).size > 1)
    flags.add('flag --etcd-servers mixes http and https', 'reach all members the same way');
  return servers;
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return (
    ['http:', 'https:'].includes(url.protocol) &&
    // A URL does not keep the usual port of its scheme.
    /:\d+\/?$/.test(text) &&
    url.pathname === '/' &&
    url.username === ''
  );
}

/** Flags that mean something only together. */
function checkTls(flags: EtcdFlags, servers: readonly string[]): void {
  flags.needs('etcd-certfile', 'etcd-keyfile');
  flags.needs('etcd-keyfile', 'etcd-certfile');
  for (const name of ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const)
    flags.needs(name, 'etcd-servers');
  if (servers.some((server) => server.startsWith('https:')) && !flags.isGiven('etcd-cafile'))
    flags.together('--etcd-servers with https', '--etcd-cafile');
}

export interface EtcdFiles {
  readonly etcdCa: Buffer | undefined;
  readonly etcdClient: KeyPair | undefined;
}

/** Errors are added to those of `check`. */
export async function readEtcdFiles(
  { caFile, certFile, keyFile }: EtcdConfig,
  check: FileCheck,
): Promise<EtcdFiles> {
  return {
    etcdCa: await check.authorities(caFile, '--etcd-cafile'),
    etcdClient: await check.pair(certFile, keyFile, '--etcd-certfile and --etcd-keyfile'),
  };
}
