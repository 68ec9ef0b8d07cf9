/** Addresses at which this machine reaches the service. */
import { isIPv6 } from 'node:net';

export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || /^[0:]+$/.test(address);
}

/** An address at which local clients reach the service. */
export function localHost(bindAddress: string): string {
  if (isWildcard(bindAddress)) return isIPv6(bindAddress) ? '::1' : '127.0.0.1';
  return bindAddress;
}

/** The same as URLs write it. */
export function reachable(bindAddress: string): string {
  const host = localHost(bindAddress);
  return isIPv6(host) ? `[${host}]` : host;
}
