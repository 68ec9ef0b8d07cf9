/** Finite ranges of values that objects hold alone: addresses of a network, node ports. */
import { addressText, parseAddress, type IpAddress, type IpFamily } from '../../../base/ip-address.ts';
import { parseBlock } from '../../../base/ip-block.ts';

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

  private constructor({ family, number }: IpAddress, bits: number, reserved: number) {
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
    const block = parseBlock(text);
    return block && new AddressRange(block.address, block.bits, reserved);
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
