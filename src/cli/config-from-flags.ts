/** Flags → configuration. Every fault is gathered; the configuration is whole in any case, so that more can be checked. */
import { isIP } from 'node:net';
import { createFeatureGates, parseFeatureGates } from '../observe/feature-gates.ts';
import { parseShowHidden } from '../observe/metric-stage.ts';
import { currentRelease, releaseText } from '../observe/release.ts';
import { chooseControllers, controllerNames } from '../server/controllers/controller-names.ts';
import type { EtcdConfig, RequestLimits, ServerConfig } from '../server/config.ts';
import type { Fault } from '../server/faults.ts';
import { admissionConfig } from './admission-config.ts';
import { auditConfig } from './audit-config.ts';
import { authenticationConfig } from './authentication-config.ts';
import { authorizationConfig, authorizationFaults } from './authorization-config.ts';
import { FlagReader, type FlagTexts } from './flag-reader.ts';
import type { FlagName } from './flags.ts';
import { oidcFaults } from './oidc-config.ts';

const highest = 1_000_000;

/** Reads flags by name. The configuration is whole also where there are faults. */
export async function configFromFlags(
  texts: FlagTexts,
): Promise<{ config: ServerConfig; faults: readonly Fault[] }> {
  const flags = new FlagReader(texts);
  const config: ServerConfig = {
    bindAddress: bindAddress(flags),
    securePort: flags.integer('secure-port', 0, 65_535),
    tlsCertFile: flags.text('tls-cert-file'),
    tlsPrivateKeyFile: flags.text('tls-private-key-file'),
    clientCaFile: flags.text('client-ca-file'),
    tokenAuthFile: flags.text('token-auth-file'),
    anonymousAuth: flags.boolean('anonymous-auth'),
    authentication: authenticationConfig(flags),
    authorization: authorizationConfig(flags),
    audit: auditConfig(flags),
    admission: admissionConfig(flags),
    etcd: etcdConfig(flags),
    ...(await servedVersions(flags)),
    featureGates: flags.parsed('feature-gates', readFeatureGates, {}),
    requests: requestLimits(flags),
    livezGraceMs: flags.duration('livez-grace-period'),
    shutdownDelayMs: flags.duration('shutdown-delay-duration'),
    showHiddenMetricsFor: flags.parsed('show-hidden-metrics-for-version', readShowHidden, ''),
    dataFolder: flags.isGiven('data-dir') ? flags.text('data-dir') : '.orch',
    controllers: controllers(flags),
    collectsGarbage: flags.boolean('enable-garbage-collector'),
    verbosity: flags.integer('v', 0, 10),
    workers: flags.integer('workers', 1, 256),
  };
  return {
    config,
    faults: [
      ...flags.faults,
      ...combinationFaults(flags),
      ...seatFaults(config.requests),
      ...(await controllerFaults(flags, config)),
      ...oidcFaults(flags),
      ...authorizationFaults(flags),
    ],
  };
}

function etcdConfig(flags: FlagReader): EtcdConfig {
  const servers = flags.list('etcd-servers');
  checkServers(flags, servers);
  return {
    servers,
    caFile: flags.text('etcd-cafile'),
    certFile: flags.text('etcd-certfile'),
    keyFile: flags.text('etcd-keyfile'),
    prefix: etcdPrefix(flags),
    compactionIntervalMs: flags.duration('etcd-compaction-interval'),
    databaseSizeIntervalMs: flags.duration('etcd-db-metric-poll-interval'),
  };
}

function controllers(flags: FlagReader): ServerConfig['controllers'] {
  const { names, unknown } = chooseControllers(flags.list('controllers'));
  for (const word of unknown)
    flags.add(
      `flag --controllers names ${JSON.stringify(word)}`,
      `use *, or names of ${controllerNames.join(', ')}`,
    );
  return names;
}

function requestLimits(flags: FlagReader): RequestLimits {
  return {
    timeoutMs: flags.duration('request-timeout'),
    inFlight: {
      readOnly: flags.integer('max-requests-inflight', 0, highest),
      mutating: flags.integer('max-mutating-requests-inflight', 0, highest),
    },
    isFair: flags.boolean('enable-priority-and-fairness'),
    connections: {
      max: flags.integer('max-connections', 0, highest),
      maxPerAddress: flags.integer('max-connections-per-address', 0, highest),
    },
    failedAuthentications: {
      qps: flags.integer('failed-authentication-qps', 0, highest),
      burst: flags.integer('failed-authentication-burst', 1, highest),
    },
    maxBytesInFlight: flags.integer('max-request-bytes-inflight', 4 * 1024 * 1024, 2 ** 36),
    minWatchMs: flags.integer('min-request-timeout', 1, highest) * 1000,
  };
}

