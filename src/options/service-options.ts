/** Flags of services: their addresses and node ports, and the addresses of the API itself. */
import { isIP } from 'node:net';
import { AddressRange, PortRange } from '../api/core/service/value-range.ts';
import { createFeatureGates } from '../observe/feature-gates.ts';
import { featuresOf } from '../observe/release-gates.ts';
import type { ApiEnablementConfig } from './api/api-enablement-flags.ts';
import type { FeatureConfig } from './feature-options.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const serviceFlags = [
  {
    name: 'advertise-address',
    value: 'ADDRESS',
    default: '',
    description:
      'The IP address on which other members of the cluster reach this server; it is an endpoint of the Service of the API. If empty, --bind-address; if that is a loopback address or all interfaces, the address of a network interface.',
  },
  {
    name: 'endpoint-reconciler-type',
    value: 'lease|none',
    default: 'lease',
    description:
      'How the endpoints of the Service of the API are maintained: lease keeps the addresses of the servers that run, none leaves them to an operator.',
  },
  {
    name: 'identity-lease-duration-seconds',
    value: 'SECONDS',
    default: '3600',
    description:
      'How long the Lease of this server counts without being renewed (feature gate APIServerIdentity, on from release 1.26).',
  },
  {
    name: 'identity-lease-renew-interval-seconds',
    value: 'SECONDS',
    default: '10',
    description: 'How often this server renews its Lease (feature gate APIServerIdentity).',
  },
  {
    name: 'kubernetes-service-node-port',
    value: 'PORT',
    default: '0',
    description:
      'The node port of the Service of the API, which then has type NodePort. Must be in --service-node-port-range. 0 means none.',
  },
  {
    name: 'service-cluster-ip-range',
    value: 'RANGES',
    default: '10.0.0.0/24',
    description:
      'The CIDR range from which cluster IPs of services are allocated, or two ranges of different IP families, comma-separated. Must not overlap with the addresses of nodes and pods.',
  },
  {
    name: 'service-node-port-range',
    value: 'RANGE',
    default: '30000-32767',
    description: 'The range of ports, both ends included, from which node ports of services are allocated.',
  },
] as const satisfies readonly FlagDefinition[];

type ServiceFlags = FlagReader<(typeof serviceFlags)[number]['name']>;

export interface ServiceConfig {
  /** '' for an address that the server chooses. */
  readonly advertiseAddress: string;
  readonly endpointReconciler: 'lease' | 'none';
  /** One CIDR range, or two of different families; the first is the default. */
  readonly clusterIpRanges: readonly string[];
  /** The Lease of a replica: how long it counts, and how often it is renewed. */
  readonly identityLease: { readonly durationSeconds: number; readonly renewSeconds: number };
  /** Node port of the Service of the API; 0 for none. */
  readonly apiNodePort: number;
  /** First and last port: `30000-32767`. */
  readonly nodePortRange: string;
}

/** A range has at most so many host bits, and at least so many addresses. */
const mostBits = 20;
const leastAddresses = 8;

export function readServices(
  texts: FlagValues,
  errors: FlagErrors,
  { featureGates, emulatedRelease }: FeatureConfig & Pick<ApiEnablementConfig, 'emulatedRelease'>,
): { readonly services: ServiceConfig } {
  const flags = new FlagReader(serviceFlags, texts, errors);
  const advertiseAddress = flags.text('advertise-address');
  if (advertiseAddress !== '' && isIP(advertiseAddress) === 0)
    flags.invalid('advertise-address', 'use an IPv4 or IPv6 address');
  return {
    services: {
      advertiseAddress,
      endpointReconciler: flags.choice('endpoint-reconciler-type', ['lease', 'none']),
      identityLease: readIdentityLease(flags),
      clusterIpRanges: readClusterIpRanges(
        flags,
        createFeatureGates(featureGates, featuresOf(emulatedRelease)).isEnabled('IPv6DualStack'),
      ),
      ...readNodePorts(flags),
    },
  };
}

function readClusterIpRanges(flags: ServiceFlags, isDualStack: boolean): readonly string[] {
  const name = 'service-cluster-ip-range';
  const texts = flags.list(name);
  const ranges = texts.map((text) => AddressRange.parse(text)).filter((range) => range !== undefined);
  if (texts.length === 0 || texts.length > 2 || ranges.length < texts.length)
    flags.invalid(name, 'give one CIDR range, or two of different IP families: 10.0.0.0/16,fd00::/112');
  else if (ranges.some(({ text }) => hostBits(text) > mostBits))
    flags.invalid(name, `give ranges of at most 2^${String(mostBits)} addresses: /12 of IPv4, /108 of IPv6`);
  else if (ranges.some(({ text }) => 2 ** hostBits(text) < leastAddresses))
    flags.invalid(
      name,
      `give ranges of at least ${String(leastAddresses)} addresses: /29 of IPv4, /125 of IPv6`,
    );
  else if (ranges[0]?.family === ranges[1]?.family)
    flags.invalid(name, 'give two ranges of different IP families');
  else if (ranges.length === 2 && !isDualStack)
    flags.conflict(
      `flag --${name} has two ranges without feature gate IPv6DualStack`,
      'enable it or give one range',
    );
  return ranges.map(({ text }) => text);
}

function readIdentityLease(flags: ServiceFlags): ServiceConfig['identityLease'] {
  return {
    durationSeconds: flags.integer('identity-lease-duration-seconds', 1, 2 ** 31 - 1),
    renewSeconds: flags.integer('identity-lease-renew-interval-seconds', 1, 2 ** 20),
  };
}

function hostBits(cidr: string): number {
  const [address = '', bits = ''] = cidr.split('/');
  return (address.includes(':') ? 128 : 32) - Number(bits);
}

function readNodePorts(flags: ServiceFlags): Pick<ServiceConfig, 'nodePortRange' | 'apiNodePort'> {
  const name = 'service-node-port-range';
  const range = PortRange.parse(flags.text(name));
  if (range === undefined) flags.invalid(name, 'give a range of ports such as 30000-32767');
  const apiNodePort = flags.integer('kubernetes-service-node-port', 0, 65_535);
  if (apiNodePort !== 0 && range?.has(String(apiNodePort)) === false)
    flags.conflict(
      `flag --kubernetes-service-node-port is not in --${name}`,
      `give a port of ${range.text}, or another range`,
    );
  return { apiNodePort, nodePortRange: range?.text ?? '30000-32767' };
}
