/**
 * Which addresses pods and services may lead to. An object that names this host, its link or a metadata service would
 * otherwise let its writer speak to them through this server (CVE-2020-8555, CVE-2020-8562). Behaviour: IsProxyableIP of
 * kube-apiserver.
 */
import { BlockList, isIP } from 'node:net';
import { addressesOf } from '../../base/host-names.ts';
import { unlessAborted } from '../../base/pause.ts';
import { badRequest } from '../../meta/status.ts';
import { BackendError } from '../../proxy/types.ts';

const notGlobal = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
] as const)
  notGlobal.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  notGlobal.addSubnet(network, prefix, 'ipv6');

/** False for loopback, link-local, multicast and unspecified addresses, and for what is no address. */
export function isAllowedAddress(ip: string): boolean {
  const version = isIP(ip);
  // Zones are of a link.
  return version !== 0 && !ip.includes('%') && !notGlobal.check(ip, version === 6 ? 'ipv6' : 'ipv4');
}

export interface LookupParts {
  /** Ends the wait for an answer. */
  readonly signal: AbortSignal;
  /** Which addresses are allowed; absent: those of `isAllowedAddress`. */
  readonly isAllowed?: ((ip: string) => boolean) | undefined;
  /** Finds the addresses of a name; absent: as this machine does. */
  readonly find?: typeof addressesOf | undefined;
}

/**
 * An address of a host, all of whose addresses are allowed. The caller connects to it, not to the name: the name could
 * have another address a moment later.
 * @throws StatusError 400; BackendError where the signal ends first
 */
export async function allowedAddressOf(host: string, parts: LookupParts): Promise<string> {
  const { isAllowed = isAllowedAddress } = parts;
  const addresses = isIP(host) === 0 ? await resolved(host, parts) : [host];
  const [first] = addresses;
  if (first === undefined || !addresses.every(isAllowed)) throw badRequest('address not allowed');
  return first;
}

async function resolved(host: string, { signal, find = addressesOf }: LookupParts): Promise<string[]> {
  try {
    return (await unlessAborted(find(host), signal)).map(({ address }) => address);
  } catch {
    if (signal.aborted) throw new BackendError(`lookup ${host}: i/o timeout`);
    throw badRequest(`the host ${JSON.stringify(host)} cannot be resolved`);
  }
}