function bindAddress(flags: FlagReader): string {
  const address = flags.text('bind-address');
  if (isIP(address) === 0)
    flags.add(`flag --bind-address has the value ${JSON.stringify(address)}`, 'give an IPv4 or IPv6 address');
  return address;
}

function etcdPrefix(flags: FlagReader): string {
  const prefix = flags.text('etcd-prefix').replace(/\/+$/, '');
  if (!/^\/[^\0]*$/.test(prefix))
    flags.add(
      `flag --etcd-prefix has the value ${JSON.stringify(prefix)}`,
      'give a key that begins with a slash',
    );
  return prefix;
}

function checkServers(flags: FlagReader, servers: readonly string[]): void {
  for (const server of servers.filter((text) => !isEndpoint(text)))
    flags.add(`flag --etcd-servers names ${JSON.stringify(server)}`, 'give URLs such as https://host:2379');
  if (new Set(servers.map((text) => text.split(':', 1)[0])).size > 1)
    flags.add('flag --etcd-servers mixes http and https', 'reach all members the same way');
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

function readFeatureGates(text: string): Record<string, boolean> {
  const settings = parseFeatureGates(text);
  createFeatureGates(settings);
  return settings;
}

/**
 * Without flags about them, all versions are served that controllers need (a test says so), and the catalogue is not
 * loaded: a process that only supervises others does without it.
 */
function isUsual(flags: FlagReader): boolean {
  const isCurrent = flags.text('emulated-release') === releaseText(currentRelease);
  return flags.text('runtime-config') === '' && isCurrent;
}

async function servedVersions(
  flags: FlagReader,
): Promise<Pick<ServerConfig, 'naming' | 'emulatedRelease' | 'runtimeConfig'>> {
  const naming = flags.choice('naming', ['orch', 'kubernetes']);
  if (isUsual(flags)) return { naming, emulatedRelease: currentRelease, runtimeConfig: {} };
  const { readServedVersions } = await import('./served-versions.ts');
  return { naming, ...readServedVersions(flags, naming) };
}

async function controllerFaults(flags: FlagReader, config: ServerConfig): Promise<Fault[]> {
  if (isUsual(flags)) return [];
  const { neededVersionFaults } = await import('./served-versions.ts');
  return neededVersionFaults(config);
}

function readShowHidden(text: string): string {
  parseShowHidden(text, currentRelease);
  return text;
}

/** Flags that mean something only together. */
function combinationFaults(flags: FlagReader): Fault[] {
  const etcdFiles = ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const;
  const isTls = flags.list('etcd-servers').some((server) => server.startsWith('https:'));
  return [
    ...needs(flags, 'tls-cert-file', 'tls-private-key-file'),
    ...needs(flags, 'tls-private-key-file', 'tls-cert-file'),
    ...needs(flags, 'etcd-certfile', 'etcd-keyfile'),
    ...needs(flags, 'etcd-keyfile', 'etcd-certfile'),
    ...etcdFiles.flatMap((name) => needs(flags, name, 'etcd-servers')),
    ...(isTls && !flags.isGiven('etcd-cafile')
      ? [together('--etcd-servers with https', '--etcd-cafile')]
      : []),
  ];
}

/** Priority levels share seats, of which there must be some. */
function seatFaults({ isFair, inFlight: { readOnly, mutating } }: RequestLimits): Fault[] {
  if (!isFair || readOnly + mutating > 0) return [];
  return [
    {
      code: 'FLAG_COMBINATION',
      cause:
        '--max-requests-inflight and --max-mutating-requests-inflight are both 0, and priority levels share their sum',
      remedy: 'give one of them a number, or --enable-priority-and-fairness=false',
    },
  ];
}

function needs(flags: FlagReader, given: FlagName, other: FlagName): Fault[] {
  if (!flags.isGiven(given) || flags.isGiven(other)) return [];
  return [together(`--${given}`, `--${other}`)];
}

function together(given: string, other: string): Fault {
  return {
    code: 'FLAG_COMBINATION',
    cause: `${given} is given without ${other}`,
    remedy: `give ${other} too`,
  };
}
