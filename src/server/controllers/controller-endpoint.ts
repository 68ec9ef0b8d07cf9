/** The endpoint of a controller process: health for every client, metrics for clients with a valid certificate. */
import { hostname } from 'node:os';
import type { Environment } from '../../base/environment.ts';
import type { ConnectionLimits } from '../../http/connection-gate.ts';
import { createProcessHandler } from '../../http/process-handler.ts';
import type { ServerTls } from '../../http/server.ts';
import { HealthChecks } from '../../observe/health-checks.ts';
import type { Logger } from '../../observe/log.ts';
import type { ConnectionMetrics } from '../../observe/server-metrics.ts';
import type { MetricsText } from '../../observe/metric-snapshot.ts';
import type { EndpointConfig, EndpointFiles } from '../../options/controllers/controller-manager-options.ts';
import { listen } from '../listen.ts';
import { makeAuthority, makeCertificate } from '../../pki/issue.ts';
import { localHosts } from '../../pki/plan.ts';

export interface EndpointParts {
  readonly environment: Environment;
  readonly metrics: MetricsText;
  readonly connectionMetrics: ConnectionMetrics;
  readonly logger: Logger;
  /** Readiness fails once it is aborted. */
  readonly signal: AbortSignal;
}

/** Sufficient for health checks and scrapes. */
const connectionLimits: ConnectionLimits = { max: 1_000, maxPerAddress: 500 };

/** Grace period of connections at the end. */
const graceMs = 1_000;

/**
 * Serves until the returned function is called.
 * @throws StartError if the address cannot be used
 */
export async function startEndpoint(
  config: EndpointConfig,
  files: EndpointFiles,
  { environment, metrics, connectionMetrics, logger, signal }: EndpointParts,
): Promise<() => Promise<void>> {
  if (config.securePort === 0) return () => Promise.resolve();
  const health = new HealthChecks({ clock: environment.clock });
  const endReadiness = (): void => {
    health.beginShutdown();
  };
  signal.addEventListener('abort', endReadiness, { once: true });
  const tls = tlsOf(config, files, environment.clock.now());
  const handler = createProcessHandler({ environment, clientCa: files.clientCa, health, metrics, logger });
  const connections = { ...connectionLimits, metrics: connectionMetrics };
  const server = await listen(config, { tls, handler, logger, connections });
  return async () => {
    signal.removeEventListener('abort', endReadiness);
    await server.close(graceMs);
  };
}

function tlsOf({ bindAddress }: EndpointConfig, files: EndpointFiles, now: number): ServerTls {
  const pair = files.serving ?? makePair(bindAddress, now);
  return { cert: pair.cert.toString(), key: pair.key.toString(), clientCa: files.clientCa };
}

function makePair(bindAddress: string, now: number): { cert: string; key: string } {
  const commonName = 'orch-apiserver-controllers';
  const authority = makeAuthority(`${commonName}-ca`, now);
  const about = { commonName, organizations: [], usages: ['server'] as const };
  const hosts = [...new Set([...localHosts, hostname(), bindAddress])];
  const { certificate, key } = makeCertificate(authority, { ...about, hosts }, now);
  return { cert: certificate + authority.certificate, key };
}
