/** Ports, addresses and where they may point. */
import { BlockList, isIPv4 } from 'node:net';
import { canonicalAddress, parseAddress, type IpFamily } from '../../base/ip-address.ts';
import { parseBlock } from '../../base/ip-block.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { ianaPortName } from './name-rules.ts';
import type { Rule } from './rules.ts';
import { between, invalidEach } from './rules.ts';

export const portNumber: Rule<number> = between(1, 65535);

/** A port by number or by name. */
export function portNumberOrName(value: number | string, path: FieldPath): FieldError[] {
  return typeof value === 'number' ? portNumber(value, path) : invalidEach(value, path, ianaPortName(value));
}

/** 4, 6, or undefined when the text is no address. Zeros that lead a part are let pass (`address-fields.ts` judges them). */
export function ipFamily(value: string): 4 | 6 | undefined {
  if (isIPv4(value)) return 4;
  return numberOf(parseAddress(value)?.family);
}

/** The family of `address/bits`, or undefined. */
export function cidrFamily(value: string): 4 | 6 | undefined {
  return numberOf(parseBlock(value)?.address.family);
}

function numberOf(family: IpFamily | undefined): 4 | 6 | undefined {
  return family && (family === 'IPv4' ? 4 : 6);
}

export const ipAddress: Rule<string> = (value, path) =>
  ipFamily(value) === undefined
    ? [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    : [];

export const cidr: Rule<string> = (value, path) =>
  cidrFamily(value) === undefined
    ? [invalid(path, value, 'must be a valid CIDR block (e.g. 10.100.0.0/16 or fd02::/48)')]
    : [];

type Range = readonly [
  name: string,
  ranges: readonly (readonly [net: string, bits: number, family: 'ipv4' | 'ipv6'])[],
];

const special: readonly Range[] = [
  [
    'unspecified (0.0.0.0 or ::)',
    [
      ['0.0.0.0', 32, 'ipv4'],
      ['::', 128, 'ipv6'],
    ],
  ],
  [
    'in the loopback range (127.0.0.0/8, ::1/128)',
    [
      ['127.0.0.0', 8, 'ipv4'],
      ['::1', 128, 'ipv6'],
    ],
  ],
  [
    'in the link-local range (169.254.0.0/16,fe80::/10)',
    [
      ['169.254.0.0', 16, 'ipv4'],
      ['fe80::', 10, 'ipv6'],
    ],
  ],
  [
    'in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    [
      ['224.0.0.0', 24, 'ipv4'],
      ['ff02::', 16, 'ipv6'],
    ],
  ],
];

const specialLists = special.map(([name, ranges]) => {
  const list = new BlockList();
  for (const [net, bits, family] of ranges) list.addSubnet(net, bits, family);
  return { name, list };
});

/** Addresses that traffic from elsewhere can reach: not unspecified, loopback or link-local. */
export const reachableIp: Rule<string> = (value, path) => {
  const family = ipFamily(value);
  if (family === undefined) return ipAddress(value, path);
  const text = isIPv4(value) ? value : (canonicalAddress(value) ?? value);
  return specialLists
    .filter(({ list }) => list.check(text, family === 4 ? 'ipv4' : 'ipv6'))
    .map(({ name }) => invalid(path, value, `may not be ${name}`));
};
