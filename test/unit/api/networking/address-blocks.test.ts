import { AddressBlocks } from '../../../../src/api/networking/address-blocks.ts';

const blocks = new AddressBlocks();
for (const block of [
  '10.0.0.0/16',
  '10.1.2.3/32',
  '2001:db8::/64',
  '::ffff:192.168.0.0/112',
  'none',
  '10.9.0.0/99',
])
  blocks.add(block);

test.each([
  '10.0.255.1',
  '10.0.0.0/16',
  '10.0.1.0/24',
  '10.1.2.3',
  '2001:db8::7',
  '2001:db8:0:0:1::/80',
  '192.168.7.7',
])('%s is covered', (block) => expect(blocks.cover(block)).toBe(true));

test.each([
  '10.1.0.0',
  '10.0.0.0/15',
  '10.1.2.4',
  '2001:db8:0:1::',
  '2001:db8::/63',
  '192.169.0.0',
  '10.9.0.1',
  '',
  'x/1',
])('%s is not', (block) => expect(blocks.cover(block)).toBe(false));
