/** Finite ranges of values that objects hold alone: addresses of a network, node ports. */
import { isIPv4, isIPv6 } from 'node:net';

export type IpFamily = 'IPv4' | 'IPv6';

export interface ValueRange {
  /** As a configuration states it: `10.0.0.0/24`, `30000-32767`. */
  readonly text: string;
  readonly size: number;
  /** Of addresses. */
  readonly family?: IpFamily;
  /** Values at the start that are given only to those who name them. */
  readonly reserved: number;
  /** The value at an offset below the size. */
  at(offset: number): string;
  /** Whether the value is in the range. */
  has(value: string): boolean;
}

interface Address {
  readonly family: IpFamily;
  readonly number: bigint;
}

const mappedPrefix = 0xffffn;

/** The number of an address; an IPv6 address that maps an IPv4 address is that one. Undefined if it is none. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 'IPv4', number: numberOfIpv4(text) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const number = numberOfIpv6(text);
  if (number >> 32n === mappedPrefix) return { family: 'IPv4', number: number & 0xffffffffn };
  return { family: 'IPv6', number };
}

/** The text of an address that all texts of it have in common (RFC 5952); undefined if it is none. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && addressText(address);
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

function addressText({ family, number }: Address): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((bits) => String((number >> bits) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  // The host of a URL is written so that its longest run of zeros is left out.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Most addresses of an IPv6 range that are given. */
const mostIpv6 = 65_536;

/**
 * The addresses of a network that services may have: neither that of the network itself nor the broadcast address of
 * IPv4, and of IPv6 the first 65,535. The first address is reserved for the service of the API itself.
 */
export class AddressRange implements ValueRange {
  readonly text: string;
  readonly size: number;
  readonly reserved: number;
  readonly family: IpFamily;
  readonly #network: bigint;

  private constructor({ family, number }: Address, bits: number, reserved: number) {
    const width = family === 'IPv4' ? 32 : 128;
    const free = BigInt(width - bits);
    this.family = family;
    this.#network = (number >> free) << free;
    this.text = `${addressText({ family, number: this.#network })}/${String(bits)}`;
    const all = 1n << free;
    const usable = family === 'IPv4' ? all - 2n : (all > mostIpv6 ? BigInt(mostIpv6) : all) - 1n;
    this.size = Math.max(0, Number(usable));
    this.reserved = reserved;
  }

  /**
   * The range of a network (`10.0.0.0/24`); undefined if the text is none.
   * @param reserved addresses at the start that are given only to those who name them
   */
  static parse(text: string, reserved = 0): AddressRange | undefined {
    const [address = '', bits = '', ...rest] = text.split('/');
    const parsed = parseAddress(address);
    if (!parsed || rest.length > 0 || !/^(0|[1-9][0-9]{0,2})$/.test(bits)) return undefined;
    if (Number(bits) > (parsed.family === 'IPv4' ? 32 : 128)) return undefined;
    return new AddressRange(parsed, Number(bits), reserved);
  }

  at(offset: number): string {
    return addressText({ family: this.family, number: this.#network + 1n + BigInt(offset) });
  }

  has(value: string): boolean {
    const address = parseAddress(value);
    if (address?.family !== this.family) return false;
    const offset = address.number - this.#network - 1n;
    return offset >= 0n && offset < BigInt(this.size);
  }
}

/** A range of port numbers. */
export class PortRange implements ValueRange {
  readonly text: string;
  readonly size: number;
  readonly reserved = 0;
  readonly #first: number;

  private constructor(first: number, last: number) {
    this.#first = first;
    this.size = last - first + 1;
    this.text = `${String(first)}-${String(last)}`;
  }

  /** `30000-32767`, `30000+2767` or one port; undefined if the text is no range of 1 to 65535. */
  static parse(text: string): PortRange | undefined {
    const parts = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.replace(/\s/g, ''));
    if (!parts) return undefined;
    const [, begin = '', sign, end = ''] = parts;
    const first = Number(begin);
    const last = sign === undefined ? first : sign === '-' ? Number(end) : first + Number(end);
    return first >= 1 && last >= first && last <= 65_535 ? new PortRange(first, last) : undefined;
  }

  at(offset: number): string {
    return String(this.#first + offset);
  }

  has(value: string): boolean {
    const offset = Number(value) - this.#first;
    return Number.isInteger(offset) && offset >= 0 && offset < this.size;
  }
}

/** The ranges that services get their values from. */
export interface ServiceRanges {
  /** One, or one for each family; the first is that of services that ask for no family. */
  readonly addresses: readonly AddressRange[];
  readonly nodePorts: PortRange;
}

/**
 * The ranges of a configuration, whose texts were checked.
 * @param clusterIps CIDR ranges, the default first
 * @param nodePorts first and last port: `30000-32767`
 */
export function parseServiceRanges(clusterIps: readonly string[], nodePorts: string): ServiceRanges {
  // The first address is that of the API itself.
  const addresses = clusterIps.map((text, i) => AddressRange.parse(text, i === 0 ? 1 : 0));
  const ports = PortRange.parse(nodePorts);
  if (addresses.includes(undefined) || ports === undefined) throw new TypeError('a range cannot be read');
  return { addresses: addresses.filter((range) => range !== undefined), nodePorts: ports };
}
