/** Flags of aggregated APIs: how the service makes itself known to other servers, and how it reaches them. */
import type { ClientCertificate } from './credentials.ts';
import type { FileCheck, KeyPair } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const aggregationFlags = [
  {
    name: 'enable-aggregator-routing',
    value: '',
    default: 'false',
    description:
      'If true, requests for aggregated APIs and for webhooks of Services go to an endpoint of the Service instead of its cluster IP.',
  },
  {
    name: 'proxy-client-cert-file',
    value: 'FILE',
    default: '',
    description:
      'Client certificate (PEM) by which servers of aggregated APIs recognize this service, so that they believe its request headers. Its CA must be in their --requestheader-client-ca-file.',
  },
  {
    name: 'proxy-client-key-file',
    value: 'FILE',
    default: '',
    description: 'Private key (PEM) of --proxy-client-cert-file.',
  },
] as const satisfies readonly FlagDefinition[];

export interface AggregationConfig {
  /** Endpoints of Services are used instead of cluster IPs. */
  readonly routesToEndpoints: boolean;
  /** Both are '' if the service has no certificate for servers of aggregated APIs. */
  readonly proxyClientCertFile: string;
  readonly proxyClientKeyFile: string;
}

export function readAggregation(texts: FlagValues, errors: FlagErrors): AggregationConfig {
  const flags = new FlagReader(aggregationFlags, texts, errors);
  flags.needs('proxy-client-cert-file', 'proxy-client-key-file');
  flags.needs('proxy-client-key-file', 'proxy-client-cert-file');
  return {
    routesToEndpoints: flags.boolean('enable-aggregator-routing'),
    proxyClientCertFile: flags.text('proxy-client-cert-file'),
    proxyClientKeyFile: flags.text('proxy-client-key-file'),
  };
}

/** The client certificate with its key. Errors are added to those of `check`. */
export function readProxyClientPair(
  { proxyClientCertFile, proxyClientKeyFile }: AggregationConfig,
  check: FileCheck,
): Promise<KeyPair | undefined> {
  return check.pair(
    proxyClientCertFile,
    proxyClientKeyFile,
    '--proxy-client-cert-file and --proxy-client-key-file',
  );
}

/** Texts, which can be sent to other processes. */
export function clientCertificateOf({ cert, key }: KeyPair): ClientCertificate {
  return { cert: cert.toString('utf8'), key: key.toString('utf8') };
}
