/** Addresses and their ranges: `cidr('10.0.0.0/8').containsIP(self.address)`. */
import { isIP } from 'node:net';

import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import { opaque } from '../language/types.ts';
import { Opaque } from '../language/values.ts';

const ipType = opaque('net.IP');
const cidrType = opaque('net.CIDR');

/** An address as a number of 32 or 128 bits. */
export class IpValue extends Opaque {
  readonly type = ipType;
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  equals(other: Opaque): boolean {
    return other instanceof IpValue && other.family === this.family && other.bits === this.bits;
  }
}

export class CidrValue extends Opaque {
  readonly type = cidrType;
  readonly address: IpValue;
  readonly length: number;

  constructor(address: IpValue, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  equals(other: Opaque): boolean {
    return other instanceof CidrValue && other.length === this.length && other.address.equals(this.address);
  }

  masked(): CidrValue {
    return new CidrValue(this.prefixOf(this.address), this.length);
  }

  contains({ family, bits }: IpValue): boolean {
    if (family !== this.address.family) return false;
    return bits >> this.hostBits === this.address.bits >> this.hostBits;
  }

  private get hostBits(): bigint {
    return BigInt(widthOf(this.address.family) - this.length);
  }

  private prefixOf({ family, bits }: IpValue): IpValue {
    return new IpValue(family, (bits >> this.hostBits) << this.hostBits);
  }
}

function widthOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

/** Undefined for what is no address, has a zone, or is an IPv4 address written as IPv6. */
export function readIp(text: string): IpValue | undefined {
  const family = text.length > 64 || text.includes('%') ? 0 : isIP(text);
  if (family === 4) return new IpValue(4, numberOf(text.split('.'), 10, 8n));
  if (family !== 6) return undefined;
  const bits = numberOf(groupsOf(text), 16, 16n);
  return bits >> 32n === 0xffffn ? undefined : new IpValue(6, bits);
}

function numberOf(parts: readonly string[], radix: number, width: bigint): bigint {
  return parts.reduce((sum, part) => (sum << width) | BigInt(Number.parseInt(part, radix)), 0n);
}

/** The eight groups of an IPv6 address. */
function groupsOf(text: string): string[] {
  const last = text.lastIndexOf(':') + 1;
  const [a = 0, b = 0, c = 0, d = 0] = text.slice(last).split('.').map(Number);
  const whole = text.includes('.')
    ? text.slice(0, last) + [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':')
    : text;
  const [head = '', tail] = whole.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  if (tail === undefined) return groups(head);
  const [before, after] = [groups(head), groups(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/** The shortest text of an address (RFC 5952). */
export function ipText({ family, bits }: IpValue): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  groups.forEach((group, i) => {
    if (group !== '0') start = i + 1;
    else if (i + 1 - start > best.length) best = { start, length: i + 1 - start };
  });
  return best;
}

/** Undefined for what is no range of addresses. */
export function readCidr(text: string): CidrValue | undefined {
  const [address = '', length = '', ...rest] = text.split('/', 3);
  const ip = readIp(address);
  if (!ip || rest.length > 0 || !/^(?:0|[1-9][0-9]{0,2})$/.test(length)) return undefined;
  return Number(length) <= widthOf(ip.family) ? new CidrValue(ip, Number(length)) : undefined;
}

function needIp(text: string): IpValue {
  const ip = readIp(text);
  if (!ip)
    throw new EvaluationError(`IP Address '${text.slice(0, 64)}' parse error during conversion from string`);
  return ip;
}

function needCidr(text: string): CidrValue {
  const cidr = readCidr(text);
  if (!cidr)
    throw new EvaluationError(`CIDR '${text.slice(0, 64)}' parse error during conversion from string`);
  return cidr;
}

function isWithin(text: string, length: number, { family, bits }: IpValue): boolean {
  const base = needIp(text);
  return family === base.family && new CidrValue(base, length).contains(new IpValue(family, bits));
}

const isUnspecified = ({ bits }: IpValue): boolean => bits === 0n;
const isLoopback = (ip: IpValue): boolean => isWithin('127.0.0.0', 8, ip) || isWithin('::1', 128, ip);
const isLinkLocalMulticast = (ip: IpValue): boolean => isWithin('224.0.0.0', 24, ip) || isLocalMulticast6(ip);
/** ff02::/16 whatever the flags. */
const isLocalMulticast6 = ({ family, bits }: IpValue): boolean =>
  family === 6 && bits >> 120n === 0xffn && ((bits >> 112n) & 0xfn) === 2n;
const isLinkLocalUnicast = (ip: IpValue): boolean =>
  isWithin('169.254.0.0', 16, ip) || isWithin('fe80::', 10, ip);
const isMulticast = (ip: IpValue): boolean => isWithin('224.0.0.0', 4, ip) || isWithin('ff00::', 8, ip);
const isGlobalUnicast = (ip: IpValue): boolean =>
  !isUnspecified(ip) &&
  !isLoopback(ip) &&
  !isMulticast(ip) &&
  !isLinkLocalUnicast(ip) &&
  !isWithin('255.255.255.255', 32, ip);

const kinds: readonly (readonly [name: string, id: string, test: (ip: IpValue) => boolean])[] = [
  ['isUnspecified', 'ip_is_unspecified', isUnspecified],
  ['isLoopback', 'ip_is_loopback', isLoopback],
  ['isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast],
  ['isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast],
  ['isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast],
];

const wholeText: CallCost = (text: string) => Math.ceil(text.length * 0.1);
const twice: CallCost = (text: string) => Math.ceil(text.length * 0.2);

const bytesOf = ({ address }: CidrValue): number => widthOf(address.family) / 8;
const containing: CallCost = (cidr: CidrValue) => Math.ceil(2 * bytesOf(cidr) * 0.1);
const containingText: CallCost = (cidr: CidrValue, text: string) =>
  Math.ceil(2 * bytesOf(cidr) * 0.1) + Math.ceil(text.length * 0.1);
const containingRange: CallCost = (cidr: CidrValue) => Math.ceil(3 * bytesOf(cidr) * 0.1) + 1;
const containingRangeText: CallCost = (cidr: CidrValue, text: string) =>
  Math.ceil(3 * bytesOf(cidr) * 0.1) + 1 + Math.ceil(text.length * 0.1);

function containsRange(outer: CidrValue, inner: CidrValue): boolean {
  return outer.length <= inner.length && outer.contains(inner.address);
}

export const addresses: readonly Overload[] = [
  global('ip', 'string_to_ip', 'string -> net.IP', (_run, text: string) => needIp(text), wholeText),
  global('isIP', 'is_ip', 'string -> bool', (_run, text: string) => readIp(text) !== undefined, wholeText),
  global(
    'ip.isCanonical',
    'ip_is_canonical',
    'string -> bool',
    (_run, text: string) => ipText(needIp(text)) === text,
    twice,
  ),
  global('string', 'ip_to_string', 'net.IP -> string', (_run, ip: IpValue) => ipText(ip)),
  member('family', 'ip_family', 'net.IP -> int', (_run, { family }: IpValue) => BigInt(family)),
  ...kinds.map(([name, id, test]) => member(name, id, 'net.IP -> bool', (_run, ip: IpValue) => test(ip))),
];

export const ranges: readonly Overload[] = [
  global('cidr', 'string_to_cidr', 'string -> net.CIDR', (_run, text: string) => needCidr(text), wholeText),
  global(
    'isCIDR',
    'is_cidr',
    'string -> bool',
    (_run, text: string) => readCidr(text) !== undefined,
    wholeText,
  ),
  global(
    'string',
    'cidr_to_string',
    'net.CIDR -> string',
    (_run, { address, length }: CidrValue) => `${ipText(address)}/${String(length)}`,
  ),
  member(
    'containsIP',
    'cidr_contains_ip_string',
    'net.CIDR, string -> bool',
    (_run, range: CidrValue, text: string) => range.contains(needIp(text)),
    containingText,
  ),
  member(
    'containsIP',
    'cidr_contains_ip_ip',
    'net.CIDR, net.IP -> bool',
    (_run, range: CidrValue, ip: IpValue) => range.contains(ip),
    containing,
  ),
  member(
    'containsCIDR',
    'cidr_contains_cidr_string',
    'net.CIDR, string -> bool',
    (_run, range: CidrValue, text: string) => containsRange(range, needCidr(text)),
    containingRangeText,
  ),
  member(
    'containsCIDR',
    'cidr_contains_cidr',
    'net.CIDR, net.CIDR -> bool',
    (_run, range: CidrValue, other: CidrValue) => containsRange(range, other),
    containingRange,
  ),
  member('ip', 'cidr_ip', 'net.CIDR -> net.IP', (_run, { address }: CidrValue) => address),
  member('prefixLength', 'cidr_prefix_length', 'net.CIDR -> int', (_run, { length }: CidrValue) =>
    BigInt(length),
  ),
  member('masked', 'cidr_masked', 'net.CIDR -> net.CIDR', (_run, range: CidrValue) => range.masked()),
];
