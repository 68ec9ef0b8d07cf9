/** Blocks of addresses: `10.0.0.0/24`, read as addresses are. */
import { addressText, isWritten, parseAddress, type IpAddress } from './ip-address.ts';

export interface IpBlock {
  readonly address: IpAddress;
  /** Of the prefix, counted in the address's own family. */
  readonly bits: number;
  /** The address without the bits behind the prefix. */
  readonly network: bigint;
}

const widths = { IPv4: 32, IPv6: 128 } as const;

/** Undefined if the text is no block. A mapped address is written with 96 bits more. */
export function parseBlock(text: string): IpBlock | undefined {
  const [written = '', prefix = '', ...rest] = text.split('/');
  const address = parseAddress(written);
  if (!address || rest.length > 0 || !/^0*[0-9]{1,3}$/.test(prefix)) return undefined;
  const width = widths[address.family];
  const bits = Number(prefix) - (written.includes(':') ? 128 - width : 0);
  if (bits < 0 || bits > width) return undefined;
  const free = BigInt(width - bits);
  return { address, bits, network: (address.number >> free) << free };
}

/** Whether libraries of today read the text, too: zeros lead neither a part of the address nor the length of the prefix. */
export function isWrittenBlock(text: string): boolean {
  const [address = '', prefix = ''] = text.split('/');
  return isWritten(address) && !/^0[0-9]/.test(prefix);
}

/** The block as it is usually written, without bits behind its prefix. */
export function blockText({ address, bits, network }: IpBlock): string {
  return `${addressText({ family: address.family, number: network })}/${String(bits)}`;
}

/** An address with the length of its prefix, as it is usually written: bits behind the prefix stay. */
export function interfaceText({ address, bits }: IpBlock): string {
  return `${addressText(address)}/${String(bits)}`;
}

/** A block of the address alone. */
export function singleBlockText({ address }: IpBlock): string {
  return `${addressText(address)}/${String(widths[address.family])}`;
}

/** Whether the inner block lies in the outer one and is smaller. */
export function isInside(inner: IpBlock, outer: IpBlock): boolean {
  if (inner.address.family !== outer.address.family || inner.bits <= outer.bits) return false;
  const free = BigInt(widths[outer.address.family] - outer.bits);
  return inner.network >> free === outer.network >> free;
}
