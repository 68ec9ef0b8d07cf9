/** How agents of nodes (kubelets) are reached: logs, exec, attach, portforward and nodes/proxy. */
import type { FileCheck, KeyPair } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

const addressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'] as const;

export const nodeAgentFlags = [
  {
    name: 'kubelet-certificate-authority',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that verifies the serving certificates of kubelets. If empty, they are not verified.',
  },
  {
    name: 'kubelet-client-certificate',
    value: 'FILE',
    default: '',
    description: 'File with the client certificate (PEM) that is shown to kubelets.',
  },
  {
    name: 'kubelet-client-key',
    value: 'FILE',
    default: '',
    description: 'File with the private key (PEM) of --kubelet-client-certificate.',
  },
  {
    name: 'kubelet-preferred-address-types',
    value: 'LIST',
    default: addressTypes.join(','),
    description:
      'Types of node addresses by which kubelets are reached, the preferred one first. Comma-separated.',
  },
  {
    name: 'kubelet-timeout',
    value: 'DURATION',
    default: '5s',
    description: 'The maximum duration of connecting to a kubelet.',
  },
  {
    name: 'max-connection-bytes-per-sec',
    value: 'NUMBER',
    default: '0',
    description:
      'The maximum number of bytes per second, each way, of a connection to a node, pod or service that changed its protocol (exec, attach, portforward, proxy). 0 means no limit.',
  },
] as const satisfies readonly FlagDefinition[];

export interface NodeAgentConfig {
  /** The preferred one first. */
  readonly addressTypes: readonly string[];
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Limit of upgraded connections, also to pods and services; undefined for none. */
  readonly bytesPerSecond?: number | undefined;
  /** '' if certificates are not verified. */
  readonly caFile: string;
  /** Both are '' if no certificate is shown. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** PEM texts. Plain data. */
export interface NodeAgentCredentials {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export interface NodeAgentFiles {
  readonly nodeAgents: NodeAgentCredentials;
}

export function readNodeAgents(texts: FlagValues, errors: FlagErrors): NodeAgentConfig {
  const flags = new FlagReader(nodeAgentFlags, texts, errors);
  flags.needs('kubelet-client-certificate', 'kubelet-client-key');
  flags.needs('kubelet-client-key', 'kubelet-client-certificate');
  const types = flags.list('kubelet-preferred-address-types');
  const known: readonly string[] = addressTypes;
  if (types.length === 0 || !types.every((type) => known.includes(type)))
    flags.invalid('kubelet-preferred-address-types', `use some of ${addressTypes.join(', ')}`);
  const timeoutMs = flags.duration('kubelet-timeout');
  if (timeoutMs === 0) flags.invalid('kubelet-timeout', 'use a duration of more than 0s, such as 5s');
  return {
    ...{ addressTypes: types, timeoutMs },
    bytesPerSecond: flags.integer('max-connection-bytes-per-sec', 0, 1e12) || undefined,
    caFile: flags.text('kubelet-certificate-authority'),
    certFile: flags.text('kubelet-client-certificate'),
    keyFile: flags.text('kubelet-client-key'),
  };
}

type AgentFileNames = Pick<NodeAgentConfig, 'caFile' | 'certFile' | 'keyFile'>;

/** Errors are added to those of `check`. */
export async function readNodeAgentFiles(
  { caFile, certFile, keyFile }: AgentFileNames,
  check: FileCheck,
): Promise<NodeAgentCredentials> {
  const ca = await check.authorities(caFile, '--kubelet-certificate-authority');
  const flags = '--kubelet-client-certificate and --kubelet-client-key';
  return { ca: ca?.toString('utf8'), ...texts(await check.pair(certFile, keyFile, flags)) };
}

function texts(pair: KeyPair | undefined): Pick<NodeAgentCredentials, 'cert' | 'key'> {
  return { cert: pair?.cert.toString('utf8'), key: pair?.key.toString('utf8') };
}
