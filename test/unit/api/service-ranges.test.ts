/** Ranges of addresses and node ports, and the one text of an address. */
import { canonicalAddress } from '../../../src/base/ip-address.ts';
import {
  AddressRange,
  parseServiceRanges,
  PortRange,
  type ValueRange,
} from '../../../src/api/core/service/value-range.ts';

const addressesOf = (text: string, reserved = 0): AddressRange => {
  const range = AddressRange.parse(text, reserved);
  if (!range) throw new Error(`${text} is no range`);
  return range;
};
const ends = (range: ValueRange): string[] => [range.at(0), range.at(range.size - 1)];

test.each([
  ['10.0.0.0/24', 254, '10.0.0.1', '10.0.0.254'],
  ['10.0.0.77/24', 254, '10.0.0.1', '10.0.0.254'],
  ['192.168.255.248/29', 6, '192.168.255.249', '192.168.255.254'],
  ['10.240.0.0/12', 1_048_574, '10.240.0.1', '10.255.255.254'],
  ['fd00::/125', 7, 'fd00::1', 'fd00::7'],
  ['fd00:10:96::/112', 65_535, 'fd00:10:96::1', 'fd00:10:96::ffff'],
  ['fd00:10:96::/108', 65_535, 'fd00:10:96::1', 'fd00:10:96::ffff'],
])('%s has %d addresses, from %s to %s', (text, size, first, last) => {
  const range = addressesOf(text);
  expect(range.size).toBe(size);
  expect(ends(range)).toEqual([first, last]);
  expect(ends(range).map((value) => range.has(value))).toEqual([true, true]);
});

test.each(['10.0.0.0', '10.0.0.255', '10.0.1.1', '9.255.255.255', 'fd00::1', 'x', '', '10.0.0.5/32'])(
  '%p is not in 10.0.0.0/24',
  (value) => {
    expect(addressesOf('10.0.0.0/24').has(value)).toBe(false);
  },
);

test.each([
  '',
  '10.0.0.0',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/24/1',
  'fd00::/129',
  'fe80::1%eth0/64',
  'a/8',
])('%p is no range of addresses', (text) => {
  expect(AddressRange.parse(text)).toBeUndefined();
});

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['FD00:0:0:0::1', 'fd00::1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:a00:1', '10.0.0.1'],
  ['64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['None', undefined],
  ['010.0.0.1', '10.0.0.1'],
  ['10.0.0.0x1', undefined],
  ['fe80::1%eth0', undefined],
])('the text of %p is %p', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

test.each([
  ['30000-32767', 2_768, '30000', '32767'],
  ['30000+100', 101, '30000', '30100'],
  ['30000', 1, '30000', '30000'],
])('%s has %d ports, from %s to %s', (text, size, first, last) => {
  const range = PortRange.parse(text);
  expect(range?.size).toBe(size);
  expect(range && ends(range)).toEqual([first, last]);
  expect([Number(first) - 1, Number(last) + 1, '1.5', ''].map((value) => range?.has(String(value)))).toEqual(
    Array(4).fill(false),
  );
});

test.each(['', 'a', '0-1', '5-4', '1-65536', '65535+1', '1-2-3', '-5'])('%p is no range of ports', (text) => {
  expect(PortRange.parse(text)).toBeUndefined();
});

test('the first address of the first range is reserved', () => {
  const { addresses, nodePorts } = parseServiceRanges(['10.0.0.0/24', 'fd00::/120'], '30000-30009');
  expect(addresses.map(({ family, reserved }) => [family, reserved])).toEqual([
    ['IPv4', 1],
    ['IPv6', 0],
  ]);
  expect(nodePorts.text).toBe('30000-30009');
});
