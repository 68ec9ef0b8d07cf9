/** Many blocks of addresses, found by their prefixes: to look for one takes the same time however many there are. */
import { parseAddress, type IpFamily } from '../../base/ip-address.ts';

interface Prefix {
  readonly family: IpFamily;
  readonly bits: number;
  readonly network: bigint;
}

const widths = { IPv4: 32, IPv6: 128 } as const;

export class AddressBlocks {
  /** Networks without the bits behind their prefix, by its length. */
  readonly #networks = { IPv4: new Map<number, Set<bigint>>(), IPv6: new Map<number, Set<bigint>>() };

  /** @param block as `10.0.0.0/24`; texts that are none are passed over */
  add(block: string): void {
    const prefix = prefixOf(block);
    if (!prefix) return;
    const { family, bits, network } = prefix;
    const known = this.#networks[family].get(bits);
    if (known) known.add(network);
    else this.#networks[family].set(bits, new Set([network]));
  }

  /** Whether one of the blocks holds all of this one, or is it. @param block as for `add`, or an address */
  cover(block: string): boolean {
    const prefix = prefixOf(block);
    if (!prefix) return false;
    const { family, bits, network } = prefix;
    for (const [outer, networks] of this.#networks[family])
      if (outer <= bits && networks.has(network >> BigInt(bits - outer))) return true;
    return false;
  }
}

function prefixOf(block: string): Prefix | undefined {
  const [text = '', length] = block.split('/');
  const address = parseAddress(text);
  if (!address) return undefined;
  const { family, number } = address;
  const width = widths[family];
  // A mapped address is written with 96 bits more.
  const more = text.includes(':') ? 128 - width : 0;
  const bits = length === undefined ? width : Number(length) - more;
  return bits >= 0 && bits <= width ? { family, bits, network: number >> BigInt(width - bits) } : undefined;
}
