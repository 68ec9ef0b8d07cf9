/** Addresses that pods and services may lead to. */
import { isAllowedAddress } from '../../../src/server/connections/allowed-address.ts';

test.each(['10.1.2.3', '192.168.1.1', '8.8.8.8', 'fd00::1', '2001:db8::1', '::ffff:10.0.0.1'])(
  '%s may be spoken to',
  (ip) => {
    expect(isAllowedAddress(ip)).toBe(true);
  },
);

const refused = ['127.0.0.1', '127.255.0.1', '0.0.0.0', '169.254.169.254', '224.0.0.1', '239.1.1.1'];
refused.push('255.255.255.255', '::', '::1', 'fe80::1', 'fe80::1%eth0', 'ff02::1', '::ffff:127.0.0.1');
refused.push('::ffff:7f00:1', '::ffff:169.254.169.254', '', 'localhost', '127.1', '0x7f.0.0.1', '10.0.0.1%x');
test.each(refused)('%j may not', (ip) => {
  expect(isAllowedAddress(ip)).toBe(false);
});
