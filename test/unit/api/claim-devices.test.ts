/** What drivers tell of the devices of a claim. */
import { newestRelease } from '../../../src/observe/release.ts';
import { brief, contextWith, Kind } from '../../support/kind.ts';

const release = { major: 1, minor: newestRelease.minor };
const kind = new Kind('resourceclaims.resource', contextWith({ release }), release);
const claim = {
  metadata: { name: 'a', namespace: 'x' },
  spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'a' } }] } },
};

test.each([
  ['10.9.8.1/24', true],
  ['2001:db8::1/64', true],
  ['10.9.8.0/24', true],
  ['10.9.8.1', false],
  ['10.09.8.1/24', false],
  ['10.9.8.1/024', false],
  ['2001:DB8::1/64', false],
  ['2001:db8:0::1/64', false],
  ['10.9.8.1/33', false],
  ['eth0', false],
])('the address %s of a network device: %s', (ip, isTaken) => {
  const before = kind.created(claim);
  const device = { driver: 'd', pool: 'p', device: 'n' };
  const status = {
    allocation: { devices: { results: [{ request: 'one', ...device }] } },
    devices: [{ ...device, networkData: { ips: ['192.0.2.1/32', ip] } }],
  };
  const errors = brief(kind.updateErrors(before, { ...claim, status }, 'status'));
  expect(errors).toEqual(isTaken ? [] : ['status.devices[0].networkData.ips[1] Invalid']);
});
