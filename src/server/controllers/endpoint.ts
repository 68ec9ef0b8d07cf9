/** What a process of controllers tells of itself: health to everybody, metrics to clients of the given authority. */
import { hostname } from 'node:os';
import type { ConnectionLimits } from '../../http/connection-gate.ts';
import { createProcessHandler } from '../../http/process-handler.ts';
import type { ServerTls } from '../../http/server.ts';
import { HealthChecks } from '../../observe/health.ts';
import type { Logger } from '../../observe/log.ts';
import type { ConnectionMetrics } from '../../observe/server-metrics.ts';
import type { MetricsText } from '../../observe/snapshot.ts';
import type { FileCheck } from '../file-check.ts';
import { listen } from '../listen.ts';
import { localHosts } from '../pki/plan.ts';

export interface EndpointConfig {
  readonly bindAddress: string;
  /** 0: there is no endpoint. */
  readonly securePort: number;
  /** '' in these two: a certificate is made, which lasts as long as the process. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Authorities of clients that may read metrics; '': nobody may. */
  readonly clientCaFile: string;
}

/** What the files of the endpoint hold; absent where there are none, or where they have faults. */
export interface EndpointFiles {
  readonly serving: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly clientCa: Buffer | undefined;
}

export interface EndpointParts {
  readonly metrics: MetricsText;
  readonly connectionMetrics: ConnectionMetrics;
  readonly logger: Logger;
  /** The process is not ready from its abortion on. */
  readonly signal: AbortSignal;
}

/** More than all who ask for health and metrics need. */
const connectionLimits: ConnectionLimits = { max: 1_000, maxPerAddress: 500 };

/** Connections get so long to end. */
const graceMs = 1_000;

/** Reads the files; what is wrong with them goes to the check. */
export async function readEndpointFiles(config: EndpointConfig, check: FileCheck): Promise<EndpointFiles> {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile } = config;
  const flags = '--tls-cert-file and --tls-private-key-file';
  const serving = await check.pair(tlsCertFile, tlsPrivateKeyFile, flags);
  return { serving, clientCa: await check.authorities(clientCaFile, '--client-ca-file') };
}

/**
 * Serves until the returned function is called.
 * @throws StartError when the address cannot be used
 */
export async function startEndpoint(
  config: EndpointConfig,
  files: EndpointFiles,
  { metrics, connectionMetrics, logger, signal }: EndpointParts,
): Promise<() => Promise<void>> {
  if (config.securePort === 0) return () => Promise.resolve();
  const health = new HealthChecks();
  const endReadiness = (): void => {
    health.beginShutdown();
  };
  signal.addEventListener('abort', endReadiness, { once: true });
  const tls = await tlsOf(config, files);
  const handler = createProcessHandler({ clientCa: files.clientCa?.toString(), health, metrics, logger });
  const connections = { ...connectionLimits, metrics: connectionMetrics };
  const server = await listen(config, { tls, handler, logger, connections });
  return async () => {
    signal.removeEventListener('abort', endReadiness);
    await server.close(graceMs);
  };
}

async function tlsOf({ bindAddress }: EndpointConfig, files: EndpointFiles): Promise<ServerTls> {
  const pair = files.serving ?? (await makePair(bindAddress));
  return { cert: pair.cert.toString(), key: pair.key.toString(), clientCa: files.clientCa?.toString() };
}

async function makePair(bindAddress: string): Promise<{ cert: string; key: string }> {
  const { makeAuthority, makeCertificate } = await import('../pki/issue.ts');
  const now = Date.now();
  const commonName = 'orch-apiserver-controllers';
  const authority = await makeAuthority(`${commonName}-ca`, now);
  const about = { commonName, organizations: [], usages: ['server'] as const };
  const hosts = [...new Set([...localHosts, hostname(), bindAddress])];
  const { certificate, key } = await makeCertificate(authority, { ...about, hosts }, now);
  return { cert: certificate + authority.certificate, key };
}
