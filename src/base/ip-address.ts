/**
 * Addresses of IP as texts and numbers. They are read as Kubernetes has always read them: zeros that lead a part count for
 * nothing, and an IPv6 address that maps an IPv4 address is that one.
 */
import { isIPv4, isIPv6 } from 'node:net';

export type IpFamily = 'IPv4' | 'IPv6';

export interface IpAddress {
  readonly family: IpFamily;
  readonly number: bigint;
}

const mappedPrefix = 0xffffn;
const leadingZeros = /(?<![0-9a-fA-F])0+(?=[0-9a-fA-F])/g;

/** The number of an address; undefined if the text is none. */
export function parseAddress(text: string): IpAddress | undefined {
  const plain = isWritten(text) ? text : text.replace(leadingZeros, '');
  if (isIPv4(plain)) return { family: 'IPv4', number: numberOfIpv4(plain) };
  if (!isIPv6(plain) || plain.includes('%')) return undefined;
  const number = numberOfIpv6(plain);
  if (number >> 32n === mappedPrefix) return { family: 'IPv4', number: number & 0xffffffffn };
  return { family: 'IPv6', number };
}

/** Whether libraries of today read the text, too: no part of an IPv4 address begins with zeros, none of IPv6 has five digits. */
export function isWritten(text: string): boolean {
  return isIPv4(text) || (isIPv6(text) && !text.includes('%'));
}

/** Whether the text of an address is an IPv6 address that maps an IPv4 address. */
export function isMapped(text: string): boolean {
  return text.includes(':') && /ffff/i.test(text) && parseAddress(text)?.family === 'IPv4';
}

/** The text of an address that all texts of it have in common (RFC 5952); undefined if it is none. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && addressText(address);
}

/** The text of an address, that of RFC 5952 for IPv6. */
export function addressText({ family, number }: IpAddress): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((bits) => String((number >> bits) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  return shortestIpv6(groups.join(':'));
}

/** The text of RFC 5952 of an IPv6 address that maps none of IPv4. */
export function shortestIpv6(text: string): string {
  // The host of a URL is written so that its longest run of zeros is left out.
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

function numberOfIpv4(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function numberOfIpv6(text: string): bigint {
  const [head = '', tail] = text.split('::').map(groupsOf);
  const left = head === '' ? [] : head;
  const right = tail ?? [];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<bigint>(zeros).fill(0n), ...right].reduce(
    (sum, group) => (sum << 16n) | group,
    0n,
  );
}

/** Groups of 16 bits; the last two may be written as an IPv4 address. */
function groupsOf(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [BigInt(`0x${part}`)];
    const number = numberOfIpv4(part);
    return [number >> 16n, number & 0xffffn];
  });
}
