/** Blocks of addresses inside each other. */
import { BlockList } from 'node:net';
import { cidrFamily } from '../validation/net.ts';

function split(block: string): readonly [address: string, bits: number] {
  const [address = '', bits = '0'] = block.split('/');
  return [address, Number(bits)];
}

/** True when the inner block lies in the outer one and is smaller; both are well-formed. */
export function contains(outer: string, inner: string): boolean {
  const family = cidrFamily(outer);
  if (family === undefined || family !== cidrFamily(inner)) return false;
  const [outerAddress, outerBits] = split(outer);
  const [innerAddress, innerBits] = split(inner);
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(outerAddress, outerBits, type);
  return innerBits > outerBits && list.check(innerAddress, type);
}

/** An address or block as it is usually written: IPv6 in its shortest form. The text is well-formed. */
export function canonicalAddress(text: string): string {
  const [address, bits] = text.split('/');
  const shown = (address ?? '').includes(':')
    ? new URL(`http://[${address ?? ''}]`).hostname.slice(1, -1)
    : address;
  return bits === undefined ? (shown ?? '') : `${shown ?? ''}/${bits}`;
}
